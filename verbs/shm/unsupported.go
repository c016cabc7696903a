package shm

import "github.com/ibperf/ibperf/verbs"

func (c *context) OpenXRCD(fd, oflags int) (verbs.XRCD, error) {
	return nil, c.err("open_xrcd", verbs.ErrNotSupported, "")
}

func (p *pd) CreateSRQ(init *verbs.SRQInitAttr) (verbs.SRQ, error) {
	return nil, p.ctx.err("create_srq", verbs.ErrNotSupported, "")
}
