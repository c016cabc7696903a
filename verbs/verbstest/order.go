package verbstest

import (
	"bytes"
	"slices"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// Statements about the order that requests of one RC QP keep, whatever else a device reorders.
var ordStatements = []statement{
	{"ORD-1", "when the receive of a SEND or of a WRITE_WITH_IMM completes, the data of the WRITEs before it is there", receiveAfterWrites},
	{"ORD-2", "a READ brings, and an atomic operation returns, what the WRITEs before it have stored", readAfterWrites},
	{"ORD-3", "when a READ or an atomic operation completes, the data of the WRITEs before it is there", writtenBeforeRead},
	{"ORD-4", "of several WRITEs to the same bytes the last one stays", lastWriteStays},
	{"ORD-5", "the results of READs and atomic operations are in memory when they complete", resultsAreThere},
	{"ORD-6", "a fenced request sends the results of the atomic operations before it", fencedAfterAtomic},
	{"ORD-7", "the source of a request may be written when it, or a later one of its QP, has completed", sourceIsFree},
	{"ORD-8", "atomic operations on a word take effect in the order of posting", atomicsInOrder},
}

// orderRounds is the number of messages of a statement, since a device may break a rule only now and then.
const orderRounds = 100

// orderSizes are the sizes of the messages, in bytes.
var orderSizes = []int{8, 1000, 20000}

// Offsets in the buffers of both sides. Messages begin at 0.
const (
	orderWord   = 32 << 10 // of atomic operations
	orderResult = 40 << 10
)

// ordered runs a round for each size, with other data in each, on a pair that has atomic operations if the device has.
func (e *env) ordered(round func(a, b *side, i, size int)) {
	e.Helper()
	c := conf()
	if e.hasAtomics() {
		c = c.Atomic()
	}
	a, b := e.pair(c)
	for i := range orderRounds {
		size := orderSizes[i%len(orderSizes)]
		fixture.Fill(a.Mem[:size], i)
		round(a, b, i, size)
	}
}

// hasAtomics reports whether the device has atomic operations.
func (e *env) hasAtomics() bool {
	e.Helper()
	return e.device(e.open()).AtomicCap != verbs.AtomicNone
}

// writeOf returns a WRITE of a's data, the first request of a message. It is signaled, since a device may complete it before
// the peer has its data; RMA-4 has WRITEs that are not.
func writeOf(a, b *side, size int) send {
	return send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, size)}}.Toward(b, 0)
}

// writesOf fills n sources, one behind the other, with data that depends on i, and returns a WRITE of each to its place.
func writesOf(a, b *side, n, i, size int, place func(k int) int) (list []send) {
	for k := range n {
		fixture.Fill(a.Mem[k*size:(k+1)*size], i+k)
		list = append(list, send{ID: uint64(k), SGEs: []verbs.SGE{a.SGE(k*size, size)}}.Toward(b, place(k)))
	}
	return list
}

// arrived checks that b has the data of a's WRITE.
func arrived(a, b *side, i, size int, after string) {
	a.Helper()
	if !bytes.Equal(b.Mem[:size], a.Mem[:size]) {
		a.Fatalf("message %d, %d bytes: %s completed before the data of the WRITE before it was there", i, size, after)
	}
}

func receiveAfterWrites(e *env) {
	e.ordered(func(a, b *side, i, size int) {
		last := send{ID: 2, Op: opSend, Flags: signaled}
		if i%2 == 1 {
			last = send{ID: 2, Op: opWriteImm, Imm: imm, Flags: signaled}.Toward(b, orderWord)
		}
		b.PostRecv(recv{ID: 1})
		a.Post(writeOf(a, b, size), last)
		b.RecvCQ.Expect(1, verbs.WCSuccess)
		arrived(a, b, i, size, "the receive")
		a.SendCQ.ExpectInOrder(1, 2)
	})
}

func readAfterWrites(e *env) {
	atomics := e.hasAtomics()
	e.ordered(func(a, b *side, i, size int) {
		a.setWord(orderWord, uint64(i))
		list := []send{writeOf(a, b, size), send{ID: 2, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(orderResult, size)}}.Toward(b, 0)}
		if atomics {
			list = append(list,
				send{ID: 3, Flags: signaled, SGEs: []verbs.SGE{a.SGE(orderWord, 8)}}.Toward(b, orderWord),
				send{ID: 4, Op: opAdd, CompareAdd: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(orderWord+8, 8)}}.Toward(b, orderWord))
		}
		a.Post(list...)
		a.SendCQ.ExpectInOrder(1, len(list))
		if !bytes.Equal(a.Mem[orderResult:orderResult+size], a.Mem[:size]) {
			e.Fatalf("message %d, %d bytes: the READ brought other bytes than the WRITE before it has stored", i, size)
		}
		if got := a.word(orderWord + 8); atomics && got != uint64(i) {
			e.Fatalf("message %d: the atomic operation returned %d, and the WRITE before it has stored %d", i, got, i)
		}
	})
}

