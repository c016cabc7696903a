package shm_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// reorderingDevices are the devices whose WRITEs overtake each other.
var reorderingDevices = []string{"shm_block128", "shm_unordered", "shm_liar", "shm_whole:late=8"}

const (
	dataSize = 64
	flagAt   = 4096
)

// flagWriter is an application that writes data and then a flag, by two requests, and infers from
// the flag that the data has arrived.
type flagWriter struct {
	a, b   *side
	source []atomic.Uint64
	data   []atomic.Uint64
	flag   *atomic.Uint64
	writes [2]send
}

func newFlagWriter(t *testing.T, device string) *flagWriter {
	c := conf()
	c.device = device
	a, b := pair(t, c)
	return &flagWriter{
		a: a, b: b, source: atomicWords(a.Mem), data: atomicWords(b.Mem)[:dataSize/8], flag: &atomicWords(b.Mem)[flagAt/8],
		writes: [2]send{
			send{Op: verbs.OpRDMAWrite, SGEs: []verbs.SGE{a.SGE(0, dataSize)}}.Toward(b, 0),
			send{Op: verbs.OpRDMAWrite, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(flagAt, 8)}}.Toward(b, flagAt),
		},
	}
}

func (f *flagWriter) fill(m uint64) {
	for i := range f.data {
		f.source[i].Store(m)
	}
	f.source[flagAt/8].Store(m)
}

// awaitFlag waits for the flag of message m, as the application's reader does, and reports whether
// the data had arrived.
func (f *flagWriter) awaitFlag(m uint64, stop *atomic.Bool) (right bool) {
	for f.flag.Load() != m && !stop.Load() {
		runtime.Gosched()
	}
	for i := range f.data {
		if f.data[i].Load() != m {
			return false
		}
	}
	return true
}

// firstDisordered sends messages until a flag arrives before its data, and returns the number of
// that message, or 0 at the time limit.
func (f *flagWriter) firstDisordered(t *testing.T, limit time.Duration, post func(), waits bool) uint64 {
	var seen, wrong atomic.Uint64
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m := uint64(1); !stop.Load(); m++ {
			if !f.awaitFlag(m, &stop) && wrong.Load() == 0 {
				wrong.Store(m)
			}
			seen.Store(m)
		}
	}()
	defer func() {
		stop.Store(true)
		<-done
	}()
	end := time.Now().Add(limit)
	for m := uint64(1); wrong.Load() == 0 && time.Now().Before(end); m++ {
		f.fill(m)
		post()
		if waits { // polls the completion first, like an application that is careful with its own buffers
			noError(t, spinFor(f.a.SendCQ.CQ))
		}
		fixture.Eventually(t, fmt.Sprintf("flag %d", m), func() bool { return seen.Load() >= m })
		if !waits {
			noError(t, spinFor(f.a.SendCQ.CQ))
		}
	}
	return wrong.Load()
}

// TestFlagOvertakesData covers that the flag can arrive before the data, in a list and in separate
// posts.
func TestFlagOvertakesData(t *testing.T) {
	for _, device := range reorderingDevices {
		for name, c := range map[string]struct{ list, waits bool }{
			"a list": {list: true}, "two posts": {}, "polled": {waits: true},
		} {
			t.Run(device+"/"+name, func(t *testing.T) {
				if c.waits && (runtime.NumCPU() < 2 || runtime.GOMAXPROCS(0) < 2) {
					t.Skip("needs two CPUs: one thread polls the CQ while another one polls memory")
				}
				f := newFlagWriter(t, device)
				m := f.firstDisordered(t, fixture.WaitTimeout, func() {
					if c.list {
						f.a.Post(f.writes[:]...)
						return
					}
					f.a.Post(f.writes[0])
					f.a.Post(f.writes[1])
				}, c.waits)
				if m == 0 {
					t.Error("no flag was observed before its data")
				}
				t.Logf("the first is flag %d", m)
			})
		}
	}
}

// TestWritesKeepOrder covers that on shm_whole a flag arrives after its data.
func TestWritesKeepOrder(t *testing.T) {
	f := newFlagWriter(t, "shm_whole")
	if m := f.firstDisordered(t, 200*time.Millisecond, func() { f.a.Post(f.writes[:]...) }, false); m != 0 {
		t.Errorf("flag %d was observed before its data", m)
	}
}
