package shm_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/sched"
	"github.com/ibperf/ibperf/internal/topology"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// A device's promise of order is tested by observation: a thread spins on memory into which
// messages arrive, and infers from the last word of each unit that the rest of the unit has
// arrived, like --completion data.

const (
	shortMessage = 1 << 15
	longMessage  = 1 << 18
	hugeMessage  = 1 << 23 // takes long enough to be interrupted half way where CPUs are shared
)

// watcher polls memory that a device fills with one value per message.
type watcher struct {
	words []atomic.Uint64
	units [][2]int // indexes of the first and the last word

	seen, disordered atomic.Uint64 // numbers of messages
	stop             atomic.Bool
}

func newWatcher(mem []byte, unit int) *watcher {
	w := &watcher{words: atomicWords(mem)}
	unit /= 8
	for from := 0; from < len(w.words); from += unit {
		w.units = append(w.units, [2]int{from, from + unit - 1})
	}
	return w
}

// checkMessage waits until message m has arrived, unit by unit, and returns the number of units
// whose last word arrived before another one. ok is false if the watcher was stopped.
func (w *watcher) checkMessage(m uint64) (early int, ok bool) {
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

// run checks messages until it is stopped, on a CPU of its own.
func (w *watcher) run() {
	runtime.LockOSThread() // for good: the thread ends with the goroutine
	if cpus := allCPUs(); len(cpus) > 1 {
		_ = sched.SetAffinity(0, sched.SetOf(cpus[len(cpus)-1])) // only speeds the test up
	}
	for m := uint64(1); ; m++ {
		early, ok := w.checkMessage(m)
		if !ok {
			return
		}
		if early > 0 {
			w.disordered.Store(m)
		}
		w.seen.Store(m)
	}
}

// allCPUs returns the CPUs that this process had at the first call; none on systems other than Linux.
var allCPUs = sync.OnceValue(func() []int { return topology.Allowed(os.DirFS("/")) })

// placeThreads places all threads of this process. The kernel of a busy machine may leave a thread that polls on the CPU of the one
// that stores, and then it hardly ever runs before the message is whole.
func placeThreads(set sched.CPUs) {
	tasks, _ := os.ReadDir("/proc/self/task") // none on systems other than Linux
	for _, task := range tasks {
		if tid, err := strconv.Atoi(task.Name()); err == nil {
			_ = sched.SetAffinity(tid, set) // fails if the thread has ended
		}
	}
}

// observe posts messages for some time. It returns the number of messages, and the number of the
// first one observed out of order, or 0. The watcher spins before each message is posted.
func (w *watcher) observe(t *testing.T, limit time.Duration, source []byte, post func() error) (sent, misled uint64) {
	t.Helper()
	if cpus := allCPUs(); len(cpus) > 1 {
		placeThreads(sched.SetOf(cpus[:len(cpus)-1]...))
		defer placeThreads(sched.SetOf(cpus...))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.run()
	}()
	defer func() {
		w.stop.Store(true)
		<-done
	}()
	for end := time.Now().Add(limit); w.disordered.Load() == 0 && time.Now().Before(end); {
		sent++
		for i := 0; i < len(source); i += 8 {
			binary.NativeEndian.PutUint64(source[i:], sent)
		}
		noError(t, post())
		fixture.Eventually(t, fmt.Sprintf("message %d observed", sent), func() bool { return w.seen.Load() == sent })
	}
	return sent, w.disordered.Load()
}

// orderedPair returns a pair's source and destination memory for the operation, and a function that
// posts a message. The local memory is divided into pieces.
func orderedPair(t *testing.T, device string, op verbs.Opcode, size, pieces int) (from, to []byte, post func() error) {
	c := conf()
	c.device, c.BufferSize = device, size
	a, b := pair(t, c)
	a.useOnce(t, b) // later requests may take another path than the first one
	return orderedTransfer(t, a, b, op, size, pieces, 0, 0)
}

// zeroBased replaces the side's region by a zero-based one that begins in the middle of a block.
func (s *side) zeroBased(t *testing.T) {
	t.Helper()
	mr := must(s.PD.RegMR(s.Buffer.Bytes()[verbs.BlockSize/2:], allRights|verbs.AccessZeroBased))(t)
	t.Cleanup(func() { noError(t, mr.Close()) })
	s.MR, s.Mem = mr, s.Buffer.Bytes()[verbs.BlockSize/2:]
}

// orderedTransfer is orderedPair for two existing sides, with messages at an offset in their
// regions.
func orderedTransfer(t *testing.T, a, b *side, op verbs.Opcode, size, pieces, at int, flags verbs.SendFlags) (from, to []byte, post func() error) {
	w := send{Op: op, Flags: flags | verbs.SendSignaled}.Toward(b, at)
	for i := range pieces {
		w.SGEs = append(w.SGEs, a.SGE(at+i*size/pieces, size/pieces))
	}
	from, to = a.Mem[at:][:size], b.Mem[at:][:size]
	if op == verbs.OpRDMARead {
		from, to = to, from
	}
	var wc [1]verbs.WC
	return from, to, func() error {
		if op == verbs.OpSend {
			for n := 1; n != 0; { // completions of earlier receives
				var err error
				if n, err = b.RecvCQ.Poll(wc[:]); err != nil {
					return err
				}
			}
			if _, err := b.TryPostRecv(recv{SGEs: []verbs.SGE{b.SGE(at, size)}}); err != nil {
				return err
			}
		}
		if _, err := a.TryPost(w); err != nil {
			return err
		}
		for end := time.Now().Add(fixture.WaitTimeout); ; {
			n, err := a.SendCQ.Poll(wc[:])
			if err != nil || n == 1 {
				return err
			}
			if time.Now().After(end) {
				return verbs.ErrTimeout
			}
			runtime.Gosched() // READs of shuffling devices need a thread
		}
	}
}

// TestDataOrder covers DIO-10: promises are kept, and violations of order that is not promised are
// observed.
func TestDataOrder(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("needs two CPUs: one thread stores while another one polls")
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
					t.Skip("no order is promised on " + runtime.GOARCH)
				}
				from, to, post := orderedPair(t, c.device, op, shortMessage, c.pieces)
				if sent, misled := newWatcher(to, c.unit).observe(t, 250*time.Millisecond, from, post); misled != 0 {
					t.Errorf("message %d of %d was observed out of order", misled, sent)
				}
			})
		}
		for _, device := range []string{"shm_block128", "shm_unordered", "shm_liar"} {
			t.Run(fmt.Sprintf("DIO-10 not kept/%s/%s", device, op), func(t *testing.T) {
				if !disorderObserved(t, device, op, longMessage, time.Second) && !disorderObserved(t, device, op, hugeMessage, 2*fixture.WaitTimeout) {
					t.Error("no message was observed out of order")
				}
			})
		}
	}
}

