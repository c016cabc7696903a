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
}

// Workers holds the measuring threads of a side, of all planned modes.
type Workers struct {
	Groups   []*Group
	requests requests
}

// New makes a worker for the queues of each thread.
func New(cfg *Config, r *setup.Resources, h *halt.Halt) (*Workers, error) {
	all := &Workers{}
	if err := all.requests.allocate(r.Set); err != nil {
		all.Close()
		return nil, err
	}
	recorders := newRecorders(r.Set, r.Set.Plan.Threads)
	var sum recorder
	if r.Set.PingPong() && len(recorders) > 1 {
		sum = newRecorders(r.Set, 1)[0]
	}
	for _, one := range recorders {
		if one.samples != nil {
			one.samples.Keep(cfg.KeepSamples)
		}
	}
	all.Groups = make([]*Group, len(r.Set.Modes))
	for _, i := range r.Order() {
		g := &Group{Mode: r.Set.Modes[i], sum: sum}
		all.Groups[i] = g
		for n, q := range r.Queues[i] {
			g.Workers = append(g.Workers, newWorker(cfg, g, n, q, &all.requests, recorders[n], h))
		}
	}
	return all, nil
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
	flows := modes * set.Plan.QPs
	if q.sends, err = verbs.Make[verbs.SendWR](flows * (sizes.Slots + sizes.Seconds + 1)); err != nil {
		return err
	}
	if q.recvs, err = verbs.Make[verbs.RecvWR](flows * sizes.Recvs); err != nil {
		return err
	}
	if q.sges, err = verbs.Make[verbs.SGE](flows * (sizes.Slots + sizes.Seconds + sizes.Recvs + sizes.Credits + 1)); err != nil {
		return err
	}
	if q.wcs, err = verbs.Make[verbs.WC](modes * set.Plan.Threads * 2 * set.Plan.CQEPoll); err != nil {
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
