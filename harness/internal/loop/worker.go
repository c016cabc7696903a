package loop

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/harness/internal/setup"
	"github.com/ibperf/ibperf/harness/internal/stats"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// Worker is one measuring thread in one completion mode, with its flows and what it measures.
type Worker struct {
	cfg     *Config
	halt    *halt.Halt
	spare   *clock.Clock // real time even where Clock is virtual, for waits
	index   int          // of the thread
	group   *Group
	queues  *setup.Queues
	set     *testcase.Set
	sendCQ  verbs.CQ // copies of those in queues: one load less in the loops
	recvCQ  verbs.CQ
	flows   []*Flow
	byQP    map[uint32]*Flow // by the QP numbers in completions of receives
	sendWCs []verbs.WC
	recvWCs []verbs.WC

	test *testcase.Case // current one

	// State of a round.
	Clock        *clock.Clock
	expected     atomic.Uint64 // messages that the peer sends; math.MaxUint64 until it has reported the number
	postedBefore uint64        // messages sent in earlier rounds of the size
	loop         func() error  // of the round; nil if the worker has nothing to do
	parts        []*part       // directions of a stream
	pingPong     pingPongCalls
	arrivals     arrivals
	rotation     rotation    // which flow has the next message of a ping-pong
	Sent         chan uint64 // gets the number of messages sent, once the worker sends no more except answers
	sleep        sleeper
	rest         func() error // of modes that sleep: called after polls without a completion
	meter        meter
	idling       idling
	spins        int           // polls of an empty CQ in the next call
	spinsPerCall int           // and in the first call after progress
	stall        time.Duration // longest time without progress; 0: unlimited
	CPU          int           // that the thread was on at the end of the round; affinity.NoCPU: unknown

	recorder
}

func newWorker(cfg *Config, g *Group, index int, q *setup.Queues, memory *requests, own recorder, h *halt.Halt) *Worker {
	set := q.Resources.Set
	w := &Worker{
		cfg: cfg, halt: h, spare: clock.New(), index: index, group: g, queues: q, set: set, sendCQ: q.SendCQ, recvCQ: q.RecvCQ,
		byQP: map[uint32]*Flow{}, recorder: own,
		sendWCs: cut(&memory.wcsLeft, set.Plan.CQEPoll), recvWCs: cut(&memory.wcsLeft, set.Plan.CQEPoll),
	}
	for _, c := range q.Conns {
		f := newFlow(w, c, memory)
		w.flows = append(w.flows, f)
		w.byQP[c.RecvQPNum()] = f
	}
	return w
}

// recorder holds the measurements of a round. The workers of all modes use it one after another.
type recorder struct {
	samples      *stats.Samples // of round trips
	sampled      span           // from the beginning of the first sample to the end of the last, pauses included
	serviceTimes *stats.Samples // of an open loop: from the post to the answer; else nil
	load         Load           // of an open loop
	rate         *stats.Rate    // of the direction that this side measures
	reverseRate  *stats.Rate    // of the direction that the peer measures
}

// span is a time from one reading of the clock to another.
type span struct{ begin, end int64 }

// newRecorders returns the recorders of all threads.
func newRecorders(set *testcase.Set) []recorder {
	p := &set.Plan
	if set.PingPong() {
		return newPingPongRecorders(set, p.AllThreads())
	}
	all := make([]recorder, p.AllThreads())
	rates, reverse := stats.NewJointRates(max(1, p.Devices), p.Threads), stats.NewJointRates(max(1, p.Devices), p.Threads)
	for i := range all {
		all[i] = recorder{rate: rates[i], reverseRate: reverse[i]}
	}
	return all
}

// newPingPongRecorders returns n recorders of ping-pongs or open loops.
func newPingPongRecorders(set *testcase.Set, n int) []recorder {
	all := make([]recorder, n)
	for i := range all {
		all[i] = recorder{samples: stats.NewSamples(), rate: stats.NewRate()}
		if set.Plan.OpenLoop() {
			all[i].serviceTimes = stats.NewSamples()
		}
	}
	return all
}

