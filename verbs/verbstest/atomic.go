package verbstest

import (
	"encoding/binary"
	"errors"
	"sync"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var atomicStatements = []statement{
	{"RMA-5", "CMP_AND_SWP returns what was there and swaps if it is what was expected", compareAndSwap},
	{"RMA-6", "FETCH_AND_ADD returns what was there and adds modulo 2^64", fetchAndAdd},
	{"RMA-7", "both sides see words in the byte order of their CPU", wordOrder},
	{"RMA-8", "an atomic operation on a word that is not aligned fails and changes nothing", misaligned},
	{"RMA-9", "an atomic operation needs 8 bytes of local memory", atomicLength},
	{"RMA-10", "FETCH_AND_ADDs of several QPs at once lose nothing, in one process or in two", allConcurrentAdds},
}

// needsAtomics skips the statement on devices that lack atomic operations.
func (e *env) needsAtomics() {
	e.Helper()
	if e.device(e.open()).AtomicCap == verbs.AtomicNone {
		e.Skip("the device offers no atomic operations")
	}
}

func (e *env) atomicPair() (a, b *side) {
	e.Helper()
	e.needsAtomics()
	return e.pair(conf().Atomic())
}

func (s *side) word(off int) uint64       { return binary.NativeEndian.Uint64(s.Mem[off:]) }
func (s *side) setWord(off int, v uint64) { binary.NativeEndian.PutUint64(s.Mem[off:], v) }

// resultAt is the offset in the requester's buffer of the results of atomic operations.
const resultAt = 4096

// atomic executes an atomic operation and returns its result.
func (s *side) atomic(w send) uint64 {
	s.Helper()
	s.setWord(resultAt, ^uint64(0)/3)
	w.ID, w.Flags, w.SGEs = 1, signaled, []verbs.SGE{s.SGE(resultAt, 8)}
	s.Post(w)
	wc := s.SendCQ.Expect(1, verbs.WCSuccess)
	want := map[verbs.Opcode]verbs.WCOpcode{opSwap: verbs.WCCompSwap, opAdd: verbs.WCFetchAdd}[w.Op]
	if wc.Opcode != want || wc.ByteLen != 8 {
		s.Errorf("completion %s of %d bytes, want %s of 8", wc.Opcode, wc.ByteLen, want)
	}
	return s.word(resultAt)
}

func compareAndSwap(e *env) {
	a, b := e.atomicPair()
	for _, c := range []struct{ old, compare, swap, left uint64 }{
		{5, 5, 9, 9}, {5, 6, 9, 5}, {0, 0, ^uint64(0), ^uint64(0)}, {1 << 63, 1 << 31, 3, 1 << 63}, {7, 7, 7, 7},
	} {
		b.setWord(8, c.old)
		got := a.atomic(send{Op: opSwap, CompareAdd: c.compare, Swap: c.swap}.Toward(b, 8))
		if got != c.old || b.word(8) != c.left {
			e.Errorf("%d, if %d then %d: returned %d and left %d", c.old, c.compare, c.swap, got, b.word(8))
		}
	}
	if b.word(0) != 0 || b.word(16) != 0 {
		e.Error("words beside it changed")
	}
}

func fetchAndAdd(e *env) {
	a, b := e.atomicPair()
	for _, c := range []struct{ old, add uint64 }{{5, 2}, {^uint64(0), 3}, {1<<32 - 1, 1}, {9, 0}, {3, ^uint64(0)}} {
		b.setWord(8, c.old)
		if got := a.atomic(send{Op: opAdd, CompareAdd: c.add}.Toward(b, 8)); got != c.old || b.word(8) != c.old+c.add {
			e.Errorf("%d plus %d: returned %d and left %d", c.old, c.add, got, b.word(8))
		}
	}
	if b.word(0) != 0 || b.word(16) != 0 {
		e.Error("words beside it changed")
	}
}

func wordOrder(e *env) {
	a, b := e.atomicPair()
	const before, add = 0x01020304050607ff, 0x1100000000000001
	binary.NativeEndian.PutUint64(b.Mem[64:], before)
	a.atomic(send{Op: opAdd, CompareAdd: add}.Toward(b, 64))
	if string(a.Mem[resultAt:resultAt+8]) != string(binary.NativeEndian.AppendUint64(nil, before)) {
		e.Errorf("result % x of the word %#x", a.Mem[resultAt:resultAt+8], uint64(before))
	}
	if string(b.Mem[64:72]) != string(binary.NativeEndian.AppendUint64(nil, before+add)) {
		e.Errorf("the word is % x, want %#x", b.Mem[64:72], uint64(before+add))
	}
}

// fails posts the request, which must be refused or complete with an error. It
// returns whether it was refused, and recovers the pair if it was not.
func (s *side) fails(peer *side, what string, w send) (refused bool) {
	s.Helper()
	w.ID, w.Flags = 1, w.Flags|signaled
	if _, err := s.TryPost(w); err != nil {
		s.refused(what, err, syscall.EINVAL)
		return true
	}
	if wc := s.SendCQ.WaitFor(1); wc.Status == verbs.WCSuccess {
		s.Errorf("%s succeeded", what)
		return false
	}
	fixture.Recover(s, peer)
	return false
}

func misaligned(e *env) {
	a, b := e.atomicPair()
	fixture.Fill(b.Mem[:64], 1)
	before := string(b.Mem[:64])
	for off := 1; off < 8; off++ {
		for _, op := range []verbs.Opcode{opSwap, opAdd} {
			a.fails(b, op.String(), send{Op: op, CompareAdd: 1, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 16+off))
			e.holds(b.Mem[:64], before)
		}
	}
}

func atomicLength(e *env) {
	a, b := e.atomicPair()
	for _, op := range []verbs.Opcode{opSwap, opAdd} {
		for _, n := range []int{0, 4, 7} {
			a.fails(b, op.String()+" with too little", send{Op: op, CompareAdd: 1, SGEs: []verbs.SGE{a.SGE(0, n)}}.Toward(b, 0))
			if b.word(0) != 0 {
				e.Fatalf("%s with %d bytes of local memory changed the word", op, n)
			}
		}
	}
	_, err := a.TryPost(send{ID: 1, Op: opAdd, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 16)}}.Toward(b, 0))
	failed := err != nil || a.SendCQ.WaitFor(1).Status != verbs.WCSuccess
	checkValue(e, "Q28", "16 bytes failed", failed, true, false)
}

