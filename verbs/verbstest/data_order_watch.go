package verbstest

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// The promise of data order is checked while a message arrives: a second thread spins on its
// last word and then reads all other words.

func writesInOrder(e *env) { e.inOrder(opWrite) }

func sendsAndReadsInOrder(e *env) {
	e.sub("SEND", func(e *env) { e.inOrder(opSend) })
	e.sub("READ", func(e *env) { e.inOrder(opRead) })
}

// watched is a pair with messages of one operation, which arrive in memory that a reader polls.
type watched struct {
	a, b *side
	op   verbs.Opcode
	size int
}

// receiver returns the side in whose memory the operation stores, and whose promise counts.
func (w watched) receiver() *side {
	if w.op == opRead {
		return w.a
	}
	return w.b
}

func (e *env) inOrder(op verbs.Opcode) {
	a, b := e.pair(conf())
	w := watched{a, b, op, 0}
	if w.receiver().promise(op, 0) == 0 {
		e.Skipf("the device promises no order of whole messages for %s", op)
	}
	if runtime.GOMAXPROCS(0) < 2 {
		e.Skip("the reader needs a CPU of its own")
	}
	for _, size := range []int{16, 128, 4096, 60000} {
		w.size = size
		w.rounds(100)
	}
}

// rounds moves n messages while the reader polls.
func (w watched) rounds(n int) {
	seen, done := make(chan error), make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() { w.watch(seen, done) })
	defer reader.Wait() // it reads memory that is freed with the test
	defer close(done)
	for round := 1; round <= n; round++ {
		w.store(byte(round))
		w.a.ok(<-seen)
	}
}

// store moves one message. Each of its bytes is the round's number.
func (w watched) store(round byte) {
	from, to := w.a, w.b
	if w.op == opRead {
		from, to = w.b, w.a
	}
	copy(from.Mem[:w.size], bytes.Repeat([]byte{round}, w.size))
	if w.op == opSend {
		w.b.PostRecv(recv{ID: 2, SGEs: []verbs.SGE{to.SGE(0, w.size)}})
	}
	w.a.Post(send{ID: 1, Op: w.op, Flags: signaled, SGEs: []verbs.SGE{w.a.SGE(0, w.size)}}.Toward(w.b, 0))
	w.a.SendCQ.Expect(1, verbs.WCSuccess)
	if w.op == opSend {
		w.b.RecvCQ.Expect(2, verbs.WCSuccess)
	}
}

// watch reports for each round whether all bytes had arrived when the last word had.
func (w watched) watch(seen chan<- error, done <-chan struct{}) {
	for round := byte(1); ; round++ {
		err := w.look(round, done)
		select {
		case seen <- err:
		case <-done:
			return
		}
	}
}

// look waits for the round's message, unless the test is done, and checks it.
func (w watched) look(round byte, done <-chan struct{}) error {
	mem := w.receiver().Mem[:w.size]
	last, want := mem[w.size-8:], uint64(round)*0x0101010101010101
	for end := time.Now().Add(fixture.WaitTimeout); loadWord(last) != want; {
		select {
		case <-done:
			return nil
		default:
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s of %d bytes did not arrive", w.op, w.size)
		}
	}
	for i, b := range mem {
		if b != round {
			return fmt.Errorf("%s of %d bytes: the last word came before byte %d", w.op, w.size, i)
		}
	}
	return nil
}

func otherOperations(e *env) {
	if e.target.Device.Software() == "" {
		e.Skip("what hardware says of them is not to be relied on")
	}
	a, _ := e.pair(conf())
	for _, op := range []verbs.Opcode{opSendImm, opWriteImm, opSwap, opAdd, 200} {
		for _, flags := range []verbs.OrderFlags{0, verbs.OrderReturnCaps} {
			if caps := a.promise(op, flags); caps != 0 {
				e.Errorf("%s: %#x", op, caps)
			}
		}
	}
}
