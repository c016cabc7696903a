package harness

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// trips are the delays of round trips. A round trip of WRITE and SEND takes both sides' delays, a READ
// the client's only.
var trips = []delays{
	{"constant", testdevice.Constant(70 * time.Microsecond), testdevice.Constant(150 * time.Microsecond)},
	{"uniform", testdevice.Uniform(3, 1000, 400_000), testdevice.Uniform(4, 2000, 500_000)},
	{"stalls", testdevice.Stall(250, 50*time.Microsecond, time.Second), testdevice.Stall(100, 90*time.Microsecond, 70*time.Millisecond)},
}

// lengths set the length of a run.
var lengths = map[string]func(p *option.Plan){
	"counted": func(p *option.Plan) { p.Iterations = 1000 },
	"timed":   func(p *option.Plan) { p.Iterations, p.Duration = 0, 100*time.Millisecond },
	"rounds":  func(p *option.Plan) { p.Iterations, p.Rounds = 1000, 5 },
}

// Every statistic of a latency test is that of the injected delays, exactly or within the resolution
// of the histogram. The sample has each operation in each mode with all three
// shapes of delays, each shape with one length of the run: every length that it can have in turn.
func TestLatencyIsExact(t *testing.T) {
	for o, op := range allOps {
		for m, mode := range modes() {
			for i, d := range trips {
				names := []string{"counted", "timed"}
				if d.name == "uniform" {
					names = append(names, "rounds")
				}
				for n, name := range names {
					if !wholeMatrix && (o+m+i)%len(names) != n {
						continue
					}
					set := lengths[name]
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

// samplesOf returns the samples of each round that follow from the times of the messages.
func samplesOf(t *testing.T, p *option.Plan, client, server *notes) (rounds [][]float64) {
	t.Helper()
	resolved := p.Resolve()
	p = &resolved
	if len(client.rounds) != p.Rounds || len(server.rounds) != p.Rounds {
		t.Fatalf("%d and %d rounds", len(client.rounds), len(server.rounds))
	}
	for i, posts := range client.rounds {
		var samples []float64
		first, end := untimedMessages, len(posts)-1
		if p.Op == option.OpRead && !p.NoPeak { // each sample is of one READ
			first, end = untimedMessages+1, len(posts)
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

// checkLength checks the number of messages or the duration of a round. A timed round ends with the
// sample in which its time is over, if the loop reads the clock.
func checkLength(t *testing.T, p *option.Plan, round int, samples []float64) {
	t.Helper()
	messages, duration := roundLength(p, round)
	if duration == 0 {
		if uint64(len(samples)) != messages {
			t.Errorf("round %d has %d samples, planned are %d", round, len(samples), messages)
		}
		return
	}
	all := sum(samples)
	if last := samples[len(samples)-1]; all < float64(duration) || all-last >= float64(duration) {
		t.Errorf("round %d took %.0f ns, want %v", round, all, duration)
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

// checkPercentile compares a percentile with the sample of its rank, or with the two samples around a
// fractional rank.
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

// With --no-peak a row has the mean only, and it is exact. The sample has timed and
// counted runs in turn.
func TestMeanOnlyIsExact(t *testing.T) {
	for o, op := range allOps {
		for m, mode := range modes() {
			for i, name := range []string{"timed", "rounds"} {
				if !wholeMatrix && (o+m)%2 != i {
					continue
				}
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

// untimedMessages is the number of messages of a ping-pong before the clock starts.
const untimedMessages = 8
