package verbs

import "time"

// CQ is a completion queue, struct ibv_cq, of one or more QPs. The completions of one
// work queue are in the order of posting; there is no order between queues. The CQ must
// have an entry for each request that may be outstanding: a CQ that overruns raises
// [EventCQErr] and is unusable, as are its QPs.
//
// To sleep for a completion without missing one: arm, poll until the CQ is empty, then
// wait for the event; after the event acknowledge it, and begin again. A completion
// that is queued between the last poll and a later arm raises no event.
type CQ interface {
	// Poll moves up to len(wc) completions into wc and returns their number. It
	// never blocks. A completion is returned once. Poll fails when the queue has
	// overrun: it had more unpolled completions than entries.
	//
	//	int ibv_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
	Poll(wc []WC) (int, error)
	// PollSpin polls until there is a completion, at most max times: one call into the
	// device's library for a bounded busy wait.
	PollSpin(wc []WC, max int) (int, error)
	// ReqNotify arms the queue: the next completion (or, with solicitedOnly, the
	// next solicited or failed one) puts one event into the queue's channel.
	// Completions that are queued already do not.
	//
	//	int ibv_req_notify_cq(struct ibv_cq *cq, int solicited_only)
	ReqNotify(solicitedOnly bool) error
	// AckEvents acknowledges n events; Close waits until all are acknowledged.
	//
	//	void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)
	AckEvents(n int)
	// Resize changes the capacity to at least cqe entries and keeps the queued
	// completions; EINVAL if they do not fit.
	//
	//	int ibv_resize_cq(struct ibv_cq *cq, int cqe)
	Resize(cqe int) error
	// CQE returns the capacity, at least the number given to CreateCQ or Resize.
	CQE() int
	// Close destroys the queue; EBUSY while a QP uses it.
	//
	//	int ibv_destroy_cq(struct ibv_cq *cq)
	Close() error
}

// LongestRawWait bounds [CompChannel] GetEventRaw, which delays garbage collections.
const LongestRawWait = 5 * time.Millisecond

// CompChannel is a completion channel, struct ibv_comp_channel, which delivers the
// completion events of its CQs. An armed CQ puts one event into its channel and is then
// disarmed. poll(2) and the like can wait for the file descriptor.
type CompChannel interface {
	// GetEvent waits for an event and returns its CQ, or [ErrTimeout] after timeout. The
	// event consumes no completion and leaves the CQ disarmed. Any number of goroutines
	// may wait; each event goes to one of them.
	//
	//	int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
	GetEvent(timeout time.Duration) (CQ, error)
	// GetEventRaw is GetEvent with raw system calls, as in [syscall.RawSyscall]: the thread
	// sleeps for at most [LongestRawWait], and the Go scheduler counts it as running. It
	// wakes some microseconds sooner than GetEvent. While it sleeps no garbage collection
	// can begin, and one of GOMAXPROCS is idle: it is for threads that measure.
	GetEventRaw(timeout time.Duration) (CQ, error)
	// FD returns the file descriptor, readable while an event is queued. It is
	// non-blocking; -1 after Close.
	FD() int
	// Close destroys the channel; EBUSY while a CQ uses it.
	//
	//	int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
	Close() error
}
