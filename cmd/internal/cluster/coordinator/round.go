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

// togetherTime is the time of a test of a round whose tests run together. They begin within less than a second.
const togetherTime = 3 * time.Second

// testRound tests the pairs of a round whose nodes can be tested, and judges.
func (r *run) testRound(ctx context.Context, pairs []schedule.Pair) error {
	var tests []results.Test
	one := r.oneByOne
	if r.Together {
		one = r.together
	}
	err := one(ctx, pairs, func(t results.Test) { tests = append(tests, t) })
	r.judge.Add(tests...)
	if err == nil {
		err = r.keepFiles(tests)
	}
	return err
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

// loopbacks is the number of tests of a single node.
const loopbacks = 3

// testLoopback tests the only node with itself.
func (r *run) testLoopback(ctx context.Context) error {
	for r.rounds = 1; r.rounds <= loopbacks; r.rounds++ {
		if err := r.testRound(ctx, []schedule.Pair{{0, 0}}); err != nil {
			return err
		}
	}
	r.rounds = loopbacks
	return nil
}

// oneByOne tests one pair after another, and hands over each test that there was.
func (r *run) oneByOne(ctx context.Context, pairs []schedule.Pair, take func(results.Test)) error {
	for _, p := range pairs {
		a, b := r.members[p[0]], r.members[p[1]]
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !r.testable(a) || !r.testable(b) {
			continue
		}
		if t, known := r.Journal.Find(r.rounds, a.rank, b.rank); known {
			take(t)
			continue
		}
		t, tested := r.test(a, b)
		if err := r.keep(ctx, t, tested, take); err != nil {
			return err
		}
	}
	return nil
}

// together tests all pairs at the same time, unless the journal has them.
func (r *run) together(ctx context.Context, pairs []schedule.Pair, take func(results.Test)) error {
	if r.known(pairs) {
		return r.oneByOne(ctx, pairs, take)
	}
	var all sync.WaitGroup
	var mu sync.Mutex // of failed, and of what keep changes
	var failed error
	for _, p := range pairs {
		a, b := r.members[p[0]], r.members[p[1]]
		if !r.testable(a) || !r.testable(b) {
			continue
		}
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

// known reports whether the journal has the tests of a round.
func (r *run) known(pairs []schedule.Pair) bool {
	return !slices.ContainsFunc(pairs, func(p schedule.Pair) bool {
		_, known := r.Journal.Find(r.rounds, p[0], p[1])
		return !known && r.testable(r.members[p[0]]) && r.testable(r.members[p[1]])
	})
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
