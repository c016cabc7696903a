package shm_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// overtaking are the devices whose WRITEs overtake each other.
var overtaking = []string{"shm_unordered", "shm_liar"}

const (
	dataSize = 64
	flagAt   = 4096
)

// flagged is an application that writes data and then a flag, by two requests, and takes
// the flag for a sign that the data is there.
type flagged struct {
	a, b   *side
	source []atomic.Uint64
	data   []atomic.Uint64
	flag   *atomic.Uint64
	out    [2]send
}

func newFlagged(t *testing.T, device string) *flagged {
	c := conf()
	c.device = device
	a, b := pair(t, c)
	return &flagged{
		a: a, b: b, source: atomicWords(a.mem), data: atomicWords(b.mem)[:dataSize/8], flag: &atomicWords(b.mem)[flagAt/8],
		out: [2]send{
			send{op: verbs.OpRDMAWrite, sges: []verbs.SGE{a.sge(0, dataSize)}}.toward(b, 0),
			send{op: verbs.OpRDMAWrite, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(flagAt, 8)}}.toward(b, flagAt),
		},
	}
}

func (f *flagged) fill(m uint64) {
	for i := range f.data {
		f.source[i].Store(m)
	}
	f.source[flagAt/8].Store(m)
}

// read waits for the flag of message m, as the application's reader does, and tells
// whether the data was there.
func (f *flagged) read(m uint64, stop *atomic.Bool) (right bool) {
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

// misled sends messages until the flag of one is there before its data, and returns how
// many those are. It is 0 if time is up.
func (f *flagged) misled(t *testing.T, limit time.Duration, post func(), waits bool) uint64 {
	var seen, wrong atomic.Uint64
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m := uint64(1); !stop.Load(); m++ {
			if !f.read(m, &stop) && wrong.Load() == 0 {
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
		if waits { // for the completion first, as one who knows better about its own buffers
			noError(t, spinFor(f.a.sendCQ))
		}
		eventually(t, fmt.Sprintf("flag %d", m), func() bool { return seen.Load() >= m })
		if !waits {
			noError(t, spinFor(f.a.sendCQ))
		}
	}
	return wrong.Load()
}

// TestFlagOvertakesData: the flag is seen before the data, however they are posted.
func TestFlagOvertakesData(t *testing.T) {
	for _, device := range overtaking {
		for name, c := range map[string]struct{ list, waits bool }{
			"a list": {list: true}, "two posts": {}, "polled": {waits: true},
		} {
			t.Run(device+"/"+name, func(t *testing.T) {
				if c.waits && (runtime.NumCPU() < 2 || runtime.GOMAXPROCS(0) < 2) {
					t.Skip("needs two CPUs: one thread polls while another one looks")
				}
				f := newFlagged(t, device)
				m := f.misled(t, deadline, func() {
					if c.list {
						f.a.mustPost(t, f.out[:]...)
						return
					}
					f.a.mustPost(t, f.out[0])
					f.a.mustPost(t, f.out[1])
				}, c.waits)
				if m == 0 {
					t.Error("no flag was seen before its data")
				}
				t.Logf("the first is flag %d", m)
			})
		}
	}
}

// TestWritesInTurn: on the devices that do not promise nothing a flag comes after its data.
func TestWritesInTurn(t *testing.T) {
	f := newFlagged(t, "shm_whole")
	if m := f.misled(t, 200*time.Millisecond, func() { f.a.mustPost(t, f.out[:]...) }, false); m != 0 {
		t.Errorf("flag %d was seen before its data", m)
	}
}
