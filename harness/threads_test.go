package harness

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// With one or two threads, in one or both directions, every message is received as it was sent, and
// the bandwidth is the bytes over the time.
func TestThreadsAndBothDirections(t *testing.T) {
	for _, op := range allOps {
		for _, mode := range modes() {
			for _, both := range []bool{false, true} {
				for _, threads := range []int{1, 2} {
					t.Run(fmt.Sprintf("%s_%s_both_%v_%d_threads", op, mode, both, threads), func(t *testing.T) {
						p := testPlan(op, option.KindBandwidth, 4096, 500)
						p.Completion, p.QPs, p.Threads, p.Both, p.Verify = mode, 4, threads, both, true
						begun := time.Now()
						files, errs := pair{device: "shm_whole", plan: p}.run(t)
						if errs != [2]error{} {
							t.Fatal(errs)
						}
						for side, f := range files {
							checkWorked(t, side, onlyRow(t, f), &p, time.Since(begun))
						}
					})
				}
			}
		}
	}
}

// checkWorked compares a row with the messages of the plan. The first messages of a receiver start
// its clock and are not counted.
func checkWorked(t *testing.T, side int, r *result.Row, p *option.Plan, wall time.Duration) {
	t.Helper()
	all := p.Iterations * uint64(p.QPs)
	if p.Both {
		all *= 2
	}
	b, v := r.Bandwidth, r.Verify
	first := uint64(2 * p.Threads * p.CQEPoll)
	if b.Messages > all || b.Messages+first < all || b.Bytes != b.Messages*uint64(r.Size) {
		t.Errorf("side %d counts %d messages of %d", side, b.Messages, all)
	}
	if b.Seconds <= 0 || b.Seconds > wall.Seconds() || !near(b.Average, float64(b.Bytes)/b.Seconds, exactly) {
		t.Errorf("side %d: %.0f bytes/s, %d bytes in %v s of %v", side, b.Average, b.Bytes, b.Seconds, wall)
	}
	if v == nil || v.Bad() != 0 || v.Messages < all {
		t.Errorf("side %d checked %+v, want %d messages", side, v, all)
	}
}

// Three threads send the messages of each test over each transport on two QPs each: those of all threads are in the row, every
// byte arrives, and both sides have the number of threads.
func TestThreads(t *testing.T) {
	legal(t, func(t *testing.T, p option.Plan) {
		if p.Multicast {
			return
		}
		for _, mode := range modes() {
			p := p
			p.Threads, p.Verify, p.Iterations, p.Completion = 3, true, 60, mode
			if p.Bandwidth() || !p.Fetches() {
				p.QPs = 6
			}
			if p.Check() != nil {
				continue // the mode does not have the transport
			}
			files, errs := pair{device: "shm_whole", plan: p}.run(t)
			if err := errors.Join(errs[:]...); err != nil {
				t.Fatalf("%s: %v", mode, err)
			}
			for side, f := range files {
				r := onlyRow(t, f)
				checkArrived(t, &p, r.Verify.Messages, r.Verify.Bad(), r.Delivery != nil)
				if f.Parameters.Threads != 3 || f.Parameters.QPs != max(p.QPs, 3) {
					t.Errorf("side %d: %d threads, %d QPs", side, f.Parameters.Threads, f.Parameters.QPs)
				}
				if l := r.Latency; l != nil && !p.Transport.Lossy() && l.N != 3*p.Iterations {
					t.Errorf("%s, side %d: %d samples of 3 threads with %d messages each", mode, side, l.N, p.Iterations)
				}
			}
		}
	})
}

