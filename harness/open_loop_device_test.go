package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// withRate returns the plan of a latency test with a rate of messages a second.
func withRate(op option.Op, mode option.Mode, perSecond float64, n uint64) option.Plan {
	p := testPlan(op, option.KindLatency, sizeOf(op), n)
	p.Completion, p.RateLimit, p.RateUnits = mode, perSecond, option.RateMessages
	return p
}

// Each operation is measured at a rate in each mode, on one QP and, where messages are answered, on several.
func TestOpenLoopInEveryMode(t *testing.T) {
	const n = 300
	for _, op := range everyOp {
		for _, mode := range modesOf(op) {
			if op.Fetches() && sleepsIn(mode) { // see TestFetchesNeverSleepAtARate
				continue
			}
			for _, qps := range []int{1, 3} {
				if qps > 1 && op.Fetches() {
					continue
				}
				t.Run(fmt.Sprintf("%s_%s_%d_QPs", op, mode, qps), func(t *testing.T) {
					p := withRate(op, mode, 5000, n)
					p.QPs, p.Verify = qps, true
					files, errs := pair{device: "shm_whole", plan: p}.run(t)
					if err := cmp.Or(errs[0], errs[1]); err != nil {
						t.Fatal(err)
					}
					r := onlyRow(t, files[0])
					if r.Latency.N != n || r.Load == nil || r.Load.Window != 128 || r.Verify.Bad() > 0 {
						t.Fatalf("%+v, load %+v, %+v", r.Latency, r.Load, r.Verify)
					}
					if s := r.Load.Service; !r.Load.Growing && (s.N != n || s.MeanNs > r.Latency.MeanNs || s.Rate != r.Latency.Rate) {
						t.Errorf("service times %+v, response times %+v", s, r.Latency)
					}
					if peer := onlyRow(t, files[1]); peer.Load == nil || peer.Load.Offered != r.Load.Offered {
						t.Errorf("the server's row has load %+v", peer.Load)
					}
				})
			}
		}
	}
}

func sleepsIn(m option.Mode) bool { return m == option.ModeAdaptive || m == option.ModeEvent }

// The client of READs and atomic operations keeps the rate and waits for completions, so a comparison has no rows of modes that
// sleep, and says why.
func TestFetchesNeverSleepAtARate(t *testing.T) {
	for _, op := range []option.Op{option.OpRead, option.OpAtomic} {
		p := withRate(op, option.ModeDefault, 5000, 0)
		p.Compare, p.Duration = true, 20*time.Millisecond
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if err := cmp.Or(errs[0], errs[1]); err != nil {
			t.Fatal(err)
		}
		left := map[string]string{}
		for _, m := range files[0].NotMeasured {
			left[m.Mode] = m.Why
		}
		if len(left) != 2 || left["event"] != keepsTheRate || left["adaptive"] != keepsTheRate {
			t.Errorf("%s: not measured: %v", op, left)
		}
		if slices.ContainsFunc(files[0].Rows, func(r result.Row) bool { return sleepsIn(r.Mode) }) {
			t.Errorf("%s: a row of a mode that sleeps", op)
		}
	}
}

// A rate that cannot be reached has no percentiles, in counted and in timed runs, and the row says so.
func TestOpenLoopThatIsTooFast(t *testing.T) {
	for name, set := range lengths {
		t.Run(name, func(t *testing.T) {
			p := withRate(option.OpSend, option.ModePoll, 1e9, 0)
			set(&p)
			if p.Iterations > 0 {
				p.Iterations = 50_000
			}
			files, errs := pair{device: "shm_whole", plan: p}.run(t)
			if err := cmp.Or(errs[0], errs[1]); err != nil {
				t.Fatal(err)
			}
			r := onlyRow(t, files[0])
			if l := r.Load; !l.Growing || l.Backlog == 0 || l.Service != nil || !r.Latency.MeanOnly || r.NoRatio == "" {
				t.Errorf("load %+v, %+v", l, r.Latency)
			}
			for _, round := range r.Rounds {
				if round.P50Ns != 0 || round.P90Ns != 0 || round.P99Ns != 0 || round.Messages == 0 {
					t.Errorf("a round has %+v", round)
				}
			}
			if !slices.ContainsFunc(r.Warnings, func(w result.Warning) bool { return w.ID == result.WarnBacklog }) {
				t.Errorf("warnings %v", r.Warnings)
			}
			both := merged(t, files[0], slowerFile(files[0]))
			if n := countOf(both.Rows[0].Warnings, result.WarnBacklog); n != 1 {
				t.Errorf("two runs together have %d warnings about their rate: %v", n, both.Rows[0].Warnings)
			}
		})
	}
}

// A run that is interrupted is judged by the time that it took.
func TestInterruptedOpenLoop(t *testing.T) {
	for _, set := range []func(p *option.Plan){func(p *option.Plan) { p.Duration = time.Hour }, func(p *option.Plan) { p.Iterations = 1 << 30 }} {
		for rate, grows := range map[float64]bool{2000: false, 1e9: true} {
			p := withRate(option.OpSend, option.ModePoll, rate, 0)
			set(&p)
			ctx, cancel := context.WithCancel(t.Context())
			sides := pair{device: "shm_whole", plan: p, ctx: ctx}
			newCountdown(1000, cancel).countPosts(&sides)
			files, errs := sides.run(t)
			if !errors.Is(errs[0], ErrInterrupted) {
				t.Fatal(errs)
			}
			if r := onlyRow(t, files[0]); r.Load == nil || r.Load.Growing != grows || r.Latency.MeanOnly != grows {
				t.Errorf("%v messages/s: load %+v, %+v", rate, r.Load, r.Latency)
			}
		}
	}
}

// slowerFile returns a file whose rows answered half as many messages per second in all rounds.
func slowerFile(f *result.File) *result.File {
	slower := *f
	slower.Rows = slices.Clone(f.Rows)
	for i := range slower.Rows {
		r := &slower.Rows[i]
		r.Warnings, r.Rounds = slices.Clone(r.Warnings), slices.Clone(r.Rounds)
		for j := range r.Rounds {
			r.Rounds[j].Seconds *= 2
		}
		for j := range r.Warnings {
			r.Warnings[j].Text += ", slower"
		}
	}
	return &slower
}

func countOf(all []result.Warning, id result.WarningID) (n int) {
	for _, w := range all {
		if w.ID == id {
			n++
		}
	}
	return n
}

// The peer's messages of a round are awaited for as long as the messages of a low rate take.
func TestRoundsOfALowRateAreAwaited(t *testing.T) {
	for _, op := range everyOp {
		for _, kind := range allKinds {
			p := testPlan(op, kind, sizeOf(op), 100)
			p.RateLimit, p.RateUnits = 1, option.RateMessages
			p = p.Resolve()
			if d := longestRound(&p); d < 100*time.Second {
				t.Errorf("%s %s: %v for 100 messages at one a second", op, kind, d)
			}
		}
	}
}
