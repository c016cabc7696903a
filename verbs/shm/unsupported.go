package shm

import "github.com/ibperf/ibperf/verbs"

func (c *context) OpenXRCD(fd, oflags int) (verbs.XRCD, error) {
	return nil, c.err("open_xrcd", verbs.ErrNotSupported, "")
}
