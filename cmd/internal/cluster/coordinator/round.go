package coordinator

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/cmd/internal/cluster/schedule"
	"github.com/ibperf/ibperf/oob"
)

// The times of tests that run together. They begin within less than a third of it.
const (
	togetherTime = 3 * time.Second
	allRailsTime = time.Second
)

// testRound tests the pairs of a round whose nodes can be tested, and judges.
func (r *run) testRound(ctx context.Context, pairs []schedule.Pair) error {
	var tests []results.Test
	var err error
	for batch := range slices.Chunk(pairs, r.batch(len(pairs))) {
		if err = r.testBatch(ctx, batch, func(t results.Test) { tests = append(tests, t) }); err != nil {
			break
		}
	}
	r.judge.Add(tests...)
	if err == nil {
		err = r.keepFiles(tests)
	}
	return err
}

// batch returns the number of tests of a round that run together.
func (r *run) batch(all int) int {
	switch {
	case r.Together:
		return max(all, 1)
	case r.AllRails:
		return r.Rails
	}
	return 1
}

// maxKept is the number of tests whose result files are kept if not all are: two of 24 kB each.
const maxKept = 2000

// keepFiles asks the clients of low and failed tests of a round for their result files, and writes them.
func (r *run) keepFiles(tests []results.Test) error {
	for _, t := range r.Keep.Of(tests, r.Slow, &r.Limits) {
		if _, resumed := r.Journal.Find(t.Round, t.A, t.B); resumed {
			continue // it was measured by an earlier process
		}
		if r.kept++; r.kept > maxKept && r.Keep != results.KeepAll {
			return nil
		}
		o, lost := r.ask(r.members[t.B], oob.ClusterTask{Kind: oob.TaskFiles})
		if lost != nil {
			continue
		}
		if err := r.Journal.KeepFiles(t, o.Files); err != nil {
			return err
		}
	}
	return nil
}

// loopbacks is the number of tests of each device of a single rank.
const loopbacks = 3

// testLoopback tests each device of the only rank with itself.
func (r *run) testLoopback(ctx context.Context) error {
	pairs := make([]schedule.Pair, r.Rails)
	for rail := range pairs {
		pairs[rail] = schedule.Pair{rail, rail}
	}
	for r.rounds = 1; r.rounds <= loopbacks; r.rounds++ {
		if err := r.testRound(ctx, pairs); err != nil {
			return err
		}
	}
	r.rounds = loopbacks
	return nil
}

// testBatch tests pairs at the same time, unless the journal has all of them, and hands over each test that there was.
func (r *run) testBatch(ctx context.Context, pairs []schedule.Pair, take func(results.Test)) error {
	pairs = slices.DeleteFunc(slices.Clone(pairs), func(p schedule.Pair) bool {
		return !r.testable(r.members[p[0]]) || !r.testable(r.members[p[1]])
	})
	if known := r.known(pairs); known != nil {
		for _, t := range known {
			take(t)
		}
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var all sync.WaitGroup
	var mu sync.Mutex // of failed, and of what keep changes
	var failed error
	for _, p := range pairs {
		a, b := r.members[p[0]], r.members[p[1]]
		all.Go(func() {
			t, tested := r.test(a, b)
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, r.keep(ctx, t, tested, take))
		})
	}
	all.Wait()
	return failed
}

// known returns the tests of pairs if the journal has all of them, else nil.
func (r *run) known(pairs []schedule.Pair) (tests []results.Test) {
	for _, p := range pairs {
		t, known := r.Journal.Find(r.rounds, p[0], p[1])
		if !known {
			return nil
		}
		tests = append(tests, t)
	}
	return tests
}

// keep writes a test, if there was one, to the journal.
func (r *run) keep(ctx context.Context, t results.Test, tested bool, take func(results.Test)) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !tested:
		return nil
	}
	if err := r.Journal.Append(t); err != nil {
		return err
	}
	if t.Error != "" {
		r.Note("round %d: %v and %v: %s", r.rounds, r.members[t.A], r.members[t.B], t.Error)
	}
	take(t)
	return nil
}
