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

func (c *context) InitAHFromWC(port int, wc *verbs.WC, grh []byte) (verbs.AHAttr, error) {
	return verbs.AHAttr{}, c.err("init_ah_from_wc", verbs.ErrNotSupported, "")
}

func (c *context) OpenXRCD(fd, oflags int) (verbs.XRCD, error) {
	return nil, c.err("open_xrcd", verbs.ErrNotSupported, "")
}

func (p *pd) RegMRIova(buf []byte, iova uint64, access verbs.Access) (verbs.MR, error) {
	return nil, p.ctx.err("reg_mr_iova", verbs.ErrNotSupported, "")
}

func (p *pd) CreateAH(attr *verbs.AHAttr) (verbs.AH, error) {
	return nil, p.ctx.err("create_ah", verbs.ErrNotSupported, "")
}

func (p *pd) CreateAHFromWC(wc *verbs.WC, grh []byte, port int) (verbs.AH, error) {
	return nil, p.ctx.err("create_ah_from_wc", verbs.ErrNotSupported, "")
}

func (q *qp) AttachMcast(gid verbs.GID, lid uint16) error {
	return q.err("attach_mcast", verbs.ErrNotSupported, "")
}

func (q *qp) DetachMcast(gid verbs.GID, lid uint16) error {
	return q.err("detach_mcast", verbs.ErrNotSupported, "")
}

// datagram sends a message of n bytes, which q.pieces holds, from a UD QP.
func (q *qp) datagram(w *work, n uint64) verbs.WCStatus { return verbs.WCSuccess }

func (q *cq) Resize(cqe int) error {
	return q.ctx.err("resize_cq", verbs.ErrNotSupported, "")
}
