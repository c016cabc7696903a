package harness

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/internal/stats"
	"github.com/ibperf/ibperf/verbs"
)

// worker is one measuring thread: its QPs with their CQs, and what it measures.
type worker struct {
	rig     *rig
	halt    *halt
	spare   *clock.Clock // of real time, for what is not measured
	group   *group
	channel verbs.CompChannel // nil unless it sleeps
	sendCQ  verbs.CQ
	recvCQ  verbs.CQ
	domain  verbs.PD         // that its QPs are made in
	parent  verbs.PD         // the same, if it is that of a thread domain, else nil
	td      verbs.TD         // of the parent
	srq     verbs.SRQ        // of its QPs, nil if each has a receive queue
	byQP    map[uint32]*lane // by the numbers that completions of receives tell
	lanes   []*lane
	sendWCs []verbs.WC
	recvWCs []verbs.WC

	scheme *scheme // of the size

	// Of the round.
	clock  *clock.Clock
	target atomic.Uint64 // messages that the peer sends, once it has said how many
	before uint64        // messages that were sent before
	drive  func() error  // its loop
	parts  []*part       // that a stream is made of
	steps  steps         // that a ping-pong is made of
	turns  turns         // of its lanes in a ping-pong
	over   chan uint64   // takes how many messages it has sent, once it sends no more of its own accord
	sleep  sleeper
	meter  meter
	idling idling
	stall  time.Duration // how long it may get nowhere in a round; 0: there is none
	place  int           // its CPU at the end; -1: not known

	recorder
}

// recorder keeps what a worker sees in a round. The ways use it one after another.
type recorder struct {
	samples *stats.Samples // of exchanges
	lasted  int64          // ns from where the first of them began to where the last ended, pauses included
	rate    *stats.Rate    // where this clock counts
	other   *stats.Rate    // of what was sent or received, where that is not what counts
}

// newRecorder returns what a loop of the scheme's kind records to.
func newRecorder(s *scheme) recorder {
	if s.exchange {
		return recorder{samples: stats.NewSamples(), rate: stats.NewRate()}
	}
	return recorder{rate: stats.NewRate(), other: stats.NewRate()}
}

func (r *recorder) reset() {
	r.rate.Start(0)
	r.lasted = 0
	if r.samples != nil {
		r.samples.Reset()
	}
	if r.other != nil {
		r.other.Start(0)
	}
}

// build makes the worker's queues and n QPs, the first of which has the index.
func (w *worker) build(n, index int) (err error) {
	r := w.rig
	if w.group.way.sleeps() {
		if w.channel, err = r.cfg.Context.CreateCompChannel(); err != nil {
			return err
		}
	}
	if w.sendCQ, err = r.cfg.Context.CreateCQ(r.sendEntries(n), w.channel, r.cfg.Vector); err != nil {
		return r.explainVector(err)
	}
	if w.recvCQ, err = r.cfg.Context.CreateCQ(r.recvEntries(n), w.channel, r.cfg.Vector); err != nil {
		return err
	}
	w.sendWCs, w.recvWCs = cut(&r.requests.wcsLeft, r.plan.CQEPoll), cut(&r.requests.wcsLeft, r.plan.CQEPoll)
	if err := w.createSRQ(n); err != nil {
		return err
	}
	if err := w.openDomain(); err != nil {
		return err
	}
	for i := range n {
		qp, err := w.createQP()
		if err != nil {
			return err
		}
		l := newLane(w, index+i, qp)
		w.lanes = append(w.lanes, l)
		if err := w.complete(l); err != nil {
			return err
		}
	}
	return nil
}

// sendEntries is the size of a send CQ of n QPs: a completion for each request, so that
// even their failure does not overflow it. Where the device has no such CQ, those
// of requests that ask for one: a message in each so many, the last one, a quarter
// of the credits.
func (r *rig) sendEntries(n int) int {
	all := r.queues.sends * n
	a, err := r.cfg.Context.QueryDevice()
	if err != nil || all <= a.MaxCQE {
		return all
	}
	asked := 0
	for _, s := range candidates(r.plan) {
		asked = max(asked, int(s.depth/s.every)+2)
	}
	return max(a.MaxCQE, (asked+4+2)*n)
}

// recvEntries is the size of a receive CQ of n QPs: a completion for each receive, as far
// as the device has such a CQ.
func (r *rig) recvEntries(n int) int {
	all := r.queues.recvs * n
	if a, err := r.cfg.Context.QueryDevice(); err == nil && a.MaxCQE > 0 {
		return min(all, a.MaxCQE)
	}
	return all
}

// explainVector says how many completion vectors there are to an error that may be of one.
func (r *rig) explainVector(err error) error {
	a, failed := r.cfg.Context.QueryDevice()
	if failed != nil || r.cfg.Vector < a.NumCompVectors {
		return err
	}
	return fmt.Errorf("%w; completion vectors are 0 to %d, see --vector", err, a.NumCompVectors-1)
}

