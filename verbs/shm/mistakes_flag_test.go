package shm_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// flagAfter sends data by a request and then a flag, and its reader takes the flag for the arrival of the data. After a WRITE the
// flag is an atomic operation, which follows it by the InfiniBand specification (volume 1, 9.5).
func flagAfter(op verbs.Opcode) func(t *testing.T, device string) func(m uint64) bool {
	return func(t *testing.T, device string) func(m uint64) bool {
		f := newFlagWriter(t, device)
		data, flag := f.writes[0], f.writes[1]
		data.Op, data.Flags = op, 0
		if op == verbs.OpRDMAWrite {
			flag = send{Op: verbs.OpAtomicFetchAndAdd, Flags: verbs.SendSignaled, CompareAdd: 1, SGEs: []verbs.SGE{f.a.SGE(2*flagAt, 8)}}.Toward(f.b, flagAt)
		}
		read := f.reader(t)
		return func(m uint64) bool {
			f.fill(m)
			if op != verbs.OpRDMAWrite {
				f.b.PostRecv(recv{SGEs: []verbs.SGE{f.b.SGE(0, dataSize)}})
			}
			asked := read(m)
			f.a.Post(data, flag)
			right := asked()
			noError(t, spinFor(f.a.SendCQ.CQ))
			if op != verbs.OpRDMAWrite {
				noError(t, spinFor(f.b.RecvCQ.CQ))
			}
			return right
		}
	}
}

// reader starts a goroutine that reads messages. read begins to wait for the flag of a message, and asked returns whether the data
// had arrived.
func (f *flagWriter) reader(t *testing.T) (read func(m uint64) (asked func() (right bool))) {
	var next, answered atomic.Uint64
	var right, stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m := uint64(1); !stop.Load(); m++ {
			for next.Load() < m && !stop.Load() {
				runtime.Gosched()
			}
			right.Store(f.awaitFlag(m, &stop))
			answered.Store(m)
		}
	}()
	t.Cleanup(func() { stop.Store(true); <-done })
	return func(m uint64) func() bool {
		next.Store(m)
		return func() bool {
			fixture.Eventually(t, "the flag", func() bool { return answered.Load() == m })
			return right.Load()
		}
	}
}

// flagAfterWrite writes data and then a flag, by two requests of one list or on two QPs.
func flagAfterWrite(twoQPs bool) func(t *testing.T, device string) func(m uint64) bool {
	return func(t *testing.T, device string) func(m uint64) bool {
		f := newFlagWriter(t, device)
		second := f.a
		if twoQPs {
			a, b := *f.a, *f.b
			a.NewQP()
			b.NewQP()
			fixture.Connect(&a, &b)
			second = &a
			f.writes[0].Flags = verbs.SendSignaled
		}
		read := f.reader(t)
		return func(m uint64) bool {
			f.fill(m)
			asked := read(m)
			f.a.Post(f.writes[0])
			second.Post(f.writes[1])
			right := asked()
			noError(t, spinFor(f.a.SendCQ.CQ))
			if twoQPs {
				noError(t, spinFor(f.a.SendCQ.CQ))
			}
			return right
		}
	}
}
