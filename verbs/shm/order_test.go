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
	longMessage  = 1 << 18
	hugeMessage  = 1 << 23 // takes long enough to be interrupted half way where CPUs are shared
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
// The local memory is named in pieces.
func orderedPair(t *testing.T, device string, op verbs.Opcode, size, pieces int) (from, to []byte, post func() error) {
	c := conf()
	c.device, c.size = device, size
	a, b := pair(t, c)
	a.warmUp(t, b) // later requests may go another way than the first one
	return ordered(t, a, b, op, size, pieces, 0)
}

// zeroBased makes the side's region a zero-based one that begins in the middle of a block.
func (s *side) zeroBased(t *testing.T) {
	t.Helper()
	mr := must(s.pd.RegMR(s.buf.Bytes()[verbs.BlockSize/2:], allRights|verbs.AccessZeroBased))(t)
	t.Cleanup(func() { noError(t, mr.Close()) })
	s.mr, s.mem = mr, s.buf.Bytes()[verbs.BlockSize/2:]
}

// ordered is orderedPair for two sides, whose regions have the messages at an offset.
func ordered(t *testing.T, a, b *side, op verbs.Opcode, size, pieces, at int) (from, to []byte, post func() error) {
	w := send{op: op, flags: verbs.SendSignaled}.toward(b, at)
	for i := range pieces {
		w.sges = append(w.sges, a.sge(at+i*size/pieces, size/pieces))
	}
	from, to = a.mem[at:][:size], b.mem[at:][:size]
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
			if _, err := b.postRecv(recv{sges: []verbs.SGE{b.sge(at, size)}}); err != nil {
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
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
		for _, c := range []struct {
			device string
			unit   int
			pieces int
		}{
			{"shm_whole", shortMessage, 1}, {"shm_whole", shortMessage, 2},
			{"shm_whole", verbs.BlockSize, 1}, {"shm_block128", verbs.BlockSize, 1},
		} {
			t.Run(fmt.Sprintf("DIO-10 kept/%s/%s/units of %d, %d SGEs", c.device, op, c.unit, c.pieces), func(t *testing.T) {
				if runtime.GOARCH != "amd64" {
					t.Skip("nothing is promised on " + runtime.GOARCH)
				}
				from, to, post := orderedPair(t, c.device, op, shortMessage, c.pieces)
				if sent, misled := newWatcher(to, c.unit).watch(t, 250*time.Millisecond, from, post); misled != 0 {
					t.Errorf("message %d of %d was seen out of order", misled, sent)
				}
			})
		}
		for _, device := range []string{"shm_block128", "shm_unordered", "shm_liar"} {
			t.Run(fmt.Sprintf("DIO-10 not kept/%s/%s", device, op), func(t *testing.T) {
				if !seenBroken(t, device, op, longMessage, time.Second) && !seenBroken(t, device, op, hugeMessage, 2*deadline) {
					t.Error("no message was seen out of order")
				}
			})
		}
	}
}

// TestOrderOfZeroBasedRegions: promises are about blocks of memory, whatever a region's addresses are.
func TestOrderOfZeroBasedRegions(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("needs two CPUs: one thread stores while another one looks")
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("nothing is promised on " + runtime.GOARCH)
	}
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
		for device, unit := range map[string]int{"shm_whole": shortMessage, "shm_block128": verbs.BlockSize} {
			t.Run(fmt.Sprintf("%s/%s", device, op), func(t *testing.T) {
				c := conf()
				c.device, c.size = device, shortMessage+verbs.BlockSize
				a, b := pair(t, c)
				a.zeroBased(t)
				b.zeroBased(t)
				a.warmUp(t, b)
				from, to, post := ordered(t, a, b, op, shortMessage, 1, verbs.BlockSize/2)
				if sent, misled := newWatcher(to, unit).watch(t, 250*time.Millisecond, from, post); misled != 0 {
					t.Errorf("message %d of %d was seen out of order", misled, sent)
				}
			})
		}
	}
}

// seenBroken tells whether a message was seen out of order within the time.
func seenBroken(t *testing.T, device string, op verbs.Opcode, size int, limit time.Duration) bool {
	t.Helper()
	from, to, post := orderedPair(t, device, op, size, 1)
	sent, misled := newWatcher(to, size).watch(t, limit, from, post)
	t.Logf("messages of %d bytes: %d sent, first seen out of order: %d", size, sent, misled)
	return misled != 0
}
