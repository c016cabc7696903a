package verbstest

import (
	"bytes"
	"errors"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var counterStatements = []statement{
	{"RMA-21", "a completion counter of the peer's WRITEs is N once the data of N WRITEs is there, and counts no READ", counterProvesArrival},
}

func counterProvesArrival(e *env) {
	e.needsWriteCounters()
	e.sub("RC", func(e *env) {
		a, b := e.side(conf()), e.side(conf())
		counter := b.writeCounter()
		fixture.Connect(a, b)
		countsWrites(a, counter, b.Mem, func(id uint64, n int) send {
			return send{ID: id, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, n)}}.Toward(b, 0)
		})
		a.Post(
			send{ID: 100, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 100)}}.Toward(b, 0),
			send{ID: 101, Op: opRead, Flags: signaled},
		)
		a.SendCQ.Expect(100, verbs.WCSuccess)
		a.SendCQ.Expect(101, verbs.WCSuccess)
		if n, err := counter.ReadSpin(countedWrites, 1000); n != countedWrites || err != nil {
			e.Errorf("the counter is %d after %d WRITEs and two READs, error %v", n, countedWrites, err)
		}
	})
	e.sub("SRD", func(e *env) {
		l := &srdPair{env: e, a: e.side(srdConf()), b: e.side(srdConf())}
		counter := l.b.writeCounter()
		fixture.Connect(l.a, l.b)
		l.ah = l.a.handle(l.b)
		l.needsOp(opWrite)
		countsWrites(l.a, counter, l.remote, func(id uint64, n int) send { return l.access(opWrite, id, n, 0) })
	})
}

// needsWriteCounters skips the statement on a device without counters of the peer's WRITEs.
func (e *env) needsWriteCounters() {
	e.Helper()
	creator, ok := e.open().(verbs.CompCounterCreator)
	if !ok {
		e.Skip("completion counters: the backend has none")
	}
	caps, err := creator.QueryCompCounterCaps()
	switch {
	case errors.Is(err, verbs.ErrNotSupported):
		e.Skip("completion counters: the library or the device has none")
	case err == nil && caps.Ops&verbs.CountRemoteWrites == 0:
		e.Skip("completion counters: the device counts no WRITEs of the peer")
	}
	e.ok(err)
}

// writeCounter attaches a counter of the peer's WRITEs to the side's QP, which is in RESET.
func (s *side) writeCounter() verbs.CompCounter {
	s.Helper()
	counter, err := s.Ctx.(verbs.CompCounterCreator).CreateCompCounter()
	s.ok(err)
	s.Cleanup(func() {
		s.close(s.QP) // which has the counter
		s.ok(counter.Close())
	})
	s.ok(s.QP.(verbs.CompCounterAttacher).AttachCompCounter(counter, verbs.CountRemoteWrites))
	return counter
}

const countedWrites = 20

// countsWrites posts WRITEs one by one to the beginning of the peer's memory. Each is there once the
// counter has counted it.
func countsWrites(a *side, counter verbs.CompCounter, there []byte, write func(id uint64, n int) send) {
	const size = 3000 // several packets at most MTUs
	for n := range uint64(countedWrites) {
		fixture.Fill(a.Mem[:size], int(n))
		a.Post(write(n, size))
		fixture.Eventually(a, "the counter counts a WRITE", func() bool {
			value, err := counter.ReadSpin(n, 1000)
			a.ok(err)
			return value == n+1
		})
		if !bytes.Equal(there[:size], a.Mem[:size]) {
			a.Fatalf("WRITE %d: the counter counted it before its data was there", n)
		}
		a.SendCQ.Expect(n, verbs.WCSuccess)
	}
}
