package harness

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// measure makes one row: prepare, meet, run the loop, let both sides come to
// rest, exchange results.
func (s *session) measure(size int, mode Mode) error {
	m := newMeasurement(s, size, mode)
	defer m.rest() // also after a failure: a CQ with unacknowledged events cannot be destroyed
	if err := m.prepare(s.cfg.Role); err != nil {
		return err
	}
	if err := barrier(s.cfg.Exchanger, m.step("ready")); err != nil {
		return err
	}
	err := s.timed(m)
	m.result.Drift = m.clock.Drift()
	m.collect()
	if err != nil {
		s.salvage(m)
		return err
	}
	if err := s.settle(m); err != nil {
		return err
	}
	theirs, err := swap(s.cfg.Exchanger, m.step("result"), m.result)
	if err != nil {
		return err
	}
	row := m.row(theirs, s.gate.forced)
	if row.Latency == nil && row.Bandwidth == nil || m.plan.Verify && theirs.Verify == nil {
		return fmt.Errorf("mode %s, %d bytes: the peer's result lacks what it measured", m.mode, m.size)
	}
	s.addRow(row)
	return nil
}

// salvage keeps what was measured when a run is broken off.
func (s *session) salvage(m *measurement) {
	if s.halt.reason() == nil {
		return
	}
	r := m.row(sideResult{}, s.gate.forced)
	if r.Latency == nil && (r.Bandwidth == nil || r.Bandwidth.Messages == 0) {
		return
	}
	r.Warnings = append(r.Warnings, result.Warning{ID: "broken-off", Text: "the measurement was broken off; the peer's figures are missing"})
	s.addRow(r)
}

// prepare lays out the lanes and posts receives where this side receives.
func (m *measurement) prepare(role Role) error {
	m.halt.begin()
	if m.samples != nil {
		m.samples.Reset()
	}
	m.rate.Start(0)
	for _, l := range m.rig.lanes {
		if err := l.lay(m); err != nil {
			return err
		}
		if !m.receives(role) {
			continue
		}
		if err := l.postRecvs(uint64(l.ring)); err != nil {
			return err
		}
	}
	return nil
}

// receives tells whether this side takes messages with receives.
func (m *measurement) receives(role Role) bool {
	return takesReceives(m.opcode) && (role == Server || m.plan.Kind == result.KindLatency)
}

// timed runs the loop in a thread of its own without garbage collection. The
// leading side tells the other, when it is done, how many messages there were;
// the other side's loop learns it from the halt's target.
func (s *session) timed(m *measurement) error {
	release := quiet()
	defer release()
	if s.cfg.Role == Client {
		err := m.lead()
		if err != nil {
			return s.fail(m.outcome(err))
		}
		_, err = swap(s.cfg.Exchanger, m.step("finish"), m.sent())
		return err
	}
	told := make(chan error, 1)
	go func() { told <- s.await(m) }()
	err := s.fail(m.outcome(m.follow()))
	select {
	case terr := <-told:
		if err == nil {
			err = terr
		}
		return err
	case <-s.halt.told:
		return s.halt.reason()
	}
}

// fail makes an error of this side's loop the reason of the halt, unless there is
// one: what follows from it, here and at the peer, must not hide it.
func (s *session) fail(err error) error {
	if err != nil {
		s.halt.set(s.cause(err))
	}
	return err
}

// peerVerdict is how long the control channel may take to notice that the peer
// is gone: longer than it waits for a heartbeat.
const peerVerdict = 4500 * time.Millisecond

// deviceVerdict is how long the device may take to tell of its trouble after
// work has failed by it.
const deviceVerdict = 100 * time.Millisecond

// cause returns why work failed, if the device or the control channel tells so
// soon after: it may be what the loss of the port or of the peer looks like.
func (s *session) cause(err error) error {
	var verb *verbs.OpError
	var status *verbs.StatusError
	wait := deviceVerdict
	switch {
	case errors.As(err, &verb) && (verb.Errno == syscall.EIO || verb.Errno == syscall.ENODEV):
		err = &DeviceError{err}
	case !errors.As(err, &status):
		return err
	case slices.Contains(lossStatuses, status.Status):
		wait = peerVerdict
	}
	select {
	case <-s.cfg.Exchanger.Lost():
		return s.cfg.Exchanger.Err()
	case <-s.halt.told:
		return s.halt.reason()
	case <-time.After(wait):
		return err
	}
}

// lossStatuses are what completions say when the peer is gone.
var lossStatuses = []verbs.WCStatus{verbs.WCWRFlushErr, verbs.WCRetryExcErr, verbs.WCRNRRetryExcErr, verbs.WCRemOpErr}

// await learns the number of messages. From then on the last ones have a deadline.
func (s *session) await(m *measurement) error {
	n, err := swap(s.cfg.Exchanger, m.step("finish"), uint64(0))
	if err != nil {
		return err
	}
	m.deadline = time.AfterFunc(lastMessages, func() {
		s.halt.set(fmt.Errorf("mode %s, %d bytes: the peer sent %d messages, and some of them did not arrive within %v", m.mode, m.size, n, lastMessages))
	})
	m.halt.target.Store(n)
	return nil
}

func (m *measurement) lead() error {
	if m.plan.Kind == result.KindLatency {
		return m.measureLatency(Client)
	}
	return newPump(m).run()
}

func (m *measurement) follow() error {
	if m.plan.Kind == result.KindLatency {
		return m.measureLatency(Server)
	}
	if m.passive() {
		return nil
	}
	r := newReceiver(m)
	defer r.finish()
	return r.run()
}

// outcome tells the regular end of a loop from a broken one.
func (m *measurement) outcome(err error) error {
	if errors.Is(err, errOver) {
		return m.halt.reason()
	}
	return err
}

// sent returns how many messages this side has sent in the measurement.
func (m *measurement) sent() uint64 {
	var n uint64
	for _, l := range m.rig.lanes {
		n += l.sent
	}
	return n
}

// loops counts the timed loops that run in this process.
var loops struct {
	sync.Mutex
	n, percent int
}

// spareThreads is how many threads the runtime may use beside those that spin,
// so that the control channel and the embedded device never wait for a spin.
const spareThreads = 2

// quiet keeps the thread for this goroutine and the garbage collector off, for
// as long as any loop of the process runs.
func quiet() (release func()) {
	runtime.LockOSThread()
	loops.Lock()
	if loops.n++; loops.n == 1 {
		runtime.GC() // not while another loop is measured
		loops.percent = debug.SetGCPercent(-1)
	}
	if want := loops.n + spareThreads; runtime.GOMAXPROCS(0) < want {
		runtime.GOMAXPROCS(want)
	}
	loops.Unlock()
	return func() {
		loops.Lock()
		if loops.n--; loops.n == 0 {
			debug.SetGCPercent(loops.percent)
		}
		loops.Unlock()
		runtime.UnlockOSThread()
	}
}
