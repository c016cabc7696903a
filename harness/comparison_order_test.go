package harness

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// recordedSteps is the client's peer, which records the steps.
type recordedSteps struct {
	oob.Peer
	steps []oob.Step
	seen  func(oob.Step) // nil: none
}

func (r *recordedSteps) Step(mine oob.Step) (oob.Step, error) {
	r.steps = append(r.steps, mine)
	if r.seen != nil {
		r.seen(mine)
	}
	return r.Peer.Step(mine)
}

// rounds returns the steps of the measured rounds.
func (r *recordedSteps) rounds() (all []oob.Step) {
	for _, s := range r.steps {
		if s.Kind == oob.StepRound && !s.Warmup {
			all = append(all, s)
		}
	}
	return all
}

// record makes a pair record the client's steps.
func (r *recordedSteps) record(p *pair) {
	p.peer = func(side int, peer oob.Peer) oob.Peer {
		if side == 1 {
			return peer
		}
		r.Peer = peer
		return r
	}
}

// comparisonPlan returns the plan of a comparison of three sizes in 10 runs of 2 rounds. The messages cannot be
// divided equally among them.
func comparisonPlan(seed int) option.Plan {
	p := testPlan(option.OpSend, option.KindBandwidth, 0, 407)
	p.Sizes, p.Compare, p.Runs, p.Rounds, p.Seed = []int{8, 64, 512}, true, 10, 2, seed
	return p
}

// Each round of a comparison visits all sizes, and measures all modes at each. Over 10 runs of 2 rounds each mode
// follows each other mode equally often, and each row has the messages of -n.
func TestRoundsVisitAllSizesAndModes(t *testing.T) {
	p := comparisonPlan(9)
	var client recordedSteps
	sides := pair{device: "shm_whole", plan: p}
	client.record(&sides)
	files, errs := sides.run(t)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	modes := len(comparedRows())
	type cell struct{ size, mode int }
	type pair struct{ size, before, mode int }
	messages, follows, orders := map[cell]uint64{}, map[pair]int{}, map[[3]int]int{}
	rounds := slices.Collect(slices.Chunk(client.rounds(), len(p.Sizes)*modes))
	for i, round := range rounds {
		seen, order := map[cell]bool{}, [3]int{}
		for j, s := range round {
			seen[cell{s.Size, s.Mode}] = true
			messages[cell{s.Size, s.Mode}] += s.Messages
			order[j/modes] = s.Size
			if j%modes > 0 {
				follows[pair{s.Size, round[j-1].Mode, s.Mode}]++
			}
			if s.Size != order[j/modes] {
				t.Errorf("round %d measures size %d between modes of size %d", i, s.Size, order[j/modes])
			}
		}
		if orders[order]++; len(seen) != len(p.Sizes)*modes {
			t.Errorf("round %d measures %d rows of %d", i, len(seen), len(p.Sizes)*modes)
		}
	}
	if len(rounds) != p.Runs*p.Rounds || len(orders) < 2 {
		t.Errorf("%d rounds, %d different orders of sizes", len(rounds), len(orders))
	}
	for c, n := range messages {
		if n != p.Iterations {
			t.Errorf("row %+v has %d messages, want %d", c, n, p.Iterations)
		}
	}
	for f, n := range follows {
		if n != p.Runs*p.Rounds/modes {
			t.Errorf("%+v: %d times, want %d", f, n, p.Runs*p.Rounds/modes)
		}
	}
	for side, f := range files {
		if got := f.Parameters; got.Seed != 9 || got.Runs != 10 || got.Rounds != 2 {
			t.Errorf("side %d: the file has seed %d, %d runs, %d rounds", side, got.Seed, got.Runs, got.Rounds)
		}
		for _, r := range f.Rows {
			for i, round := range r.Rounds {
				if round.Run != 1+i/p.Rounds {
					t.Errorf("side %d, %s: round %d is of run %d", side, r.Name(), i, round.Run)
				}
			}
			if len(r.Rounds) != p.Runs*p.Rounds {
				t.Errorf("side %d, %s: %d rounds", side, r.Name(), len(r.Rounds))
			}
		}
	}
}

// orderOf returns the sizes and modes of a comparison in the order of their rounds, after runs of other
// processes.
func orderOf(t *testing.T, seed, runs, before int) (all [][2]int) {
	t.Helper()
	p := comparisonPlan(seed)
	p.Runs = runs
	var client recordedSteps
	sides := pair{device: "shm_whole", plan: p, config: func(_ int, c *Config) { c.RunsBefore = before }}
	client.record(&sides)
	if _, errs := sides.run(t); errs != [2]error{} {
		t.Fatal(errs)
	}
	for _, s := range client.rounds() {
		all = append(all, [2]int{s.Size, s.Mode})
	}
	return all
}

// The seed of a plan decides the order of sizes and modes.
func TestSeedDecidesTheOrder(t *testing.T) {
	first, again, other := orderOf(t, 3, 2, 0), orderOf(t, 3, 2, 0), orderOf(t, 4, 2, 0)
	if !slices.Equal(first, again) {
		t.Errorf("seed 3 has two orders: %v and %v", first, again)
	}
	if slices.Equal(first, other) {
		t.Errorf("seeds 3 and 4 have one order: %v", first)
	}
}

// A comparison whose runs are made by several processes has the order of one process: of its rounds, and of
// the queues that each run creates.
func TestOrderContinuesInOtherProcesses(t *testing.T) {
	if one, several := orderOf(t, 3, 2, 0), append(orderOf(t, 3, 1, 0), orderOf(t, 3, 1, 1)...); !slices.Equal(one, several) {
		t.Errorf("two runs of one process: %v, of two: %v", one, several)
	}
	queues := func(run, before int) []int {
		s := session{cfg: &Config{RunsBefore: before}, set: testcase.NewSet(comparisonPlan(3).Resolve()), run: run}
		return s.setupConfig(&DevicePort{}).Order(len(s.set.Modes))
	}
	if second := queues(2, 0); !slices.Equal(second, queues(1, 1)) || slices.Equal(second, queues(1, 0)) {
		t.Errorf("queues of runs 1 and 2 of one process: %v, %v; of two: %v, %v", queues(1, 0), second, queues(1, 0), queues(1, 1))
	}
}

// A comparison that is interrupted in its second run has all rows, with what was measured by then.
func TestInterruptedComparisonKeepsItsRows(t *testing.T) {
	p := comparisonPlan(9)
	p.Runs, p.Rounds = 3, 1
	ctx, cancel := context.WithCancel(context.Background())
	run := 1
	client := recordedSteps{seen: func(s oob.Step) {
		if s.Kind == oob.StepRun {
			run++
		}
		if run == 2 && s.Kind == oob.StepDrain {
			cancel()
		}
	}}
	sides := pair{device: "shm_whole", plan: p, ctx: ctx}
	client.record(&sides)
	files, errs := sides.run(t)
	if !errors.Is(errs[0], ErrInterrupted) || !files[0].Interrupted {
		t.Fatalf("client: %v, marked %v", errs[0], files[0].Interrupted)
	}
	for side, f := range files {
		if n := len(f.Rows) + len(f.NotMeasured); n != len(p.Sizes)*len(comparedRows()) {
			t.Errorf("side %d: %d rows, not measured: %+v", side, n, f.NotMeasured)
		}
		for _, r := range f.Rows {
			if n := len(r.Rounds); n < 1 || n > 2 || r.Rounds[0].Run != 1 || r.Bandwidth.Messages == 0 {
				t.Errorf("side %d, %d bytes, %s: %+v", side, r.Size, r.Name(), r.Rounds)
			}
		}
	}
}
