package loop

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/harness/internal/setup"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// Config configures the workers of a side.
type Config struct {
	Role        testcase.Role
	Payload     []byte // pattern that messages are filled with; nil: zeros
	KeepSamples int    // number of samples of a round that are kept in their order
	Run         int    // number of runs before this one, over all processes of a comparison
}

// Workers holds the measuring threads of a side, of all planned modes.
type Workers struct {
	Groups   []*Group
	requests requests
}

// New makes a worker for the queues of each thread, those of one device after those of another.
func New(cfg *Config, devices []*setup.Resources, h *halt.Halt) (*Workers, error) {
	all, set := &Workers{}, devices[0].Set
	if err := all.requests.allocate(set); err != nil {
		all.Close()
		return nil, err
	}
	recorders := newRecorders(set)
	for _, one := range recorders {
		if one.samples != nil {
			one.samples.Keep(cfg.KeepSamples)
		}
	}
	sums := newSums(set)
	all.Groups = make([]*Group, len(set.Modes))
	for _, i := range devices[0].Order() {
		g := &Group{Mode: set.Modes[i], sum: sums[0]}
		all.Groups[i] = g
		for _, r := range devices {
			for _, q := range r.Queues[i] {
				n := len(g.Workers)
				g.Workers = append(g.Workers, newWorker(cfg, g, n, q, &all.requests, recorders[n], h))
			}
		}
		g.divide(sums[1:])
	}
	return all, nil
}

// newSums returns what ping-pongs are added up in: those of all threads, and those of each of several devices. What is added up in
// place is empty: one ping-pong, and streams.
func newSums(set *testcase.Set) []recorder {
	sums := make([]recorder, 1)
	if set.Plan.Devices > 1 {
		sums = make([]recorder, 1+set.Plan.Devices)
	}
	if set.PingPong() && set.Plan.AllThreads() > 1 {
		copy(sums, newPingPongRecorders(set, len(sums)))
	}
	return sums
}

// divide makes a group of each device's workers, with what their ping-pongs are added up in.
func (g *Group) divide(sums []recorder) {
	for i := range sums {
		n := len(g.Workers) / len(sums)
		g.Devices = append(g.Devices, &Group{Mode: g.Mode, Workers: g.Workers[i*n : (i+1)*n], sum: sums[i]})
	}
}

// Close acknowledges all events, without which ibv_destroy_cq waits, and frees what the workers
// have allocated.
func (all *Workers) Close() {
	for _, g := range all.Groups {
		for _, w := range g.Workers {
			w.close()
		}
	}
	all.requests.free()
}

// requests holds the work requests of all QPs, in one mapping for each kind: a mapping for each QP
// would take a page and the time of a system call.
type requests struct {
	sends, sendsLeft []verbs.SendWR
	recvs, recvsLeft []verbs.RecvWR
	sges, sgesLeft   []verbs.SGE
	wcs, wcsLeft     []verbs.WC
}

// allocate makes requests for the queues of all QPs.
func (q *requests) allocate(set *testcase.Set) (err error) {
	modes, sizes := len(set.Modes), &set.Queues
	flows := modes * set.Plan.AllQPs()
	if q.sends, err = verbs.Make[verbs.SendWR](flows * (sizes.Slots + sizes.Seconds + 1)); err != nil {
		return err
	}
	if q.recvs, err = verbs.Make[verbs.RecvWR](flows * sizes.Recvs); err != nil {
		return err
	}
	if q.sges, err = verbs.Make[verbs.SGE](flows * (sizes.Slots + sizes.Seconds + sizes.Recvs + sizes.Credits + 1)); err != nil {
		return err
	}
	if q.wcs, err = verbs.Make[verbs.WC](modes * set.Plan.AllThreads() * 2 * set.Plan.CQEPoll); err != nil {
		return err
	}
	q.sendsLeft, q.recvsLeft, q.sgesLeft, q.wcsLeft = q.sends, q.recvs, q.sges, q.wcs
	return nil
}

// cut removes the first n elements from left and returns them.
func cut[T any](left *[]T, n int) []T {
	taken := (*left)[:n:n]
	*left = (*left)[n:]
	return taken
}

func (q *requests) free() {
	verbs.Free(q.sends)
	verbs.Free(q.recvs)
	verbs.Free(q.sges)
	verbs.Free(q.wcs)
}

// probePattern differs from the zeros that the peer's memory holds before the first size.
const probePattern = 0xa5a5a5a5a5a5a5a5

// FetchesAreSynchronous reports whether a READ or atomic operation is complete when its post returns,
// as on a device that executes it in the calling thread. It posts one and loads its target at once.
// Both sides must be in RTS, and no size may be prepared.
func (all *Workers) FetchesAreSynchronous(c *testcase.Case) (bool, error) {
	f := all.Groups[0].Flows()[0]
	if err := f.setCase(c); err != nil {
		return false, err
	}
	at := f.worker.set.Layout.Rx(f.conn.Index) + f.out.into.SlotOffset(0)/8*8 // the word that the message begins in
	word := message.Word(f.memory(at))
	atomic.StoreUint64(word, probePattern)
	f.out.limit = 1
	if err := f.out.post(1); err != nil {
		return false, err
	}
	synchronous := atomic.LoadUint64(word) != probePattern
	return synchronous, f.flush()
}
