package harness

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
)

// waitLonger lets a message take longer than StallLimit: a wait of a millisecond of virtual time is many passes of the loop,
// between which it yields the CPU.
func waitLonger(t *testing.T) {
	limit := loop.StallLimit
	loop.StallLimit = 10 * time.Minute
	t.Cleanup(func() { loop.StallLimit = limit })
}

// lindley returns the response times of messages that are due at equal distances from first, by Lindley's recursion: the wait
// of a message is the wait and the service of the one before it, less the distance, and at least 0.
func lindley(interval float64, services []float64) (responses []float64) {
	wait := 0.0
	for i, s := range services {
		if i > 0 {
			wait = max(0, wait+services[i-1]-interval)
		}
		responses = append(responses, wait+s)
	}
	return responses
}

// queues are service times of which a server is busy for less than the whole time if a message is due every microsecond.
func queues() (n uint64, services map[string]testdevice.Delay) {
	services = map[string]testdevice.Delay{"constant": testdevice.Constant(800), "uniform": testdevice.Uniform(3, 100, 1500)}
	if wholeMatrix {
		services["1000 stalls of 1 ms"] = testdevice.Stall(3000, 500, time.Millisecond)
		services["a stall of 100 ms"] = testdevice.Stall(2_500_000, 500, 100*time.Millisecond)
		return 3_000_000, services
	}
	services["stalls"] = testdevice.Stall(50, 500, 15*time.Microsecond)
	services["a long stall"] = testdevice.Stall(3000, 500, 300*time.Microsecond)
	return 4000, services
}

// The response times of messages that are due at equal distances are those of Lindley's recursion over the service times, also
// if the window is full and they are posted late. The service times are shorter, because they begin with the post. The sample has fewer messages and shorter stalls.
func TestOpenLoopIsLindleys(t *testing.T) {
	const interval = 1000
	n, services := queues()
	waitLonger(t)
	for name, service := range services {
		t.Run(name, func(t *testing.T) {
			q := &queue{tick: 10, service: service}
			r := onQueue(t, interval, option.ArrivalsConstant, n, 64, q)
			var took []float64
			for k := len(q.posted) - int(n); k < len(q.posted); k++ {
				took = append(took, float64(service(uint64(k))))
			}
			want := lindley(interval, took)
			slices.Sort(want)
			l := r.Latency
			for p, got := range map[float64]float64{50: l.P50Ns, 90: l.P90Ns, 99: l.P99Ns, 99.9: l.P999Ns, 100: l.MaxNs} {
				exact := want[max(0, int(math.Round(p/100*float64(n)))-1)]
				if math.Abs(got-exact) > 0.01*exact+3*float64(q.tick) {
					t.Errorf("p%v is %v, want %v", p, got, exact)
				}
			}
			if m := mean(want); !near(l.MeanNs, m, 0.01+3*float64(q.tick)/m) {
				t.Errorf("the mean is %v, want %v", l.MeanNs, m)
			}
			if r.Load.Growing || r.Load.Offered != 1e9/interval || !near(l.Rate, r.Load.Offered, 0.1) {
				t.Errorf("load %+v, %v answers/s", r.Load, l.Rate)
			}
			if s := r.Load.Service; s.N != n || s.MaxNs > l.MaxNs || s.MeanNs > l.MeanNs {
				t.Errorf("service times %+v are longer than response times %+v", s, l)
			}
		})
	}
}

// A rate that is 11 % more than the server's is too high, also if the round ends before the window is full. 90 % of the server's is not.
func TestQueueThatGrowsWithinTheWindow(t *testing.T) {
	waitLonger(t)
	for _, c := range []struct {
		interval time.Duration
		n        uint64
		window   int
		grows    bool
	}{
		{900, 400, 64, true}, {900, 1000, 128, true}, {900, 1000, 1000, true}, {900, 4000, 16, true}, {500, 100, 64, true},
		{1111, 400, 64, false}, {1111, 4000, 16, false}, {1111, 4000, 1000, false},
	} {
		q := &queue{tick: 10, service: testdevice.Constant(1000)}
		if r := onQueue(t, c.interval, option.ArrivalsConstant, c.n, c.window, q); r.Load.Growing != c.grows || r.Latency.MeanOnly != c.grows {
			t.Errorf("%+v: load %+v, %+v", c, r.Load, r.Latency)
		}
	}
}

// exponential returns exponentially distributed delays.
func exponential(seed uint64, mean float64) testdevice.Delay {
	return func(n uint64) time.Duration {
		return time.Duration(rand.New(rand.NewPCG(seed, n)).ExpFloat64() * mean)
	}
}

// The mean wait of messages that are due at exponentially distributed distances is that of the queues M/M/1 and M/D/1. The
// sample is M/M/1 at half the load.
func TestOpenLoopMeetsQueueingTheory(t *testing.T) {
	if raceDetector {
		t.Skip("too slow with the race detector")
	}
	waitLonger(t)
	const service = 1000
	messages := map[float64]uint64{0.5: 100_000, 0.8: 400_000} // waits of a busy server vary more
	for name, c := range map[string]struct {
		service testdevice.Delay
		factor  float64 // of the wait of M/M/1
	}{"M/M/1": {exponential(1, service), 1}, "M/D/1": {testdevice.Constant(service), 0.5}} {
		for load, n := range messages {
			if !wholeMatrix {
				if name != "M/M/1" || load != 0.5 {
					continue
				}
				n /= 4
			}
			t.Run(fmt.Sprint(name, " at ", load), func(t *testing.T) {
				q := &queue{tick: 1, service: c.service}
				r := onQueue(t, time.Duration(service/load), option.ArrivalsPoisson, n, 1000, q)
				wait, want := r.Latency.MeanNs-service, c.factor*service*load/(1-load)
				t.Logf("wait %.1f ns, %.1f in theory", wait, want)
				if !near(wait, want, 0.02) {
					t.Errorf("the mean wait is %v, want %v", wait, want)
				}
			})
		}
	}
}