func allConcurrentAdds(e *env) {
	e.sub("threads", concurrentAdds)
	e.sub("processes", addsOfProcesses)
}

func concurrentAdds(e *env) {
	e.needsAtomics()
	const qps, lists, length = 3, 10, 10
	c := conf().Atomic()
	b := e.side(c)
	var posters [qps]*side
	for i := range posters {
		target := *b
		target.NewQP()
		posters[i] = e.side(c)
		fixture.Connect(posters[i], &target)
	}
	var errs [qps]error
	var threads sync.WaitGroup
	for i, a := range posters {
		threads.Go(func() { errs[i] = a.addLists(b, lists, length) })
	}
	threads.Wait()
	e.ok(errors.Join(errs[:]...))
	if got := b.word(0); got != qps*lists*length {
		e.Errorf("%d QPs added 1 %d times: the word is %d", qps, lists*length, got)
	}
}

func atomicWithCPU(e *env) {
	scope := e.device(e.open()).AtomicCap
	if scope != verbs.AtomicGlob {
		if scope > verbs.AtomicGlob {
			e.Errorf("atomic_cap %d", scope)
		}
		e.Skipf("the device's atomic operations have scope %s", scope)
	}
	const lists, length = 20, 10
	a, b := e.atomicPair()
	done := make(chan struct{})
	adds := uint64(0)
	var cpu sync.WaitGroup
	cpu.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				cpuAdd(b.Mem, 1)
				adds++
			}
		}
	})
	err := a.addLists(b, lists, length)
	close(done)
	cpu.Wait()
	e.ok(err)
	if got := b.word(0); got != lists*length+adds {
		e.Errorf("the CPU added 1 %d times and the QP %d times: the word is %d", adds, lists*length, got)
	}
}

// addLists adds 1 to the peer's first word, by lists of requests. It waits for the last request
// of each list.
func (s *side) addLists(peer *side, lists, length int) error {
	for range lists {
		list := make([]send, length)
		for i := range list {
			list[i] = send{Op: opAdd, CompareAdd: 1, SGEs: []verbs.SGE{s.SGE(8*i, 8)}}.Toward(peer, 0)
		}
		list[length-1].Flags = signaled
		if _, err := s.TryPost(list...); err != nil {
			return err
		}
		if err := s.SendCQ.Await(); err != nil {
			return err
		}
	}
	return nil
}
