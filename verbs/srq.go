package verbs

// SRQ is a shared receive queue, struct ibv_srq: receives that several QPs take from.
//
// A receive is taken, in the order of posting, by whichever QP a message comes in
// on; its completion goes to that QP's receive CQ, or, of an SRQ for XRC, to the
// SRQ's own. A QP in ERR leaves the receives to the others. When none is left, RC
// senders wait as for any receive, and those of UD lose their messages: the limit
// tells in time.
type SRQ interface {
	// Modify sets the attributes named by mask: with SRQMaxWR the capacity, which
	// keeps what is posted; with SRQLimit the number of posted receives below which
	// one [EventSRQLimitReached] is raised, after which the limit is 0 again.
	//
	//	int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr, int srq_attr_mask)
	Modify(attr SRQAttr, mask SRQAttrMask) error
	// Query returns the attributes. A Limit of 0 says that no event is armed.
	//
	//	int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr)
	Query() (SRQAttr, error)
	// PostRecv posts the list that begins at wr, with the rules of [QP] PostSend.
	//
	//	int ibv_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr)
	PostRecv(wr *RecvWR) (bad *RecvWR, err error)
	// Num returns the number by which XRC peers name the queue. Devices need not
	// have one for other queues.
	//
	//	int ibv_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)
	Num() (uint32, error)
	// Close destroys the queue; EBUSY while a QP uses it.
	//
	//	int ibv_destroy_srq(struct ibv_srq *srq)
	Close() error
}

// SRQAttr is struct ibv_srq_attr.
type SRQAttr struct {
	MaxWR  int // receives it holds
	MaxSGE int // elements of a receive
	Limit  int // 0: no event is armed
}

// SRQAttrMask is enum ibv_srq_attr_mask.
type SRQAttrMask uint32

// The attribute mask bits.
const (
	SRQMaxWR SRQAttrMask = 1 << 0 // IBV_SRQ_MAX_WR
	SRQLimit SRQAttrMask = 1 << 1 // IBV_SRQ_LIMIT
)

// SRQInitAttr is struct ibv_srq_init_attr_ex. With an XRC domain the queue is for
// XRC and needs a CQ of its own; otherwise both are nil.
type SRQInitAttr struct {
	Attr SRQAttr // Limit has no meaning here
	XRCD XRCD
	CQ   CQ
}
