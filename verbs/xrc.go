package verbs

// XRCD is an extended reliable connection domain, struct ibv_xrcd. Several processes of a
// host share it, so that a peer reaches the SRQs of all of them through one connection. The
// peer's QP of type [QPTypeXRCSend] names the SRQ in each work request; the QP of type
// [QPTypeXRCRecv] here belongs to the domain.
type XRCD interface {
	// CreateRecvQP creates a QP of type XRC_RECV, which has no PD, no queues and no CQs.
	//
	//	struct ibv_qp *ibv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *qp_init_attr_ex)
	CreateRecvQP() (QP, error)
	// OpenQP returns a further handle of the domain's XRC_RECV QP with the number. Closing
	// the last handle destroys the QP.
	//
	//	struct ibv_qp *ibv_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *qp_open_attr)
	OpenQP(num uint32) (QP, error)
	// Close closes the domain; EBUSY while a QP or SRQ uses it.
	//
	//	int ibv_close_xrcd(struct ibv_xrcd *xrcd)
	Close() error
}

// QueryXRCRecvQP queries the domain's XRC_RECV QP with the number. Since 2012 libibverbs has
// ibv_open_qp, ibv_query_qp and ibv_destroy_qp of the handle in place of the prototype below.
//
//	int ibv_query_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num, struct ibv_qp_attr *attr, int attr_mask, struct ibv_qp_init_attr *init_attr)
func QueryXRCRecvQP(domain XRCD, num uint32, mask QPAttrMask) (QPAttr, QPInitAttr, error) {
	qp, err := domain.OpenQP(num)
	if err != nil {
		return QPAttr{}, QPInitAttr{}, err
	}
	attr, init, err := qp.Query(mask)
	if closed := qp.Close(); err == nil {
		err = closed
	}
	return attr, init, err
}
