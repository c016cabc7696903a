package shm_test

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// What a device says of order is tested by looking: a thread spins on memory
// into which messages come, and takes the last word of each unit as a sign that
// the rest of the unit is there, as --completion data does.

const (
	shortMessage = 1 << 15
	longMessage  = 1 << 18 // takes long enough to be seen half done where CPUs are shared
)

// watcher looks at memory that a device fills with one value a message.
type watcher struct {
	words []atomic.Uint64
	units [][2]int // first word and last word

	seen, misled atomic.Uint64 // messages
	stop         atomic.Bool
}

func newWatcher(mem []byte, unit int) *watcher {
	w := &watcher{words: atomicWords(mem)}
	unit /= 8
	for from := 0; from < len(w.words); from += unit {
		w.units = append(w.units, [2]int{from, from + unit - 1})
	}
	return w
}

// see waits until message m has come, unit by unit, and returns in how many the
// last word was there before another one. ok is false if it was stopped.
func (w *watcher) see(m uint64) (early int, ok bool) {
	for _, u := range w.units {
		for w.words[u[1]].Load() != m {
			if w.stop.Load() {
				return 0, false
			}
		}
		for i := u[0]; i < u[1]; i++ {
			if w.words[i].Load() != m {
				early++
				break
			}
		}
	}
	return early, true
}

// look watches messages until it is stopped.
func (w *watcher) look() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for m := uint64(1); ; m++ {
		early, ok := w.see(m)
		if !ok {
			return
		}
		if early > 0 {
			w.misled.Store(m)
		}
		w.seen.Store(m)
	}
}

// watch posts messages for some time, and returns how many and the first that
// misled the watcher, 0 if none did. Each comes while the watcher is spinning already.
func (w *watcher) watch(t *testing.T, limit time.Duration, source []byte, post func() error) (sent, misled uint64) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.look()
	}()
	defer func() {
		w.stop.Store(true)
		<-done
	}()
	for end := time.Now().Add(limit); w.misled.Load() == 0 && time.Now().Before(end); {
		sent++
		for i := 0; i < len(source); i += 8 {
			binary.NativeEndian.PutUint64(source[i:], sent)
		}
		noError(t, post())
		eventually(t, fmt.Sprintf("message %d seen", sent), func() bool { return w.seen.Load() == sent })
	}
	return sent, w.misled.Load()
}

// orderedPair returns a pair and, for the operation, the memory that messages
// leave, the memory that they come to, and how one is posted.
func orderedPair(t *testing.T, device string, op verbs.Opcode, size int) (from, to []byte, post func() error) {
	c := conf()
	c.device, c.size = device, size
	a, b := pair(t, c)
	w := send{op: op, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, size)}}.toward(b, 0)
	from, to = a.mem, b.mem
	if op == verbs.OpRDMARead {
		from, to = to, from
	}
	var wc [1]verbs.WC
	return from, to, func() error {
		if op == verbs.OpSend {
			for n := 1; n != 0; { // completions of the receives before
				var err error
				if n, err = b.recvCQ.Poll(wc[:]); err != nil {
					return err
				}
			}
			if _, err := b.postRecv(recv{sges: []verbs.SGE{b.sge(0, size)}}); err != nil {
				return err
			}
		}
		if _, err := a.post(w); err != nil {
			return err
		}
		for end := time.Now().Add(deadline); ; {
			n, err := a.sendCQ.Poll(wc[:])
			if err != nil || n == 1 {
				return err
			}
			if time.Now().After(end) {
				return verbs.ErrTimeout
			}
			runtime.Gosched() // READs of devices that shuffle need a thread
		}
	}
}

// TestOrder covers DIO-10: promises are kept, and what is not promised is seen
// to be broken.
func TestOrder(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("needs two CPUs: one thread stores while another one looks")
	}
	cases := []struct {
		device     string
		unit, size int
		kept       bool
	}{
		{"shm_whole", shortMessage, shortMessage, true},
		{"shm_whole", verbs.BlockSize, shortMessage, true},
		{"shm_block128", verbs.BlockSize, shortMessage, true},
		{"shm_block128", longMessage, longMessage, false},
		{"shm_unordered", longMessage, longMessage, false},
		{"shm_liar", longMessage, longMessage, false},
	}
	for _, c := range cases {
		if c.kept && runtime.GOARCH != "amd64" {
			continue // nothing is promised there
		}
		for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
			t.Run(fmt.Sprintf("DIO-10/%s/%s/units of %d", c.device, op, c.unit), func(t *testing.T) {
				from, to, post := orderedPair(t, c.device, op, c.size)
				limit := 20 * time.Second // typically some ms, unless other programs keep the CPUs busy
				if c.kept {
					limit = 250 * time.Millisecond
				}
				sent, misled := newWatcher(to, c.unit).watch(t, limit, from, post)
				if (misled == 0) != c.kept {
					t.Errorf("of %d messages, first seen out of order: %d; promised: %v", sent, misled, c.kept)
				}
			})
		}
	}
}