// createQP makes a QP with the most inline data, up to what is wanted, that
// the device grants; devices do not tell their limit beforehand.
func (w *worker) createQP() (verbs.QP, error) {
	r := w.rig
	want, srq := inlines(r.plan), cmp.Or(w.srq, r.srq)
	if r.xrcd != nil {
		srq = nil // which its requests name
	}
	if r.inlineKnown {
		want = []int{r.inline}
	}
	for {
		r.inline = want[0]
		init := &verbs.QPInitAttr{
			SendCQ: w.sendCQ, RecvCQ: w.recvCQ, SRQ: srq, Type: transport(r.plan),
			Cap: verbs.QPCap{
				MaxSendWR: r.queues.sends, MaxRecvWR: r.queues.recvs,
				MaxSendSGE: 1, MaxRecvSGE: 1, MaxInlineData: r.inline,
			},
			NoScatterToCQE: w.group.way.receivesInMemory(r.plan, r.cfg.Role),
		}
		if r.anyOrder() {
			init.SendOps = sendOps(r.plan)
		}
		qp, err := w.domain.CreateQP(init)
		refused := errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOMEM)
		switch {
		case err == nil:
			r.inlineKnown, r.kept = true, max(r.kept, init.MaxScatterToCQE)
			return qp, w.checkLength(init)
		case errors.Is(err, verbs.ErrNotSupported):
			return nil, r.lacking(err)
		case !refused || len(want) == 1:
			return nil, fmt.Errorf("with %d bytes of inline data, %d sends and %d receives: %w", r.inline, r.queues.sends, r.queues.recvs, err)
		}
		want = want[1:]
	}
}

// close destroys what the worker has, users before what they use.
func (w *worker) close() {
	w.sleep.rest()
	for _, l := range w.lanes {
		l.close()
	}
	w.closeDomain()
	for _, c := range []interface{ Close() error }{w.srq, w.sendCQ, w.recvCQ, w.channel} {
		if c != nil {
			c.Close()
		}
	}
}

// lay prepares all lanes for messages of a scheme.
func (w *worker) lay(s *scheme) error {
	w.scheme = s
	for _, l := range w.lanes {
		if err := l.lay(s); err != nil {
			return err
		}
	}
	return nil
}

// reapSends takes completions of the send queues that are there, and returns how many.
func (w *worker) reapSends() (int, error) {
	n, err := w.sendCQ.Poll(w.sendWCs)
	return w.sendsDone(n, err)
}

// awaitSends is reapSends that spins a while for them.
func (w *worker) awaitSends() (int, error) {
	n, err := w.sendCQ.PollSpin(w.sendWCs, spins)
	return w.sendsDone(n, err)
}

func (w *worker) sendsDone(n int, err error) (int, error) {
	if n <= 0 || err != nil {
		return 0, err
	}
	for i := range w.sendWCs[:n] {
		c := &w.sendWCs[i]
		if c.Status != verbs.WCSuccess {
			return 0, w.failed(c)
		}
		l := w.lanes[c.WRID>>placeShift]
		if l.out.came == nil {
			l.completed(c.WRID)
		} else if err := l.completedAlone(c.WRID); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// reapRecvs takes completions of receives that are there, and returns how many.
func (w *worker) reapRecvs() (int, error) {
	n, err := w.recvCQ.Poll(w.recvWCs)
	if n <= 0 || err != nil {
		return 0, err
	}
	if w.scheme.placed {
		return n, w.landAll(w.recvWCs[:n])
	}
	var bad verbs.WCStatus
	for i := range w.recvWCs[:n] {
		bad |= w.recvWCs[i].Status
	}
	if bad != verbs.WCSuccess || len(w.lanes) > 1 {
		return n, w.sortRecvs(w.recvWCs[:n])
	}
	w.lanes[0].in.received(uint64(n))
	return n, nil
}

// sortRecvs notes completions of receives at the lanes that they are of.
func (w *worker) sortRecvs(wcs []verbs.WC) error {
	for i := range wcs {
		c := &wcs[i]
		if c.Status != verbs.WCSuccess {
			return w.failed(c)
		}
		w.lanes[c.WRID].in.received(1)
	}
	return nil
}

// failed makes an error of a completion.
func (w *worker) failed(c *verbs.WC) error {
	return &verbs.StatusError{
		Object: fmt.Sprintf("%s qp %#x", w.rig.cfg.Context.Device().Name(), c.QPNum),
		WRID:   c.WRID, Status: c.Status, Vendor: c.VendorErr,
	}
}

// sent returns how many messages were sent since the size began.
func (w *worker) sent() uint64 {
	var n uint64
	for _, l := range w.lanes {
		n += l.out.sent - l.out.skipped
	}
	return n
}

// end tells how many messages the worker has sent in the round.
func (w *worker) end() { w.over <- w.sent() - w.before }

// ended tells whether no message will come any more in a ping-pong.
func (w *worker) ended() bool { return w.halt.on() || w.turns.came >= w.target.Load() }

// expect sets how many messages the peer sends in the round.
func (w *worker) expect(n uint64) { w.target.Store(n) }

// expectAny begins a round of unknown length.
func (w *worker) expectAny() { w.target.Store(math.MaxUint64) }
