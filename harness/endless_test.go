package harness

import (
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// Rounds are joined without a change of what they say together, and there are never more
// than a row may have.
func TestIntervalsAreThinnedOut(t *testing.T) {
	row := &tally{}
	var messages uint64
	var seconds, bytes float64
	for i := range uint64(2*option.MaxRounds + 7) {
		r := result.Round{Messages: 1 + i%5, Seconds: float64(1 + i%3)}
		r.Average = float64(64*r.Messages) / r.Seconds
		row.rounds = append(row.rounds, r)
		row.thin()
		messages += r.Messages
		seconds += r.Seconds
		bytes += r.Average * r.Seconds
	}
	if n := len(row.rounds); n >= option.MaxRounds || n < option.MaxRounds/4 {
		t.Errorf("%d rounds are left", n)
	}
	for _, r := range row.rounds {
		messages -= r.Messages
		seconds -= r.Seconds
		bytes -= r.Average * r.Seconds
	}
	if messages != 0 || seconds != 0 || bytes > 1 || bytes < -1 {
		t.Errorf("%d messages, %v s and %v bytes are lost", messages, seconds, bytes)
	}
}

// An endless run ends when either side is told to, after whole intervals and perhaps a part
// of one, and both sides have the same of it, whichever has measured it.
func TestEndlessRunStops(t *testing.T) {
	for i, c := range []struct {
		op  option.Op
		set func(p *option.Plan)
	}{
		{option.OpWrite, func(*option.Plan) {}},
		{option.OpRead, func(*option.Plan) {}},
		{option.OpSend, func(p *option.Plan) { p.Both = true }},
		{option.OpWrite, func(p *option.Plan) { p.Reversed = true }},
		{option.OpSend, func(p *option.Plan) { p.Verify = true }},
	} {
		stopped := i % 2
		p := testPlan(c.op, option.KindBandwidth, 4096, 0)
		p.Endless, p.Duration = true, 2*sliceTime
		c.set(&p)
		var seen [2][]result.Row
		files, errs := pair{device: "shm_whole", plan: p, config: func(side int, c *Config) {
			told := make(chan struct{})
			c.Stop, c.Interval = told, func(r result.Row) {
				if seen[side] = append(seen[side], r); side == stopped && len(seen[side]) == 2 {
					close(told)
				}
			}
		}}.run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		for side, f := range files {
			r := onlyRow(t, f)
			if n := len(r.Rounds); len(seen[side]) < 2 || n < 2 || n > len(seen[side])+1 {
				t.Fatalf("%s, side %d: %d intervals and %d lines", c.op, side, n, len(seen[side]))
			}
			checkHasWindows(t, r)
			for i := range seen[side] {
				part, of := &seen[side][i], r.Rounds[i]
				if part.Bandwidth.Messages != of.Messages || !near(part.Bandwidth.Average, of.Average, 1e-9) {
					t.Errorf("%s, side %d: interval %d is %+v, and its line %+v", c.op, side, i, of, part.Bandwidth)
				}
				checkHasWindows(t, part)
			}
			if f.Interrupted || r.Bandwidth.Messages < r.Rounds[0].Messages+r.Rounds[1].Messages {
				t.Errorf("%s, side %d: interrupted %v, %d messages", c.op, side, f.Interrupted, r.Bandwidth.Messages)
			}
		}
	}
}

// checkHasWindows holds the windows of a row, or of its directions, to their order.
func checkHasWindows(t *testing.T, r *result.Row) {
	t.Helper()
	b := r.Bandwidth
	if !(b.Slowest > 0 && b.Slowest <= b.MedianWindow && b.MedianWindow <= b.Peak) || (b.WindowS == 0) != (r.FromClient != nil) {
		t.Errorf("%s: windows %+v", r.Opcode, b)
	}
}
