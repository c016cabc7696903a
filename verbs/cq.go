package verbs

import "time"

// CQ is a completion queue, struct ibv_cq: where the completions of one or more QPs
// are put. Those of one work queue come in the order of posting; between queues
// there is no order. It must have room for all that may be outstanding: a CQ that
// overruns raises [EventCQErr] and is lost, with its QPs.
//
// To sleep until something comes, without missing it: arm, poll until empty, then
// wait for the event; after the event acknowledge it, and begin again. A completion
// that comes between the last poll and an arm after it raises no event.
type CQ interface {
	// Poll moves up to len(wc) completions into wc and returns how many; it
	// never blocks. A completion is returned once. Poll fails when the queue has
	// overrun: more completions than it has entries were left in it.
	//
	//	int ibv_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
	Poll(wc []WC) (int, error)
	// PollSpin polls until something arrives, at most max times: one call into
	// the device's library for a bounded busy wait.
	PollSpin(wc []WC, max int) (int, error)
	// ReqNotify arms the queue: the next completion (or, with solicitedOnly, the
	// next solicited or failed one) puts one event into the queue's channel.
	// Completions that are already there do not.
	//
	//	int ibv_req_notify_cq(struct ibv_cq *cq, int solicited_only)
	ReqNotify(solicitedOnly bool) error
	// AckEvents acknowledges n events; Close waits until all are acknowledged.
	//
	//	void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)
	AckEvents(n int)
	// Resize changes the capacity to at least cqe entries, keeping the completions
	// that are in the queue; EINVAL if they do not fit.
	//
	//	int ibv_resize_cq(struct ibv_cq *cq, int cqe)
	Resize(cqe int) error
	// CQE returns the capacity, at least what CreateCQ or Resize was asked for.
	CQE() int
	// Close destroys the queue; EBUSY while a QP uses it.
	//
	//	int ibv_destroy_cq(struct ibv_cq *cq)
	Close() error
}

// LongestRawWait bounds [CompChannel] GetEventRaw: the garbage collector waits for it.
const LongestRawWait = 5 * time.Millisecond

// CompChannel, struct ibv_comp_channel, delivers completion events of the CQs made
// with it. A CQ that is armed puts one event into its channel, and is not armed any
// more. The descriptor can be waited for by poll(2) among others.
type CompChannel interface {
	// GetEvent waits until an event comes and returns its CQ, or [ErrTimeout] after
	// timeout. The event consumes no completion and leaves the CQ disarmed. Any number
	// of goroutines may wait; each event goes to one of them.
	//
	//	int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
	GetEvent(timeout time.Duration) (CQ, error)
	// GetEventRaw is GetEvent by raw system calls, as in [syscall.RawSyscall]: the thread
	// sleeps, for [LongestRawWait] at most, and the Go scheduler does not know. It wakes
	// some microseconds sooner. Meanwhile no garbage collection can begin, and nothing
	// else runs in the thread's share of GOMAXPROCS: it is for threads that measure.
	GetEventRaw(timeout time.Duration) (CQ, error)
	// FD returns the file descriptor, readable while an event is queued. It is
	// non-blocking; -1 after Close.
	FD() int
	// Close destroys the channel; EBUSY while a CQ uses it.
	//
	//	int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
	Close() error
}
