package verbs

// PostPoller is a [QP] that posts a list and polls a CQ in one call into the device's library, with
// readings of the CPU's time stamp counter within that call. The time between them has what a program
// in C has between its own readings; that of the way from Go into C and back is outside.
type PostPoller interface {
	// PostPoll is PostSend of wr, and then, unless wc is empty, PollSpin of cq, a CQ of the same
	// context. begin is the counter before the post, and end after the last poll; both are 0 on CPUs
	// other than amd64. If the post fails, nothing is polled.
	//
	//	int ibv_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
	//	int ibv_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
	PostPoll(wr *SendWR, cq CQ, wc []WC, max int) (n int, begin, end uint64, err error)
}
