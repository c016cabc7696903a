package harness

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
)

// Counters and CPU time of the host are read before and after each measured round, not of warm-ups,
// and a row has their growth.
func TestCountersOfARow(t *testing.T) {
	var reads atomic.Uint64
	p := testPlan(option.OpWrite, option.KindBandwidth, 8, 1000)
	p.Sizes, p.Rounds = []int{8, 64}, 4
	files, errs := pair{device: "shm_whole", plan: p, config: func(side int, c *Config) {
		if side == 0 {
			c.CPUUtil = true
			c.Counters = []Counter{{"reads", func() (uint64, error) { return reads.Add(1), nil }}}
		}
	}}.run(t)
	if errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	for _, r := range files[0].Rows {
		if r.Local.Counters["reads"] != 4 { // it grows by 1 from one reading to the next
			t.Errorf("%d bytes: a counter grew by %d in 4 rounds, want 4", r.Size, r.Local.Counters["reads"])
		}
		if u := r.Local.CPUUtil; u != nil && (*u < 0 || *u > 1) {
			t.Errorf("%d bytes: CPUs were %v busy", r.Size, *u)
		}
	}
	for _, r := range files[1].Rows {
		if r.Local.Counters != nil || r.Local.CPUUtil != nil {
			t.Errorf("the server counted %v, %v, and was not asked to", r.Local.Counters, r.Local.CPUUtil)
		}
	}
}

func TestACounterThatCannotBeRead(t *testing.T) {
	_, errs := pair{device: "shm_whole", plan: testPlan(option.OpWrite, option.KindBandwidth, 8, 100), config: func(side int, c *Config) {
		c.Counters = []Counter{{"gone", func() (uint64, error) { return 0, errors.New("no such device") }}}
	}}.run(t)
	if errs[0] == nil || !strings.Contains(errs[0].Error(), "read counter gone: no such device") {
		t.Error(errs[0])
	}
}

func TestTicksOfAllCPUs(t *testing.T) {
	busy, total, err := readTicks()
	if err != nil || busy == 0 || busy > total {
		t.Errorf("%d of %d ticks: %v", busy, total, err)
	}
}

// A row keeps the first KeepSamples samples of its rounds in their order.
func TestSamplesAreKept(t *testing.T) {
	for _, room := range []int{0, 25, 1000} {
		p := testPlan(option.OpSend, option.KindLatency, 8, 100)
		p.Rounds = 4
		files, errs := pair{device: "shm_whole", plan: p, config: func(_ int, c *Config) { c.KeepSamples = room }}.run(t)
		if errs[0] != nil || errs[1] != nil {
			t.Fatal(errs)
		}
		r := files[0].Rows[0]
		if len(r.Samples) != min(room, 100) || len(files[1].Rows[0].Samples) != 0 {
			t.Errorf("room for %d: %d samples at the client, %d at the server", room, len(r.Samples), len(files[1].Rows[0].Samples))
		}
		if room == 1000 && (slices.Min(r.Samples) != r.Latency.MinNs || slices.Max(r.Samples) != r.Latency.MaxNs) {
			t.Errorf("samples from %v to %v, statistics from %v to %v", slices.Min(r.Samples), slices.Max(r.Samples), r.Latency.MinNs, r.Latency.MaxNs)
		}
	}
}

// In a timed run the margin is part of the duration, at both ends.
func TestMarginIsPartOfTheDuration(t *testing.T) {
	p := testPlan(option.OpWrite, option.KindBandwidth, 8, 0)
	p.Iterations, p.Duration, p.Margin, p.Rounds = 0, 500*time.Millisecond, 200*time.Millisecond, 1
	if _, measured := roundLength(&p, 0); measured != 100*time.Millisecond {
		t.Errorf("measured for %v", measured)
	}
	p.Compare = true
	if _, measured := roundLength(&p, 0); measured != 500*time.Millisecond {
		t.Errorf("in a comparison measured for %v", measured)
	}
}

// The margin lengthens the warm-up of each row, and the row has its length.
func TestMarginIsWarmUp(t *testing.T) {
	for margin, want := range map[time.Duration]float64{0: 0.005, time.Millisecond: 0.005, 300 * time.Millisecond: 0.3} {
		p := testPlan(option.OpWrite, option.KindBandwidth, 8, 100)
		p.Margin = margin
		began := time.Now()
		files, errs := pair{device: "shm_whole", plan: p, wholeWarmUp: true}.run(t)
		if errs[0] != nil || errs[1] != nil {
			t.Fatal(errs)
		}
		if got := files[0].Rows[0].WarmupS; got != want || time.Since(began).Seconds() < want {
			t.Errorf("margin %v: %v s of warm-up in %v, want %v", margin, got, time.Since(began), want)
		}
	}
}
