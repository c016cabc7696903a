package soak

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/test/printed"
	"github.com/ibperf/ibperf/verbs"
)

var (
	minutes = flag.Float64("minutes", 1, "how long TestSoak loads the device")
	seed    = flag.Uint64("seed", 0, "seed of the sessions and of the stops and kills; 0: random")
)

const (
	round   = 3 * time.Second // of load; then all sessions end, and a sample is taken
	workers = 4               // concurrent sessions
	peers   = 2               // other processes
	fewest  = 6               // samples to detect growth
)

// TestSoak runs concurrent sessions between this process and others, and within this process:
// RC, two QPs on an SRQ, XRC, UC and UD on each embedded device, with SENDs, WRITEs, WRITEs with
// immediate data, READs, atomic operations and regions that are registered and deregistered. Both
// sides post, and check every byte. Meanwhile the other processes are stopped, and killed and
// restarted. At the end no resource may have grown; see bounds.
//
//	go test ./soak -v -minutes 60 -seed 1
func TestSoak(t *testing.T) {
	if *seed == 0 {
		*seed = 1 + rand.Uint64N(1e9)
	}
	length := time.Duration(*minutes * float64(time.Minute))
	if testing.Short() {
		length = 2 * round
	}
	t.Logf("seed %d: the same sessions again with make soak SEED=%d", *seed, *seed)
	s := newSoak(t)
	var samples []resources
	for end := time.Now().Add(length); !t.Failed(); {
		if time.Now().After(end) && (testing.Short() || len(samples) >= fewest) {
			break
		}
		s.round(uint64(len(samples)))
		now, err := settled()
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, now)
	}
	t.Logf("%d sessions done, %d ended by a kill of %d, %d stops", s.done.Load(), s.cut.Load(), s.kills.Load(), s.stops.Load())
	t.Logf("%d samples, at first %s", len(samples), samples[0])
	if len(samples) < fewest {
		t.Logf("too few samples to detect growth")
		return
	}
	from, to, what := grown(samples)
	t.Logf("in the middle %s", from)
	t.Logf("at the end %s", to)
	for _, g := range what {
		t.Error(g)
	}
}

// soak is the load of this process.
type soak struct {
	t        *testing.T
	dir      string
	contexts *contexts
	peers    [peers]atomic.Pointer[process]
	self     net.Listener
	started  atomic.Int32 // processes

	done, cut, kills, stops atomic.Int32
	hung                    sync.Once
}

func newSoak(t *testing.T) *soak {
	s := &soak{t: t, dir: t.TempDir(), contexts: &contexts{kept: map[string]verbs.Context{}}}
	var err error
	if s.self, err = net.Listen("unix", filepath.Join(s.dir, "self")); err != nil {
		t.Fatal(err)
	}
	go serve(s.self, s.contexts)
	for i := range s.peers {
		s.start(i)
	}
	t.Cleanup(func() {
		s.self.Close()
		for i := range s.peers {
			if p := s.peers[i].Load(); p != nil {
				p.kill()
				if t.Failed() {
					t.Logf("a peer said:\n%s", &p.said)
				}
			}
		}
		for _, ctx := range s.contexts.kept {
			if err := ctx.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return s
}

// start starts peer i, in place of its predecessor.
func (s *soak) start(i int) {
	p, err := startProcess(s.dir, int(s.started.Add(1)))
	if err != nil {
		s.t.Error(err)
		return
	}
	s.peers[i].Store(p)
}

// round loads the device for the time round, and waits until all sessions have ended.
func (s *soak) round(number uint64) {
	watch := time.AfterFunc(round+3*limit, func() {
		fmt.Fprintf(os.Stderr, "soak: round %d of seed %d does not end\n%s", number, *seed, s.dump())
		os.Exit(1)
	})
	defer watch.Stop()
	end := time.Now().Add(round)
	var all sync.WaitGroup
	for i := range workers {
		r := rand.New(rand.NewPCG(*seed, number<<8|uint64(i)))
		all.Go(func() {
			for time.Now().Before(end) && !s.t.Failed() {
				s.session(r)
			}
		})
	}
	for i := range s.peers {
		r := rand.New(rand.NewPCG(*seed, number<<8|uint64(workers+i)))
		all.Go(func() { s.trouble(i, r) })
	}
	all.Wait()
}

// session runs a session with a peer or with this process.
func (s *soak) session(r *rand.Rand) {
	which, number := r.IntN(peers+1), r.Uint64()
	socket := s.self.Addr().String()
	var p *process
	if which < peers {
		p = s.peers[which].Load()
		socket = p.socket
	}
	conn, err := net.Dial("unix", socket)
	if err == nil {
		err = requestSession(conn, number, s.contexts)
	}
	switch {
	case err == nil:
		s.done.Add(1)
	case p != nil && p.killed.Load() && !errors.Is(err, errWrong) && !errors.Is(err, errHang):
		s.cut.Add(1)
	default:
		if errors.Is(err, errHang) {
			s.hung.Do(func() { s.t.Logf("%s", s.dump()) })
		}
		s.t.Errorf("seed %d: %s: %v", *seed, planOf(number), err)
	}
}

// trouble stops a peer, kills it, does both, or neither.
func (s *soak) trouble(i int, r *rand.Rand) {
	p, what := s.peers[i].Load(), r.IntN(4)
	time.Sleep(time.Duration(r.Int64N(int64(round / 2))))
	if what == 1 || what == 2 {
		s.stops.Add(1)
		p.stop(time.Duration(r.Int64N(int64(round / 2))))
	}
	if what == 2 || what == 3 {
		s.kills.Add(1)
		p.kill()
		s.start(i)
	}
}

// dump returns the stacks of all goroutines of this process and of the peers. It ends the peers.
func (s *soak) dump() string {
	var o printed.Output
	pprof.Lookup("goroutine").WriteTo(&o, 2)
	for i := range s.peers {
		fmt.Fprintf(&o, "\npeer %d:\n%s", i, s.peers[i].Load().dump())
	}
	return o.String()
}
