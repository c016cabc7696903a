package harness

import (
	"math"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// Joined rounds have the same messages, seconds, bytes and sum of latencies in all, and there are never more than
// option.MaxRounds.
func TestIntervalsAreThinnedOut(t *testing.T) {
	row := &rowBuilder{}
	var messages uint64
	var seconds, bytes, ns float64
	for i := range uint64(2*option.MaxRounds + 7) {
		r := result.Round{Messages: 1 + i%5, Seconds: float64(1 + i%3)}
		r.Average = float64(64*r.Messages) / r.Seconds
		r.MeanNs, r.P50Ns = float64(i%7), 3
		row.rounds = append(row.rounds, r)
		row.thin()
		messages += r.Messages
		seconds += r.Seconds
		bytes += r.Average * r.Seconds
		ns += r.MeanNs * float64(r.Messages)
	}
	if n := len(row.rounds); n >= option.MaxRounds || n < option.MaxRounds/4 {
		t.Errorf("%d rounds are left", n)
	}
	for _, r := range row.rounds {
		messages -= r.Messages
		seconds -= r.Seconds
		bytes -= r.Average * r.Seconds
		if ns -= r.MeanNs * float64(r.Messages); r.P50Ns != 3 {
			t.Errorf("the median of rounds with the median 3 is %v", r.P50Ns)
		}
	}
	if messages != 0 || seconds != 0 || math.Abs(bytes) > 1 || math.Abs(ns) > 1 {
		t.Errorf("%d messages, %v s, %v bytes and %v ns are lost", messages, seconds, bytes, ns)
	}
}

// A run with --run_infinitely ends when either side is stopped, after whole intervals and perhaps a
// part of one, and both sides have the same intervals, whichever side measures.
func TestEndlessRunStops(t *testing.T) {
	for i, c := range []struct {
		op   option.Op
		kind option.Kind
		set  func(p *option.Plan)
	}{
		{option.OpWrite, option.KindBandwidth, func(*option.Plan) {}},
		{option.OpRead, option.KindBandwidth, func(*option.Plan) {}},
		{option.OpSend, option.KindBandwidth, func(p *option.Plan) { p.Both = true }},
		{option.OpWrite, option.KindBandwidth, func(p *option.Plan) { p.Reversed = true }},
		{option.OpSend, option.KindBandwidth, func(p *option.Plan) { p.Verify = true }},
		{option.OpSend, option.KindLatency, func(*option.Plan) {}},
		{option.OpRead, option.KindLatency, func(p *option.Plan) { p.NoPeak = true }},
		{option.OpWrite, option.KindBandwidth, func(p *option.Plan) { p.Devices = 2 }},
		{option.OpSend, option.KindLatency, func(p *option.Plan) { p.Devices = 2 }},
	} {
		stopped := i % 2
		p := testPlan(c.op, c.kind, 4096, 0)
		p.Endless, p.Duration, p.Runs = true, 2*sliceTime, 0 // the first run does not end
		c.set(&p)
		var seen [2][]result.Row
		files, errs := pair{device: []string{"", "shm_whole", twoDevices}[p.Devices], plan: p, config: func(side int, c *Config) {
			stop := make(chan struct{})
			c.Stop, c.Interval = stop, func(r result.Row) {
				if seen[side] = append(seen[side], r); side == stopped && len(seen[side]) == 2 {
					close(stop)
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
			if c.kind == option.KindBandwidth {
				checkHasWindows(t, r)
			}
			for i := range seen[side] {
				checkInterval(t, &seen[side][i], r.Rounds[i])
				for d := range r.Devices {
					line := seen[side][i].OfDevice(d)
					checkInterval(t, &line, r.Devices[d].Rounds[i])
				}
			}
			n, average := measured(r)
			if f.Interrupted || n < r.Rounds[0].Messages+r.Rounds[1].Messages || !(average > 0) {
				t.Errorf("%s, side %d: interrupted %v, %d messages, %v", c.op, side, f.Interrupted, n, average)
			}
		}
	}
}

// measured returns the number of messages of a row, and its average rate or mean latency.
func measured(r *result.Row) (messages uint64, average float64) {
	if l := r.Latency; l != nil {
		return l.N, l.MeanNs
	}
	return r.Bandwidth.Messages, r.Bandwidth.Average
}

// checkInterval checks that the line of an interval has the numbers of its round.
func checkInterval(t *testing.T, line *result.Row, of result.Round) {
	t.Helper()
	n, average := measured(line)
	if want := of.Average + of.MeanNs; n != of.Messages || !near(average, want, 1e-9) {
		t.Errorf("%s: a line has %d messages and the average %v, its round %d and %v", line.Opcode, n, average, of.Messages, want)
	}
	if line.Bandwidth != nil {
		checkHasWindows(t, line)
	}
}

// checkHasWindows checks that a row has windows: slowest, median and peak.
func checkHasWindows(t *testing.T, r *result.Row) {
	t.Helper()
	b := r.Bandwidth
	if !(b.Slowest > 0 && b.Slowest <= b.MedianWindow && b.MedianWindow <= b.Peak) || (b.WindowS == 0) != (r.FromClient != nil) {
		t.Errorf("%s: windows %+v", r.Opcode, b)
	}
}
