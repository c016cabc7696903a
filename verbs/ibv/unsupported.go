//go:build linux

package ibv

import "github.com/ibperf/ibperf/verbs"

func (c *context) QueryGIDTable(max int) ([]verbs.GIDEntry, error) {
	return nil, opError("query_gid_table", c.dev.name, verbs.ErrNotSupported, "")
}

func (c *context) QueryPKey(port, index int) (uint16, error) {
	return 0, opError("query_pkey", c.dev.name, verbs.ErrNotSupported, "")
}

func (c *context) PKeyIndex(port int, pkey uint16) (int, error) {
	return 0, opError("get_pkey_index", c.dev.name, verbs.ErrNotSupported, "")
}

func (c *context) InitAHFromWC(port int, wc *verbs.WC, grh []byte) (verbs.AHAttr, error) {
	return verbs.AHAttr{}, opError("init_ah_from_wc", c.dev.name, verbs.ErrNotSupported, "")
}

func (c *context) OpenXRCD(fd, oflags int) (verbs.XRCD, error) {
	return nil, opError("open_xrcd", c.dev.name, verbs.ErrNotSupported, "")
}

func (p *pd) RegMRIova(buf []byte, iova uint64, access verbs.Access) (verbs.MR, error) {
	return nil, opError("reg_mr_iova", p.ctx.dev.name, verbs.ErrNotSupported, "")
}

func (p *pd) CreateSRQ(init *verbs.SRQInitAttr) (verbs.SRQ, error) {
	return nil, opError("create_srq", p.ctx.dev.name, verbs.ErrNotSupported, "")
}

func (p *pd) CreateAH(attr *verbs.AHAttr) (verbs.AH, error) {
	return nil, opError("create_ah", p.ctx.dev.name, verbs.ErrNotSupported, "")
}

func (p *pd) CreateAHFromWC(wc *verbs.WC, grh []byte, port int) (verbs.AH, error) {
	return nil, opError("create_ah_from_wc", p.ctx.dev.name, verbs.ErrNotSupported, "")
}

func (q *qp) AttachMcast(gid verbs.GID, lid uint16) error {
	return opError("attach_mcast", q.object(), verbs.ErrNotSupported, "")
}

func (q *qp) DetachMcast(gid verbs.GID, lid uint16) error {
	return opError("detach_mcast", q.object(), verbs.ErrNotSupported, "")
}

func (q *cq) Resize(cqe int) error {
	return opError("resize_cq", q.ctx.dev.name, verbs.ErrNotSupported, "")
}
