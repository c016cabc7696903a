package shm

import "github.com/ibperf/ibperf/verbs"

func (c *context) QueryGIDTable(max int) ([]verbs.GIDEntry, error) {
	return nil, c.err("query_gid_table", verbs.ErrNotSupported, "")
}

func (c *context) QueryPKey(port, index int) (uint16, error) {
	return 0, c.err("query_pkey", verbs.ErrNotSupported, "")
}

func (c *context) PKeyIndex(port int, pkey uint16) (int, error) {
	return 0, c.err("get_pkey_index", verbs.ErrNotSupported, "")
}

func (c *context) OpenXRCD(fd, oflags int) (verbs.XRCD, error) {
	return nil, c.err("open_xrcd", verbs.ErrNotSupported, "")
}

func (p *pd) RegMRIova(buf []byte, iova uint64, access verbs.Access) (verbs.MR, error) {
	return nil, p.ctx.err("reg_mr_iova", verbs.ErrNotSupported, "")
}

func (p *pd) CreateSRQ(init *verbs.SRQInitAttr) (verbs.SRQ, error) {
	return nil, p.ctx.err("create_srq", verbs.ErrNotSupported, "")
}

func (q *cq) Resize(cqe int) error {
	return q.ctx.err("resize_cq", verbs.ErrNotSupported, "")
}
