package harness

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// injected runs a plan on devices whose posts of messages take longer by d, in real time,
// and returns its only row.
func injected(t *testing.T, p option.Plan, d func(n uint64, wr *verbs.SendWR) time.Duration) *result.Row {
	t.Helper()
	post := func(n uint64, wr *verbs.SendWR) time.Duration {
		if wrap.Length(wr) != uint64(p.Sizes[0]) {
			return 0
		}
		return d(n, wr)
	}
	files, errs := pair{device: "shm_whole", plan: p, wrap: func(_ int, c verbs.Context) verbs.Context {
		return wrap.Context(c, wrap.Options{PostDelay: post})
	}}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	return onlyRow(t, files[0])
}

// A delay is in every sample, the first and the last among them, and adds what it is: half
// of both sides' posts, or the requester's whole one.
func TestInjectedDelayIsMeasured(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector's own time changes from run to run")
	}
	const delay = 50 * time.Microsecond
	for _, op := range allOps {
		for _, mode := range modes() {
			t.Run(fmt.Sprintf("%s_%s", op, mode), func(t *testing.T) {
				if op == option.OpRead && mode == option.ModeEvent {
					t.Skip("READs of the embedded device never sleep")
				}
				p := testPlan(op, option.KindLatency, 24, 0)
				p.Completion, p.Duration = mode, 20*time.Millisecond
				var plain, slow []float64 // medians of runs in turns
				eventually(t, func() error {
					plain = append(plain, injected(t, p, wrap.Constant(0).Posts).Latency.P50Ns)
					l := injected(t, p, wrap.Constant(delay).Posts).Latency
					slow = append(slow, l.P50Ns)
					notBelow(t, l, delay)
					// What others take from the machine only adds to a run: the least counts.
					added := slices.Min(slow) - slices.Min(plain)
					if off := math.Abs(added - float64(delay)); off > tolerance(mode, delay) {
						return fmt.Errorf("%v more add %.0f ns to the median", delay, added)
					}
					return nil
				})
			})
		}
	}
}

// notBelow holds the least sample to what was injected, less what two clocks may differ in.
func notBelow(t *testing.T, l *result.Latency, delay time.Duration) {
	t.Helper()
	if least := float64(delay) * (1 - 1e-4); l.MinNs < least {
		t.Errorf("t_min is %.0f ns, injected was %v", l.MinNs, delay)
	}
}

// tolerance is 1 % or 100 ns, whichever is more. A thread that sleeps longer also wakes up
// more slowly, so for events it is the time of a wake-up.
func tolerance(m option.Mode, d time.Duration) float64 {
	if m == option.ModeEvent {
		return float64(d) / 2
	}
	return max(0.01*float64(d), 100)
}

// The same with pauses between the messages, which are no part of what is measured. They
// are longer than a thread waits for its CPU on a busy machine.
func TestGapIsNotMeasured(t *testing.T) {
	const delay, gap = 20 * time.Microsecond, 40 * time.Millisecond
	for _, op := range allOps {
		for _, mode := range []option.Mode{option.ModeData, option.ModePoll} {
			if mode == option.ModeData && !promised {
				continue
			}
			t.Run(fmt.Sprintf("%s_%s", op, mode), func(t *testing.T) {
				p := testPlan(op, option.KindLatency, 24, 15)
				p.Completion, p.Gap = mode, gap
				eventually(t, func() error {
					r := injected(t, p, wrap.Constant(delay).Posts)
					notBelow(t, r.Latency, delay)
					if r.Latency.N != p.Iterations {
						t.Fatalf("%d samples", r.Latency.N)
					}
					if most := float64(time.Second / gap); !(r.Latency.Rate > 0) || r.Latency.Rate > most {
						t.Errorf("%.1f iterations a second, with pauses no more than %.0f", r.Latency.Rate, most)
					}
					if l := r.Latency; l.P50Ns > float64(gap)/4 {
						return fmt.Errorf("the median is %.0f ns, injected was %v", l.P50Ns, delay)
					}
					return nil
				})
			})
		}
	}
}

// No window of a stream is faster than the device, and its average is not either.
func TestPeakIsNoMoreThanTheDeviceGives(t *testing.T) {
	const most = 1 << 30 // bytes/s of a QP
	for _, op := range allOps {
		for _, mode := range modes() {
			for _, qps := range []int{1, 8} {
				t.Run(fmt.Sprintf("%s_%s_%d_QPs", op, mode, qps), func(t *testing.T) {
					p := testPlan(op, option.KindBandwidth, 4096, 0)
					p.Completion, p.QPs, p.TxDepth, p.Duration, p.Touch = mode, qps, 2, 20*time.Millisecond, option.TouchRead
					r := injected(t, p, wrap.Rate(most))
					b, rings := r.Bandwidth, float64(r.Slots*qps*r.Size) // may have come before they are seen
					if b.Average > most*1.005+rings/b.Seconds || b.Peak > most*1.005+rings/b.WindowS {
						t.Errorf("average %.0f, peak %.0f bytes/s of %d", b.Average, b.Peak, most)
					}
				})
			}
		}
	}
}

// The first and the last sample of a run are like the others: the time of large messages
// does not come down to that of a look at the clock.
func TestNoSampleEndsWithoutItsMessage(t *testing.T) {
	for _, op := range allOps {
		p := testPlan(op, option.KindLatency, 1<<20, 100)
		p.Completion = option.ModePoll
		var l *result.Latency
		eventually(t, func() error {
			if l = injected(t, p, wrap.Constant(0).Posts).Latency; l.MinNs < l.P50Ns/8 {
				return fmt.Errorf("%s: t_min is %.0f ns, the median %.0f", op, l.MinNs, l.P50Ns)
			}
			return nil
		})
	}
}
