//go:build linux

package place

import (
	"bytes"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// period is the period of the test pattern: byte i of message m is
// (i+m)%period, so that every byte changes from each message to the next.
const period = 251

var pattern = func() []byte {
	p := make([]byte, 1<<16+period)
	for i := range p {
		p[i] = byte(i % period)
	}
	return p
}()

func message(m, size int) []byte {
	return pattern[m%period:][:size]
}

// A span is what a reader infers from one byte: when mark has arrived, so has
// everything from from on.
type span struct{ from, mark int }

// observer is a message buffer that one core writes and another one reads.
type observer struct {
	writer, reader []byte
	words          []atomic.Uint64
	size, offset   int
	acked          atomic.Int64
	stop           atomic.Bool
}

func newObserver(t *testing.T, size, offset int) *observer {
	t.Helper()
	if runtime.NumCPU() < 2 || runtime.GOMAXPROCS(0) < 2 {
		t.Skip("needs two CPUs: what one core stores, another one must watch")
	}
	w, r := mapTwice(t, 1<<17)
	o := &observer{writer: w[offset:][:size], reader: r, words: words(r), size: size, offset: offset}
	copy(o.writer, message(0, size))
	return o
}

// whole is the inference of a reader that spins on the last byte.
func (o *observer) whole() []span {
	return []span{{0, o.size - 1}}
}

// blocks is the inference of a reader that spins on the last byte of every
// aligned block.
func (o *observer) blocks() (spans []span) {
	for from := 0; from < o.size; {
		end := min((o.offset+from)/block*block+block-o.offset, o.size)
		spans = append(spans, span{from, end - 1})
		from = end
	}
	return spans
}

// budget is how long one case takes at most, or ten times that if it needs a
// message out of order and has none. A machine busy with other work may give the
// two sides one CPU by turns; then every message costs a change of threads, and
// is complete when the reader looks. Only those that the reader watched arrive
// are counted.
const budget = time.Second / 2

// count sends messages until so many were watched, enough of them were seen out
// of order, or time is up. It returns how many were watched and how many seen
// out of order.
func (o *observer) count(t *testing.T, messages, enough int, spans []span, place func(dst, src []byte)) (watched, wrong int) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for m := 1; o.await(func() bool { return o.acked.Load() == int64(m-1) }); m++ {
			place(o.writer, message(m, o.size))
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	limit := budget
	if enough > 1 {
		limit *= 10
	}
	start := time.Now()
	for m := 1; watched < messages && wrong < enough; m++ {
		if m%8 == 0 && (time.Since(start) > limit || wrong > 0 && time.Since(start) > budget) {
			break
		}
		seen := o.read(m, spans)
		if seen == lost {
			t.Errorf("message %d did not arrive", m)
			break
		}
		if seen != unwatched {
			watched++
		}
		if seen == disordered {
			wrong++
		}
		o.acked.Store(int64(m))
	}
	o.stop.Store(true)
	<-done
	return watched, wrong
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

// observed runs test for every size and offset at which order matters.
func observed(t *testing.T, test func(t *testing.T, o *observer)) {
	for _, size := range []int{129, 256, 257, 4096, 65536} {
		for _, offset := range []int{0, 1, 127} {
			t.Run(fmt.Sprintf("%d+%d", size, offset), func(t *testing.T) {
				test(t, newObserver(t, size, offset))
			})
		}
	}
}
