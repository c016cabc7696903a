package verbs

// SRQ is a shared receive queue, struct ibv_srq, of several QPs.
//
// A message of any of the QPs takes the oldest receive. Its completion goes to that QP's
// receive CQ; an SRQ for XRC has a CQ of its own. A QP in ERR takes no receives. When
// the SRQ is empty, RC senders retry as with an empty receive queue, and UD messages are
// lost. The limit event announces this early.
type SRQ interface {
	// Modify sets the attributes named by mask. SRQMaxWR changes the capacity and keeps
	// the posted receives. SRQLimit arms one [EventSRQLimitReached], which is raised when
	// fewer receives are posted than the limit, and resets the limit to 0.
	//
	//	int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr, int srq_attr_mask)
	Modify(attr SRQAttr, mask SRQAttrMask) error
	// Query returns the attributes. With Limit 0 no event is armed.
	//
	//	int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr)
	Query() (SRQAttr, error)
	// PostRecv posts the list that begins at wr, as [QP] PostSend does.
	//
	//	int ibv_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr)
	PostRecv(wr *RecvWR) (bad *RecvWR, err error)
	// Num returns the number of the queue in requests of XRC peers. Queues of other
	// types may have no number.
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
	MaxWR  int // receives
	MaxSGE int // of a receive
	Limit  int // 0: no event is armed
}

// SRQAttrMask is enum ibv_srq_attr_mask.
type SRQAttrMask uint32

// The attribute mask bits.
const (
	SRQMaxWR SRQAttrMask = 1 << 0 // IBV_SRQ_MAX_WR
	SRQLimit SRQAttrMask = 1 << 1 // IBV_SRQ_LIMIT
)

// SRQInitAttr is struct ibv_srq_init_attr_ex. An SRQ for XRC has a domain and a CQ;
// otherwise both are nil.
type SRQInitAttr struct {
	Attr SRQAttr // Limit is ignored
	XRCD XRCD
	CQ   CQ
}
