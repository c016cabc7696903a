package harness

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testclock"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// injected runs a plan on devices whose posts of messages take longer by d, in real time, and
// returns its row.
func injected(t *testing.T, p option.Plan, d func(n uint64, wr *verbs.SendWR) time.Duration) *result.Row {
	t.Helper()
	post := func(n uint64, wr *verbs.SendWR) time.Duration {
		if testdevice.Length(wr) != uint64(p.Sizes[0]) {
			return 0
		}
		return d(n, wr)
	}
	files, errs := pair{device: "shm_whole", plan: p, wholeWarmUp: true, wrap: func(_ int, c verbs.Context) verbs.Context {
		return testdevice.Context(c, testdevice.Options{PostDelay: post})
	}}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	return onlyRow(t, files[0])
}

// An injected delay is in every sample, including the first and the last, and adds its own time: half
// of both sides' delays, or the requester's delay of a READ.
func TestInjectedDelayIsMeasured(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector's own time changes from run to run")
	}
	testclock.Prefer(t)
	for _, op := range allOps {
		for _, mode := range modes() {
			delay, tolerance := injectedDelay(mode)
			t.Run(fmt.Sprintf("%s_%s", op, mode), func(t *testing.T) {
				if op == option.OpRead && mode == option.ModeEvent {
					t.Skip("READs of the embedded device never sleep")
				}
				p := testPlan(op, option.KindLatency, 24, 0)
				p.Completion, p.Duration = mode, 20*time.Millisecond
				var plain, slow []float64 // medians of alternating runs
				eventually(t, func() error {
					plain = append(plain, injected(t, p, testdevice.Constant(0).Posts).Latency.P50Ns)
					l := injected(t, p, testdevice.Constant(delay).Posts).Latency
					slow = append(slow, l.P50Ns)
					notBelow(t, l, delay)
					// Other work on the host only adds to the time of a run, so the least counts.
					added := slices.Min(slow) - slices.Min(plain)
					if off := math.Abs(added - float64(delay)); off > float64(tolerance) {
						return fmt.Errorf("%v more add %.0f ns to the median", delay, added)
					}
					return nil
				})
			})
		}
	}
}

// notBelow checks that the least sample is not below the injected delay, less the difference of two
// clocks.
func notBelow(t *testing.T, l *result.Latency, delay time.Duration) {
	t.Helper()
	if least := float64(delay) * (1 - 1e-4); l.MinNs < least {
		t.Errorf("t_min is %.0f ns, injected was %v", l.MinNs, delay)
	}
}

// injectedDelay returns the delay to inject in a mode, and by how much its measured time may be off. After a spin of
// 50 usec posts and polls themselves take 0.3 to 1 usec longer on some hosts, after 5 usec less than 50 ns. In modes that
// sleep the tolerance is the time of a wake-up, which is longer after a longer sleep.
func injectedDelay(m option.Mode) (delay, tolerance time.Duration) {
	if m == option.ModeEvent || m == option.ModeAdaptive {
		return 50 * time.Microsecond, 25 * time.Microsecond
	}
	return 5 * time.Microsecond, 100 * time.Nanosecond
}

// The pauses of --gap are not in the samples. They are longer than a thread waits for its CPU on a
// busy host.
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
					r := injected(t, p, testdevice.Constant(delay).Posts)
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

// Neither the peak nor the average exceeds the bandwidth of the device.
func TestPeakIsNoMoreThanTheDeviceGives(t *testing.T) {
	const most = 1 << 30 // bytes/s of a QP
	for _, op := range allOps {
		for _, mode := range modes() {
			for _, qps := range []int{1, 8} {
				t.Run(fmt.Sprintf("%s_%s_%d_QPs", op, mode, qps), func(t *testing.T) {
					p := testPlan(op, option.KindBandwidth, 4096, 0)
					p.Completion, p.QPs, p.TxDepth, p.Duration, p.Touch = mode, qps, 2, 20*time.Millisecond, option.TouchRead
					r := injected(t, p, testdevice.Rate(most))
					b, rings := r.Bandwidth, float64(r.Slots*qps*r.Size) // may have arrived before the receiver starts its clock
					if b.Average > most*1.005+rings/b.Seconds || b.Peak > most*1.005+rings/b.WindowS {
						t.Errorf("average %.0f, peak %.0f bytes/s of %d", b.Average, b.Peak, most)
					}
				})
			}
		}
	}
}

// The first and the last sample are like the others: none has only the time of a reading of the clock.
func TestNoSampleEndsWithoutItsMessage(t *testing.T) {
	for _, op := range allOps {
		p := testPlan(op, option.KindLatency, 1<<20, 100)
		p.Completion = option.ModePoll
		var l *result.Latency
		eventually(t, func() error {
			if l = injected(t, p, testdevice.Constant(0).Posts).Latency; l.MinNs < l.P50Ns/8 {
				return fmt.Errorf("%s: t_min is %.0f ns, the median %.0f", op, l.MinNs, l.P50Ns)
			}
			return nil
		})
	}
}