// The samples of a latency test are those of all threads, in their order, and its rate is that of all threads together. With
// --noPeak the mean is that of a message, although threads send at the same time.
func TestThreadsOfALatencyTest(t *testing.T) {
	for _, noPeak := range []bool{false, true} {
		p := testPlan(option.OpWrite, option.KindLatency, 8, 400)
		p.Threads, p.NoPeak = 2, noPeak
		files, errs := pair{device: "shm_whole", plan: p, config: func(_ int, c *Config) { c.KeepSamples = 1000 }}.run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		for side, f := range files {
			r := onlyRow(t, f)
			l := r.Latency
			together := l.Rate * l.MeanNs / l.Factor / 1e9 // messages that were under way on average
			if l.N != 800 || l.MeanOnly != noPeak || together < 0.2 || together > 2.01 {
				t.Errorf("noPeak %v, side %d: %+v, %.3f messages under way", noPeak, side, l, together)
			}
			if want := map[bool]int{true: 800}[side == 0 && !noPeak]; len(r.Samples) != want {
				t.Errorf("noPeak %v, side %d: %d samples are kept, want %d", noPeak, side, len(r.Samples), want)
			}
		}
	}
}

// The peak of several threads is that of windows in which all of them sent.
func TestPeakOfThreads(t *testing.T) {
	p := testPlan(option.OpWrite, option.KindBandwidth, 4096, 0)
	p.Threads, p.Duration = 2, 50*time.Millisecond
	files, errs := pair{device: "shm_whole", plan: p}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	b := onlyRow(t, files[0]).Bandwidth
	if b.WindowS == 0 || b.Slowest > b.Average || b.MedianWindow < b.Slowest || b.Peak < b.MedianWindow || b.Peak < b.Average {
		t.Errorf("%+v", b)
	}
}

// The rate of a latency test is that of all threads together.
func TestRateOfThreads(t *testing.T) {
	for _, arrivals := range []option.Arrivals{option.ArrivalsConstant, option.ArrivalsPoisson} {
		p := testPlan(option.OpWrite, option.KindLatency, 8, 0)
		p.Threads, p.QPs, p.Duration, p.RateLimit, p.RateUnits, p.Arrivals = 2, 3, 400*time.Millisecond, 2000, option.RateMessages, arrivals
		p.Seed = 7
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		r := onlyRow(t, files[0])
		if l := r.Load; l == nil || l.Offered != 2000 || l.Window != 2*128 {
			t.Fatalf("%+v", l)
		}
		if n := float64(r.Latency.N); n < 0.85*800 || n > 1.15*800 {
			t.Errorf("%s: %.0f messages in 0.4 s at 2000 per second", arrivals, n)
		}
	}
}

// Threads with more QPs than others send as many messages in a counted run, at the same rate.
func TestCountedRateOfThreads(t *testing.T) {
	p := testPlan(option.OpWrite, option.KindLatency, 8, 400)
	p.Threads, p.QPs, p.RateLimit, p.RateUnits = 2, 3, 2000, option.RateMessages
	eventually(t, func() error {
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		if l := onlyRow(t, files[0]).Latency; l.N != 800 || l.Rate < 0.9*2000 || l.Rate > 1.1*2000 {
			return fmt.Errorf("%d messages, %.0f answers per second, 2000 were due", l.N, l.Rate)
		}
		return nil
	})
}

// Each thread has a CPU of its own, if there are as many.
func TestCPUsOfThreads(t *testing.T) {
	own := affinity.Free(nil)
	if len(own) < 2 {
		t.Skip("needs two CPUs")
	}
	for _, threads := range []int{2, len(own) + 1} {
		p := testPlan(option.OpWrite, option.KindLatency, 8, 300)
		p.Threads = threads
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		for side, f := range files {
			r := onlyRow(t, f)
			if threads > len(own) {
				if f.Local.PinnedCPUs != nil || f.Peer.PinnedCPUs != nil {
					t.Errorf("side %d: %d threads are pinned to %v and %v", side, threads, f.Local.PinnedCPUs, f.Peer.PinnedCPUs)
				}
				continue
			}
			for _, s := range []struct {
				pinned, seen []int
			}{{f.Local.PinnedCPUs, r.Local.CPUs}, {f.Peer.PinnedCPUs, r.Peer.CPUs}} {
				if slices.Sort(s.seen); len(s.pinned) != threads || !slices.Equal(s.seen, slices.Sorted(slices.Values(s.pinned))) {
					t.Errorf("side %d: threads pinned to %v were on %v", side, s.pinned, s.seen)
				}
			}
			if r.Distances != nil {
				t.Errorf("side %d: distances %v of several threads", side, r.Distances)
			}
		}
	}
}
