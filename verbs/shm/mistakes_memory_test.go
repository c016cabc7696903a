package shm_test

import (
	"runtime"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// placed says how messages are placed whose last word a reader spins on.
type placed struct {
	op                     verbs.Opcode
	at, size, unit, pieces int
	relaxed                bool
	flags                  verbs.SendFlags
}

func lastWord(p placed) func(t *testing.T, device string) func(m uint64) bool {
	return func(t *testing.T, device string) func(m uint64) bool {
		if runtime.NumCPU() < 2 || runtime.GOMAXPROCS(0) < 2 {
			t.Skip("needs two CPUs: one thread stores while another one polls")
		}
		c := conf()
		c.device, c.Cap.MaxInlineData = device, 64
		a, b := pair(t, c)
		if p.relaxed {
			a.relaxed(t)
			b.relaxed(t)
		}
		from, to, post := orderedTransfer(t, a, b, p.op, p.size, max(p.pieces, 1), p.at, p.flags)
		w := newWatcher(to, p.unit)
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.run()
		}()
		t.Cleanup(func() {
			w.stop.Store(true)
			<-done
		})
		return func(m uint64) bool {
			for i := range atomicWords(from) {
				atomicWords(from)[i].Store(m)
			}
			noError(t, post())
			fixture.Eventually(t, "the message", func() bool { return w.seen.Load() == m })
			return w.disordered.Load() != m
		}
	}
}

// useOfResult fetches a word from the peer and sends it back, by the next request and with the flags.
func useOfResult(fetch, use verbs.Opcode, flags verbs.SendFlags) func(t *testing.T, device string) func(m uint64) bool {
	return func(t *testing.T, device string) func(m uint64) bool {
		c := conf()
		c.device = device
		a, b := pair(t, c)
		word, back := &atomicWords(b.Mem)[0], &atomicWords(b.Mem)[flagAt/8]
		list := []send{
			send{Op: fetch, CompareAdd: 1, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0),
			send{Op: use, Flags: flags | verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, flagAt),
		}
		return func(m uint64) bool {
			word.Store(m)
			if use == verbs.OpSend {
				b.PostRecv(recv{SGEs: []verbs.SGE{b.SGE(flagAt, 8)}})
			}
			a.Post(list...)
			noError(t, spinFor(a.SendCQ.CQ))
			if use == verbs.OpSend {
				noError(t, spinFor(b.RecvCQ.CQ))
			}
			return back.Load() == m
		}
	}
}

// lookAfterCompletion looks at the peer's memory after the completion of a WRITE, as if the requester had sent the peer a message about
// it by other means. With reuse it also writes to the source before the completion.
func lookAfterCompletion(reuse bool) func(t *testing.T, device string) func(m uint64) bool {
	return func(t *testing.T, device string) func(m uint64) bool {
		c := conf()
		c.device = device
		a, b := pair(t, c)
		source, dest := &atomicWords(a.Mem)[0], &atomicWords(b.Mem)[0]
		write := send{Op: verbs.OpRDMAWrite, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
		return func(m uint64) bool {
			source.Store(m)
			a.Post(write)
			if reuse {
				source.Store(0)
			}
			noError(t, spinFor(a.SendCQ.CQ))
			return dest.Load() == m
		}
	}
}