// TestDataOrderInZeroBasedRegions covers that promises refer to blocks of memory, independent of a
// region's addresses.
func TestDataOrderInZeroBasedRegions(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("needs two CPUs: one thread stores while another one polls")
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("no order is promised on " + runtime.GOARCH)
	}
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
		for device, unit := range map[string]int{"shm_whole": shortMessage, "shm_block128": verbs.BlockSize} {
			t.Run(fmt.Sprintf("%s/%s", device, op), func(t *testing.T) {
				c := conf()
				c.device, c.BufferSize = device, shortMessage+verbs.BlockSize
				a, b := pair(t, c)
				a.zeroBased(t)
				b.zeroBased(t)
				a.useOnce(t, b)
				from, to, post := orderedTransfer(t, a, b, op, shortMessage, 1, verbs.BlockSize/2, 0)
				if sent, misled := newWatcher(to, unit).observe(t, 250*time.Millisecond, from, post); misled != 0 {
					t.Errorf("message %d of %d was observed out of order", misled, sent)
				}
			})
		}
	}
}

// TestRelaxedOrdering covers that the bytes within a block are shuffled too in memory with AccessRelaxedOrdering, about which
// nothing is promised.
func TestRelaxedOrdering(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("needs two CPUs: one thread stores while another one polls")
	}
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
		for _, device := range []string{"shm_whole:relaxed=shuffle", "shm_block128"} {
			t.Run(fmt.Sprintf("%s/%s", device, op), func(t *testing.T) {
				c := conf()
				c.device, c.BufferSize = device, longMessage
				a, b := pair(t, c)
				a.relaxed(t)
				b.relaxed(t)
				a.useOnce(t, b)
				from, to, post := orderedTransfer(t, a, b, op, longMessage, 1, 0, 0)
				if sent, misled := newWatcher(to, verbs.BlockSize).observe(t, fixture.WaitTimeout, from, post); misled == 0 {
					t.Errorf("no block of %d messages was observed out of order", sent)
				}
			})
		}
	}
}

// relaxed replaces the side's region by one with relaxed ordering.
func (s *side) relaxed(t *testing.T) {
	t.Helper()
	mr := must(s.PD.RegMR(s.Buffer.Bytes(), allRights|verbs.AccessRelaxedOrdering))(t)
	t.Cleanup(func() { noError(t, mr.Close()) })
	s.MR = mr
}

// disorderObserved reports whether a message was observed out of order within the time.
func disorderObserved(t *testing.T, device string, op verbs.Opcode, size int, limit time.Duration) bool {
	t.Helper()
	from, to, post := orderedPair(t, device, op, size, 1)
	sent, misled := newWatcher(to, size).observe(t, limit, from, post)
	t.Logf("messages of %d bytes: %d sent, first observed out of order: %d", size, sent, misled)
	return misled != 0
}
