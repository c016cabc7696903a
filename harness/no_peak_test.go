package harness

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testclock"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// With --no-peak a row has a mean or an average only, over all messages of a counted run.
func TestNoPeak(t *testing.T) {
	eachTest(t, func(t *testing.T, op option.Op, kind option.Kind) {
		for _, duration := range []time.Duration{0, 20 * time.Millisecond} {
			p := testPlan(op, kind, 0, 1000)
			if duration > 0 {
				p.Iterations = 0
			}
			p.Sizes, p.Compare, p.NoPeak, p.Duration = []int{8, 16384}, true, true, duration
			if duration > 0 {
				p.Sizes = []int{8}
			}
			p.Rounds = 2 // a timed round ends at the first reading of the clock after its time
			files, errs := pair{device: "shm_whole", plan: p}.run(t)
			if errs[0] != nil || errs[1] != nil {
				t.Fatalf("%v: client: %v; server: %v", duration, errs[0], errs[1])
			}
			for side, f := range files {
				if !f.Parameters.NoPeak || countCompared(f) != len(p.Sizes)*len(comparedRows()) {
					t.Errorf("side %d: %d rows and %d not measured, parameters %+v", side, len(f.Rows), len(f.NotMeasured), f.Parameters)
				}
				for i := range f.Rows {
					checkNoPeak(t, &f.Rows[i], &p)
				}
			}
		}
	})
}

func checkNoPeak(t *testing.T, r *result.Row, p *option.Plan) {
	t.Helper()
	if l := r.Latency; p.Kind == option.KindLatency {
		if l.MeanNs <= 0 || *l != (result.Latency{N: l.N, MeanNs: l.MeanNs, Rate: l.Rate, Factor: l.Factor, MeanOnly: true}) || !near(l.Rate, 1e9*l.Factor/l.MeanNs, 1e-6) {
			t.Errorf("%s, %d bytes: %+v", r.Mode, r.Size, l)
		}
		if p.Duration == 0 && l.N != p.Iterations {
			t.Errorf("%s, %d bytes: %d messages, want %d", r.Mode, r.Size, l.N, p.Iterations)
		}
		return
	}
	b := r.Bandwidth
	if b.Average <= 0 || b.Peak != 0 || b.Messages == 0 {
		t.Errorf("%s, %d bytes: %+v", r.Mode, r.Size, b)
	}
	if p.Duration == 0 && (b.Messages > p.Iterations || b.MeasuredAt != "receiver" && b.Messages != p.Iterations) {
		t.Errorf("%s, %d bytes: %d messages of %d", r.Mode, r.Size, b.Messages, p.Iterations)
	}
}

// A timed run with --no-peak ends soon after its time, even if 1024 messages, the distance of
// readings of the clock, take long. The row has the messages until its last reading.
func TestNoPeakEndsInTime(t *testing.T) {
	eachTest(t, func(t *testing.T, op option.Op, kind option.Kind) {
		p := testPlan(op, kind, 8<<20, 0)
		p.Completion, p.NoPeak, p.Duration = option.ModePoll, true, 200*time.Millisecond
		p.TxDepth = 1
		start := testclock.Start()
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if errs[0] != nil || errs[1] != nil {
			t.Fatalf("client: %v; server: %v", errs[0], errs[1])
		}
		if took := start.Took(); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
		r := files[0].Rows[0]
		var seconds float64
		if l := r.Latency; l != nil {
			seconds = float64(l.N) * l.MeanNs / l.Factor / 1e9
		} else {
			seconds = r.Bandwidth.Seconds
		}
		if seconds < 0.2 || seconds > 5 {
			t.Errorf("%g s were measured", seconds)
		}
	})
}

// An interrupted timed run keeps the figures of its last reading of the clock.
func TestNoPeakIsInterrupted(t *testing.T) {
	eachTest(t, func(t *testing.T, op option.Op, kind option.Kind) {
		p := testPlan(op, kind, 64, 0)
		p.Completion, p.NoPeak, p.Duration = option.ModePoll, true, time.Hour
		ctx, cancel := context.WithCancel(context.Background())
		sides := pair{device: "shm_whole", plan: p, ctx: ctx}
		newCountdown(3*clockMessages, cancel).countPosts(&sides)
		files, errs := sides.run(t)
		if !errors.Is(errs[0], ErrInterrupted) || len(files[0].Rows) != 1 {
			t.Fatalf("%v, %d rows", errs[0], len(files[0].Rows))
		}
		if n := rowMessages(&files[0].Rows[0]); n < clockMessages {
			t.Errorf("%d messages", n)
		}
	})
}

// clockMessages is the number of small messages after which a loop without peak reads the clock.
const clockMessages = 1024
