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

// budget is how long one case may take. On a machine that is busy with other
// work each message may cost a change of threads, and then fewer must do.
const budget = time.Second

// count sends messages until enough of them were seen out of order, or time is
// up and some were or need not be (enough is 1), and returns how many were sent
// and how many seen out of order.
func (o *observer) count(t *testing.T, messages, enough int, spans []span, place func(dst, src []byte)) (sent, wrong int) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for m := 1; m <= messages && o.await(func() bool { return o.acked.Load() == int64(m-1) }); m++ {
			place(o.writer, message(m, o.size))
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := time.Now()
	for sent < messages && wrong < enough {
		if sent%64 == 63 && (wrong > 0 || enough == 1) && time.Since(start) > budget {
			break
		}
		seen, ok := o.read(sent+1, spans)
		if !ok {
			t.Errorf("message %d did not arrive", sent+1)
			break
		}
		sent++
		if !seen {
			wrong++
		}
		o.acked.Store(int64(sent))
	}
	o.stop.Store(true)
	<-done
	return sent, wrong
}

// read waits for one message, mark by mark, and reports whether every mark
// told the truth.
func (o *observer) read(m int, spans []span) (inOrder, ok bool) {
	want := message(m, o.size)
	inOrder = true
	for _, s := range spans {
		at := o.offset + s.mark
		word, shift := &o.words[at/8], at%8*8
		if !o.await(func() bool { return byte(word.Load()>>shift) == want[s.mark] }) {
			return false, false
		}
		if !bytes.Equal(o.reader[o.offset+s.from:o.offset+s.mark+1], want[s.from:s.mark+1]) {
			inOrder = false
		}
	}
	return inOrder, true
}

// await spins until arrived, and gives up when the other side stopped or
// nothing happened for long.
func (o *observer) await(arrived func() bool) bool {
	var since time.Time
	for spins := 1; !arrived(); spins++ {
		if spins%(1<<20) != 0 {
			continue
		}
		if since.IsZero() {
			since = time.Now()
		}
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