func writtenBeforeRead(e *env) {
	atomics := e.hasAtomics()
	e.ordered(func(a, b *side, i, size int) {
		last := send{ID: 2, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(orderResult, 8)}}.Toward(b, orderWord)
		if atomics && i%2 == 1 {
			last.Op, last.CompareAdd = opAdd, 1
		}
		a.Post(writeOf(a, b, size), last)
		a.SendCQ.ExpectInOrder(1, 2)
		arrived(a, b, i, size, last.Op.String())
	})
}

func lastWriteStays(e *env) {
	const writes = 8
	e.ordered(func(a, b *side, i, size int) {
		size = min(size, 1000)
		list := writesOf(a, b, writes, i, size, func(int) int { return orderWord })
		for k := range list {
			list[k].Flags = signaled
		}
		b.PostRecv(recv{ID: 1})
		a.Post(append(list, send{ID: writes, Op: opSend, Flags: signaled})...)
		b.RecvCQ.Expect(1, verbs.WCSuccess)
		if !bytes.Equal(b.Mem[orderWord:orderWord+size], a.Mem[(writes-1)*size:writes*size]) {
			e.Fatalf("message %d, %d bytes: the last of %d WRITEs did not stay", i, size, writes)
		}
		a.SendCQ.ExpectInOrder(0, writes)
	})
}

func resultsAreThere(e *env) {
	atomics := e.hasAtomics()
	e.ordered(func(a, b *side, i, size int) {
		fixture.Fill(b.Mem[:size], i)
		clear(a.Mem[orderResult : orderResult+size])
		a.Post(send{ID: 1, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(orderResult, size)}}.Toward(b, 0))
		a.SendCQ.Expect(1, verbs.WCSuccess)
		if !bytes.Equal(a.Mem[orderResult:orderResult+size], b.Mem[:size]) {
			e.Fatalf("message %d, %d bytes: the READ completed before its data was there", i, size)
		}
		if atomics {
			b.setWord(orderWord, uint64(1000+i))
			if got := a.atomic(send{Op: opAdd, CompareAdd: 1}.Toward(b, orderWord)); got != uint64(1000+i) {
				e.Fatalf("message %d: the atomic operation completed with the result %d, want %d", i, got, 1000+i)
			}
		}
	})
}

func fencedAfterAtomic(e *env) {
	e.needsAtomics()
	e.ordered(func(a, b *side, i, _ int) {
		b.setWord(orderWord, uint64(i))
		a.Post(
			send{Op: opAdd, CompareAdd: 1, SGEs: []verbs.SGE{a.SGE(orderResult, 8)}}.Toward(b, orderWord),
			send{ID: 1, Flags: verbs.SendFence | signaled, SGEs: []verbs.SGE{a.SGE(orderResult, 8)}}.Toward(b, orderWord+8),
			send{ID: 2, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(orderResult+8, 8)}}.Toward(b, orderWord+8),
		)
		a.SendCQ.Expect(1, verbs.WCSuccess)
		a.SendCQ.Expect(2, verbs.WCSuccess)
		if got := b.word(orderWord + 8); got != uint64(i) {
			e.Fatalf("message %d: the fenced WRITE sent %d, want the result %d", i, got, i)
		}
	})
}

func sourceIsFree(e *env) {
	const writes = 4
	e.ordered(func(a, b *side, i, size int) {
		size = min(size, 1000)
		list := writesOf(a, b, writes, i, size, func(k int) int { return k * size })
		list[writes-1].Flags = signaled
		sent := slices.Clone(a.Mem[:writes*size])
		a.Post(list...)
		a.SendCQ.Expect(writes-1, verbs.WCSuccess)
		clear(a.Mem[:writes*size])
		b.PostRecv(recv{ID: 1})
		a.Post(send{ID: writes, Op: opSend, Flags: signaled})
		b.RecvCQ.Expect(1, verbs.WCSuccess)
		if !bytes.Equal(b.Mem[:writes*size], sent) {
			e.Fatalf("message %d, %d bytes: a WRITE sent what its source had after the completion", i, size)
		}
		a.SendCQ.Expect(writes, verbs.WCSuccess)
	})
}

func atomicsInOrder(e *env) {
	e.needsAtomics()
	const adds = 8
	e.ordered(func(a, b *side, i, _ int) {
		b.setWord(orderWord, 0)
		var list []send
		for k := range adds {
			add := send{ID: uint64(k), Op: opAdd, CompareAdd: 1, SGEs: []verbs.SGE{a.SGE(orderResult+8*k, 8)}}
			if k == adds-1 {
				add.Flags = signaled
			}
			list = append(list, add.Toward(b, orderWord))
		}
		a.Post(list...)
		a.SendCQ.Expect(adds-1, verbs.WCSuccess)
		for k := range adds {
			if got := a.word(orderResult + 8*k); got != uint64(k) {
				e.Fatalf("message %d: addition %d found %d", i, k, got)
			}
		}
	})
}
