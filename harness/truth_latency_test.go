package harness

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// trips are the shapes of round trips. Those of WRITE and SEND add up two delays, and
// READs take the client's alone.
var trips = []delays{
	{"constant", wrap.Constant(70 * time.Microsecond), wrap.Constant(150 * time.Microsecond)},
	{"uniform", wrap.Uniform(3, 1000, 400_000), wrap.Uniform(4, 2000, 500_000)},
	{"stalls", wrap.Stall(250, 50*time.Microsecond, time.Second), wrap.Stall(100, 90*time.Microsecond, 70*time.Millisecond)},
}

// lengths are the ways in which long a row can be.
var lengths = map[string]func(p *option.Plan){
	"counted": func(p *option.Plan) { p.Iterations = 1000 },
	"timed":   func(p *option.Plan) { p.Iterations, p.Duration = 0, 100*time.Millisecond },
	"rounds":  func(p *option.Plan) { p.Iterations, p.Rounds = 1000, 5 },
}

// Every statistic of a latency test is that of the delays between posts, exactly or as
// exactly as the histogram keeps them.
func TestLatencyIsExact(t *testing.T) {
	for _, op := range allOps {
		for _, mode := range modes() {
			for _, d := range trips {
				for name, set := range lengths {
					if name == "rounds" && d.name != "uniform" {
						continue
					}
					t.Run(fmt.Sprintf("%s_%s_%s_%s", op, mode, d.name, name), func(t *testing.T) {
						p := testPlan(op, option.KindLatency, 24, 0)
						p.Completion = mode
						set(&p)
						f, client, server := onVirtualTime(t, p, d)
						rounds := samplesOf(t, &p, client, server)
						checkLatency(t, onlyRow(t, f), rounds)
					})
				}
			}
		}
	}
}

// samplesOf returns the samples of each round, from what the messages took.
func samplesOf(t *testing.T, p *option.Plan, client, server *notes) (rounds [][]float64) {
	t.Helper()
	resolved := p.Resolve()
	p = &resolved
	if len(client.rounds) != p.Rounds || len(server.rounds) != p.Rounds {
		t.Fatalf("%d and %d rounds", len(client.rounds), len(server.rounds))
	}
	for i, posts := range client.rounds {
		var samples []float64
		first, end := leadIn, len(posts)-1
		if p.Op == option.OpRead && !p.NoPeak { // whose samples are apart
			first, end = leadIn+1, len(posts)
		}
		for k := first; k < end; k++ {
			trip := posts[k]
			if p.Op != option.OpRead {
				trip += server.rounds[i][k]
			}
			samples = append(samples, float64(trip))
		}
		if !p.NoPeak || p.Duration == 0 {
			checkLength(t, p, i, samples)
		}
		rounds = append(rounds, samples)
	}
	return rounds
}

// checkLength holds a round to its messages, or to its duration: it ends with the sample in
// which its time comes, if there is a clock in the loop.
func checkLength(t *testing.T, p *option.Plan, round int, samples []float64) {
	t.Helper()
	messages, duration := share(p, round)
	if duration == 0 {
		if uint64(len(samples)) != messages {
			t.Errorf("round %d has %d samples, planned are %d", round, len(samples), messages)
		}
		return
	}
	all := sum(samples)
	if last := samples[len(samples)-1]; all < float64(duration) || all-last >= float64(duration) {
		t.Errorf("round %d lasts %.0f ns, planned are %v", round, all, duration)
	}
}

func sum(v []float64) (all float64) {
	for _, x := range v {
		all += x
	}
	return all
}

func mean(v []float64) float64 { return sum(v) / float64(len(v)) }

func stdev(v []float64) float64 {
	squares, m := 0.0, mean(v)
	for _, x := range v {
		squares += (x - m) * (x - m)
	}
	return math.Sqrt(squares / float64(len(v)))
}

const (
	exactly   = 1e-9
	histogram = 1e-3 // its resolution
)

func checkLatency(t *testing.T, r *result.Row, rounds [][]float64) {
	t.Helper()
	l, v := r.Latency, slices.Concat(rounds...)
	slices.Sort(v)
	n := len(v)
	if l.N != uint64(n) {
		t.Errorf("%d samples, want %d", l.N, n)
	}
	for _, c := range []struct {
		what            string
		got, want, part float64
	}{
		{"min", l.MinNs, v[0], exactly},
		{"max", l.MaxNs, v[n-1], exactly},
		{"mean", l.MeanNs, mean(v), exactly},
		{"stdev", l.StdevNs, stdev(v), exactly},
		{"time of an iteration", 1e9 / l.Rate, mean(v) / l.Factor, exactly},
	} {
		if !near(c.got, c.want*l.Factor, c.part) {
			t.Errorf("%s is %v, want %v", c.what, c.got, c.want*l.Factor)
		}
	}
	for percent, got := range map[float64]float64{50: l.P50Ns, 90: l.P90Ns, 99: l.P99Ns, 99.9: l.P999Ns, 99.99: l.P9999Ns} {
		checkPercentile(t, percent, got/l.Factor, v)
	}
	checkRounds(t, r, rounds)
}

// checkPercentile holds a percentile to the sample of its rank, or to those on both sides
// of a rank that is no whole number.
func checkPercentile(t *testing.T, percent, got float64, sorted []float64) {
	t.Helper()
	rank := percent / 100 * float64(len(sorted))
	low := sorted[max(0, int(math.Floor(rank+exactly))-1)]
	high := sorted[max(0, int(math.Ceil(rank-exactly))-1)]
	if got < low*(1-histogram) || got > high*(1+histogram) {
		t.Errorf("p%g is %v, want %v to %v", percent, got, low, high)
	}
}

func checkRounds(t *testing.T, r *result.Row, rounds [][]float64) {
	t.Helper()
	if len(r.Rounds) != len(rounds) {
		t.Fatalf("%d rounds, want %d", len(r.Rounds), len(rounds))
	}
	for i, got := range r.Rounds {
		if got.Messages != uint64(len(rounds[i])) || !near(got.MeanNs, mean(rounds[i])*r.Latency.Factor, exactly) {
			t.Errorf("round %d: %+v, want %d samples of %v", i, got, len(rounds[i]), mean(rounds[i])*r.Latency.Factor)
		}
		v := slices.Sorted(slices.Values(rounds[i]))
		checkPercentile(t, 50, got.P50Ns/r.Latency.Factor, v)
	}
}

// Without a clock in the loop there is the mean alone, and it is exact.
func TestMeanOnlyIsExact(t *testing.T) {
	for _, op := range allOps {
		for _, mode := range modes() {
			for _, name := range []string{"timed", "rounds"} {
				t.Run(fmt.Sprintf("%s_%s_%s", op, mode, name), func(t *testing.T) {
					p := testPlan(op, option.KindLatency, 24, 0)
					p.Completion, p.NoPeak = mode, true
					lengths[name](&p)
					f, client, server := onVirtualTime(t, p, trips[1])
					checkMean(t, onlyRow(t, f), slices.Concat(samplesOf(t, &p, client, server)...))
				})
			}
		}
	}
}

func checkMean(t *testing.T, r *result.Row, samples []float64) {
	t.Helper()
	l := r.Latency
	if !l.MeanOnly || l.N != uint64(len(samples)) || !near(l.MeanNs, mean(samples)*l.Factor, exactly) || l.MaxNs != 0 {
		t.Errorf("%+v, want %d messages of %v", l, len(samples), mean(samples)*l.Factor)
	}
}
