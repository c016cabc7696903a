//go:build linux

package place

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// observer is a message buffer that one core writes and another one reads.
type observer struct {
	shape
	writer, reader []byte
	words          []atomic.Uint64
	acked          atomic.Int64
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

// send places messages in another goroutine, each when the one before is
// acknowledged, until the returned function is called.
func (o *observer) send(place func(dst, src []byte)) (stop func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for m := 1; o.await(func() bool { return o.acked.Load() == int64(m-1) }); m++ {
			place(o.writer, message(m, o.size))
		}
	}()
	return func() {
		o.stop.Store(true)
		<-done
	}
}

// watch reads messages until enough says so or time is up, and reports whether
// enough did. A message that does not arrive fails the test.
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
		o.acked.Store(int64(m))
		if enough(seen) {
			return true
		}
	}
	return false
}

// What the reader may see of a message.
const (
	inOrder = iota
	disordered
	unwatched
	lost
)

// read waits for one message, mark by mark, and checks what each mark implies.
func (o *observer) read(m int, spans []span) int {
	want := message(m, o.size)
	seen := inOrder
	for _, s := range spans {
		at := o.offset + s.mark
		word, shift := &o.words[at/8], at%8*8
		arrived := func() bool { return byte(word.Load()>>shift) == want[s.mark] }
		if !soon(arrived) {
			if !o.late(arrived) {
				return lost
			}
			if seen == inOrder {
				seen = unwatched
			}
		}
		if !bytes.Equal(o.reader[o.offset+s.from:o.offset+s.mark+1], want[s.from:s.mark+1]) {
			seen = disordered
		}
	}
	return seen
}

// await waits until arrived, soon or late.
func (o *observer) await(arrived func() bool) bool {
	return soon(arrived) || o.late(arrived)
}

// soon spins until arrived, for some 100 us.
func soon(arrived func() bool) bool {
	for range 1 << 15 {
		if arrived() {
			return true
		}
	}
	return false
}

// late yields until arrived, and gives up when the other side stopped or
// nothing happened for long.
func (o *observer) late(arrived func() bool) bool {
	for since := time.Now(); !arrived(); runtime.Gosched() {
		if o.stop.Load() || time.Since(since) > 20*time.Second {
			return false
		}
	}
	return true
}

// observed runs test for every shape at which order matters.
func observed(t *testing.T, test func(t *testing.T, o *observer)) {
	eachShape(t, func(t *testing.T, of shape) { test(t, newObserver(t, of)) })
}