func (r *recorder) reset() {
	r.rate.Reset()
	r.sampled, r.load = span{}, Load{}
	if r.serviceTimes != nil {
		r.serviceTimes.Reset()
	}
	if r.samples != nil {
		r.samples.Reset()
	}
	if r.reverseRate != nil {
		r.reverseRate.Reset()
	}
}

// share returns the number of all QPs for each one of the worker.
func (w *Worker) share() float64 { return float64(len(w.group.Flows())) / float64(len(w.flows)) }

// close acknowledges all events and frees the memory of --verify.
func (w *Worker) close() {
	w.sleep.ackEvents()
	for _, f := range w.flows {
		f.in.close()
	}
}

// SetCase prepares all flows for messages of a test case.
func (w *Worker) SetCase(c *testcase.Case) error {
	w.test = c
	for _, f := range w.flows {
		if err := f.setCase(c); err != nil {
			return err
		}
	}
	return nil
}

// reapSends polls the send CQ once and returns the number of completions.
func (w *Worker) reapSends() (int, error) {
	n, err := w.sendCQ.Poll(w.sendWCs)
	return w.sendsDone(n, err)
}

// awaitSends polls the send CQ up to w.spins times, until it has completions, and returns their number.
func (w *Worker) awaitSends() (int, error) {
	n, err := w.sendCQ.PollSpin(w.sendWCs, w.spins)
	return w.sendsDone(n, err)
}

// sendsDone records the first n completions of sends.
func (w *Worker) sendsDone(n int, err error) (int, error) {
	if n <= 0 || err != nil {
		return 0, err
	}
	for i := range w.sendWCs[:n] {
		c := &w.sendWCs[i]
		if c.Status != verbs.WCSuccess {
			return 0, w.failed(c)
		}
		f := w.flows[c.WRID>>positionShift]
		if f.out.completed == nil {
			f.completed(c.WRID)
		} else if err := f.completedAlone(c.WRID); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// reapRecvs polls the receive CQ once and returns the number of completions.
func (w *Worker) reapRecvs() (int, error) {
	n, err := w.recvCQ.Poll(w.recvWCs)
	if n <= 0 || err != nil {
		return 0, err
	}
	if w.test.RecvFromCQE {
		return n, w.matchRecvs(w.recvWCs[:n])
	}
	var bad verbs.WCStatus
	for i := range w.recvWCs[:n] {
		bad |= w.recvWCs[i].Status
	}
	if bad != verbs.WCSuccess || len(w.flows) > 1 {
		return n, w.sortRecvs(w.recvWCs[:n])
	}
	w.flows[0].in.received(uint64(n))
	return n, nil
}

// sortRecvs records completions of receives in their flows.
func (w *Worker) sortRecvs(wcs []verbs.WC) error {
	for i := range wcs {
		c := &wcs[i]
		if c.Status != verbs.WCSuccess {
			return w.failed(c)
		}
		w.flows[c.WRID].in.received(1)
	}
	return nil
}

// failed returns the error of a failed completion.
func (w *Worker) failed(c *verbs.WC) error {
	return &verbs.StatusError{
		Object: fmt.Sprintf("%s qp %#x", w.queues.Resources.DeviceName(), c.QPNum),
		WRID:   c.WRID, Status: c.Status, Vendor: c.VendorErr,
	}
}

// posted returns the number of messages that were posted since the size began.
func (w *Worker) posted() uint64 {
	var n uint64
	for _, f := range w.flows {
		n += f.out.sent - f.out.skipped
	}
	return n
}

// reportSent reports the number of messages that the worker has sent in the round.
func (w *Worker) reportSent() { w.Sent <- w.posted() - w.postedBefore }

// ended reports whether the last message of a ping-pong has arrived, or the run halts.
func (w *Worker) ended() bool { return w.halt.On() || w.rotation.arrived >= w.expected.Load() }

// Expect sets the number of messages that the peer sends in the round.
func (w *Worker) Expect(n uint64) { w.expected.Store(n) }

// expectAny makes the number of messages of the peer unlimited, because it is not known yet.
func (w *Worker) expectAny() { w.expected.Store(math.MaxUint64) }
