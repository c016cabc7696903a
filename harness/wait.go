package harness

import (
	"fmt"
	"time"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
	"golang.org/x/sys/unix"
)

// waiter waits for completions of one CQ, by spinning or by sleeping.
type waiter struct {
	m       *measurement
	cq      verbs.CQ
	wc      []verbs.WC
	looks   int // fruitless ones
	armed   bool
	sleeps  uint64
	unacked int
}

const (
	spins      = 512                   // polls of an empty CQ between two looks at the halt word
	eventSlice = 50 * time.Millisecond // of sleep between two looks at it
	ackBatch   = 64                    // events acknowledged at a time
)

// poll returns completions that are there.
func (w *waiter) poll() ([]verbs.WC, error) {
	n, err := w.cq.Poll(w.wc)
	if err != nil || n == 0 {
		return nil, err
	}
	return w.wc[:n], w.failed(w.wc[:n])
}

// spin busy-polls until there are completions. It returns none after a while,
// so that its caller looks at the halt word.
func (w *waiter) spin() ([]verbs.WC, error) {
	n, err := w.cq.PollSpin(w.wc, spins)
	if err != nil || n == 0 {
		yield(&w.looks, spins)
		return nil, err
	}
	return w.wc[:n], w.failed(w.wc[:n])
}

// sleep returns completions, sleeping for an event while there are none. The CQ
// is armed before it is polled a last time, or a completion between the two
// would wake nobody. It returns none after eventSlice.
func (w *waiter) sleep() ([]verbs.WC, error) {
	for {
		if wc, err := w.poll(); err != nil || wc != nil {
			return wc, err
		}
		if !w.armed {
			if err := w.cq.ReqNotify(false); err != nil {
				return nil, err
			}
			w.armed = true
			continue
		}
		cq, err := w.m.rig.channel.GetEvent(eventSlice)
		if err == verbs.ErrTimeout {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if cq != w.cq {
			cq.AckEvents(1) // a late event of the other queue
			continue
		}
		w.armed = false
		w.sleeps++
		w.ack()
	}
}

// ack acknowledges events in batches, as it takes a lock each time.
func (w *waiter) ack() {
	if w.unacked++; w.unacked == ackBatch {
		w.cq.AckEvents(w.unacked)
		w.unacked = 0
	}
}

// rest ends the measurement's use of events.
func (m *measurement) rest() {
	m.send.rest()
	m.recv.rest()
}

// rest acknowledges what is left and takes a late event out of the channel.
func (w *waiter) rest() {
	w.cq.AckEvents(w.unacked)
	w.unacked = 0
	if !w.armed {
		return
	}
	if cq, err := w.m.rig.channel.GetEvent(0); err == nil {
		cq.AckEvents(1)
	}
}

// failed returns the first completion with an error, as one.
func (w *waiter) failed(wc []verbs.WC) error {
	for i := range wc {
		if c := &wc[i]; c.Status != verbs.WCSuccess {
			return &verbs.StatusError{
				Object: fmt.Sprintf("%s qp %#x", w.m.rig.cfg.Context.Device().Name(), c.QPNum),
				WRID:   c.WRID, Status: c.Status, Vendor: c.VendorErr,
			}
		}
	}
	return nil
}

// method returns the way the mode waits for completions.
func (w *waiter) method(mode Mode) func() ([]verbs.WC, error) {
	if mode == ModeEvent {
		return w.sleep
	}
	return w.spin
}

// cpuMeter measures the CPU time of the loop's thread, without the warm-up and
// without the wait for the peer's word that it is done.
type cpuMeter struct {
	start, used int64
	preempted   int64 // involuntary context switches; while it runs, their number at the start
	running     bool
}

// begin starts the measured part of the loop.
func (m *measurement) begin() {
	m.send.sleeps, m.recv.sleeps = 0, 0
	m.cpu.preempted = preemptions()
	m.cpu.start, m.cpu.running = clock.ThreadCPU(), true
}

// end ends it, at the first call.
func (m *measurement) end() {
	if m.cpu.running {
		m.cpu.used, m.cpu.running = clock.ThreadCPU()-m.cpu.start, false
		m.cpu.preempted = preemptions() - m.cpu.preempted
	}
}

// preemptions returns how often the calling thread has lost its CPU to others.
func preemptions() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return 0 // every Linux since 2.6.26 counts them
	}
	return u.Nivcsw
}

// cost is what the measured messages cost this side.
func (m *measurement) cost(messages uint64) result.Cost {
	c := result.Cost{Sleeps: m.send.sleeps + m.recv.sleeps, Preempted: uint64(m.cpu.preempted)}
	if messages > 0 {
		c.CPUNs = float64(m.cpu.used) / float64(messages)
	}
	return c
}
