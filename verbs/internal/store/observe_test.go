//go:build linux

package store

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// observer is a message buffer that one core writes and another reads.
type observer struct {
	shape
	writer, reader []byte
	words          []atomic.Uint64
	acknowledged   atomic.Int64
	stop           atomic.Bool
}

func newObserver(t *testing.T, of shape) *observer {
	t.Helper()
	if runtime.NumCPU() < 2 || runtime.GOMAXPROCS(0) < 2 {
		t.Skip("needs two CPUs: what one core stores, another one must watch")
	}
	w, r := mapTwice(t, 1<<17)
	o := &observer{shape: of, writer: w[of.offset:][:of.size], reader: r, words: words(r)}
	copy(o.writer, message(0, of.size))
	return o
}

// send stores messages in another goroutine, each after the previous one was acknowledged, until
// the returned function is called.
func (o *observer) send(store func(dst, src []byte)) (stop func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for m := 1; o.arrives(func() bool { return o.acknowledged.Load() == int64(m-1) }); m++ {
			store(o.writer, message(m, o.size))
		}
	}()
	return func() {
		o.stop.Store(true)
		<-done
	}
}

// watch reads messages until enough returns true or the time is up, and reports whether enough did.
// A message that does not arrive fails the test.
func (o *observer) watch(t *testing.T, limit time.Duration, spans []span, enough func(seen int) bool) bool {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	end := time.Now().Add(limit)
	for m := 1; m%8 != 0 || time.Now().Before(end); m++ {
		seen := o.read(m, spans)
		if seen == lost {
			t.Fatalf("message %d did not arrive", m)
		}
		o.acknowledged.Store(int64(m))
		if enough(seen) {
			return true
		}
	}
	return false
}

// What the reader observes of a message.
const (
	inOrder = iota
	disordered
	interrupted
	lost
)

// read waits for the marks of one message in turn, and checks the bytes that each mark implies.
func (o *observer) read(m int, spans []span) int {
	want := message(m, o.size)
	seen := inOrder
	for _, s := range spans {
		at := o.offset + s.mark
		word, shift := &o.words[at/8], at%8*8
		arrived := func() bool { return byte(word.Load()>>shift) == want[s.mark] }
		if !arrivesSoon(arrived) {
			if !o.arrivesLate(arrived) {
				return lost
			}
			if seen == inOrder {
				seen = interrupted
			}
		}
		if !bytes.Equal(o.reader[o.offset+s.from:o.offset+s.mark+1], want[s.from:s.mark+1]) {
			seen = disordered
		}
	}
	return seen
}

// arrives waits for arrived, and reports whether it became true.
func (o *observer) arrives(arrived func() bool) bool {
	return arrivesSoon(arrived) || o.arrivesLate(arrived)
}

// arrivesSoon spins for some 100 us, and reports whether arrived became true.
func arrivesSoon(arrived func() bool) bool {
	for range 1 << 15 {
		if arrived() {
			return true
		}
	}
	return false
}

// arrivesLate yields until arrived becomes true, and reports whether it did before the other side
// stopped or 20 s passed.
func (o *observer) arrivesLate(arrived func() bool) bool {
	for since := time.Now(); !arrived(); runtime.Gosched() {
		if o.stop.Load() || time.Since(since) > 20*time.Second {
			return false
		}
	}
	return true
}

// observed runs a test for every shape at which order matters.
func observed(t *testing.T, test func(t *testing.T, o *observer)) {
	eachShape(t, func(t *testing.T, of shape) { test(t, newObserver(t, of)) })
}
