package results

import (
	"strings"
	"testing"
)

func TestLimitsMissed(t *testing.T) {
	var l Limits
	for _, err := range []error{l.SetMinBandwidth("80Gb/s"), l.SetMaxLatency("p99=4us,p50=2.5us"), l.SetMaxLatency("p99=3us")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		test Test
		want string
	}{
		{Test{Bandwidth: 10e9, MedianNs: 2500, P99Ns: 3000}, ""},
		{Test{Bandwidth: 9.9e9, MedianNs: 2500, P99Ns: 3000}, "bandwidth 79.20 Gb/s, below --min-bw 80G"},
		{Test{Bandwidth: 10e9, MedianNs: 2600, P99Ns: 30000}, "p50 2.600 usec, above --max-lat p50=2.5us; p99 30.00 usec, above --max-lat p99=3us"},
	} {
		if got := l.Missed(&c.test); got != c.want {
			t.Errorf("%+v: %q, want %q", c.test, got, c.want)
		}
	}
}

func TestLimitsRefuse(t *testing.T) {
	var l Limits
	for _, text := range []string{"", "0", "-1", "NaN", "fast", "1e12", "90%"} {
		if err := l.SetMinBandwidth(text); err == nil {
			t.Errorf("--min-bw %s", text)
		}
	}
	for _, text := range []string{"", "10us", "p99", "p99=10", "p99=0s", "p99=-1s", "p98=1us", "mean=1us", "p50=1us,p99=0s"} {
		if err := l.SetMaxLatency(text); err == nil {
			t.Errorf("--max-lat %s", text)
		}
	}
	if l != (Limits{}) {
		t.Errorf("%+v", l)
	}
}

// limited returns the document of judged tests with a limit of 80 % of their usual bandwidth.
func limited(t *testing.T, change func(*Test)) *Document {
	t.Helper()
	tests, limits := judged(t, change).Tests, Limits{MinBandwidth: 0.8e9}
	d := &Document{Nodes: make([]Node, 8), Settings: ofEight}
	d.Settings.Slow, d.Settings.Limits = 0.5, limits // so that bandwidth itself decides nothing here
	j := NewJudge(&d.Settings)
	j.Add(tests...)
	for i := range d.Nodes {
		d.Nodes[i] = Node{Rank: i, Name: "n"}
	}
	j.Conclude(d)
	return d
}

// TestOneNodeMissesALimit: it is bad, and no other one.
func TestOneNodeMissesALimit(t *testing.T) {
	d := limited(t, func(test *Test) {
		if test.A == 3 || test.B == 3 {
			test.Bandwidth *= 0.75
		}
	})
	wantBad(t, d, 3, "70 of 70 tests missed a limit, the first one: bandwidth 6.")
	if text := d.Text(0); !d.LimitsMissed() || !strings.Contains(text, "limits: 70 of 280 tests missed one, the first rank ") {
		t.Errorf("missed: %v\n%s", d.LimitsMissed(), text)
	}
}

// TestAllMissALimit: no node is better than the others, no further test would change that, and the limit was missed.
func TestAllMissALimit(t *testing.T) {
	d := limited(t, func(test *Test) { test.Bandwidth *= 0.7 })
	for _, n := range d.Nodes {
		if n.State != Undecided || !strings.Contains(n.Why, "70 of 70 tests missed a limit") {
			t.Errorf("rank %d is %s: %s", n.Rank, n.State, n.Why)
		}
	}
	j := NewJudge(&d.Settings)
	j.Add(d.Tests...)
	if !d.LimitsMissed() || j.Open(3) {
		t.Errorf("missed: %v, open: %v", d.LimitsMissed(), j.Open(3))
	}
}

// TestSingleTestsMissALimit: other tests clear the nodes.
func TestSingleTestsMissALimit(t *testing.T) {
	n := 0
	d := limited(t, func(test *Test) {
		if n++; n%140 == 0 {
			test.Bandwidth *= 0.5
		}
	})
	wantBad(t, d, -1, "")
	if d.LimitsMissed() || !strings.Contains(d.Text(0), "limits: 2 of 280 tests missed one") {
		t.Errorf("missed: %v", d.LimitsMissed())
	}
}
