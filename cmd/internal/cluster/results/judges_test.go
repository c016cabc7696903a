package results

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/cmd/internal/cluster/schedule"
)

// ofEight is the settings of a run of eight ranks.
var ofEight = Settings{Ranks: 8, Rails: 1, Slow: 0.1}

// judged returns the document of ten circles of 8 nodes. change makes tests differ from good ones.
func judged(t *testing.T, change func(*Test)) *Document {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	sampler, j := schedule.NewSampler(8, random), NewJudge(&ofEight)
	for round := 1; round <= 70; round++ {
		var tests []Test
		for _, p := range sampler.Full() {
			noise := 1 + 0.01*random.NormFloat64()
			test := Test{Round: round, A: p[0], B: p[1], Bandwidth: 1e9 * noise, MedianNs: 2000 * noise, P99Ns: 3000}
			change(&test)
			tests = append(tests, test)
		}
		j.Add(tests...)
	}
	d := &Document{Settings: ofEight, Nodes: make([]Node, 8)}
	for i := range d.Nodes {
		d.Nodes[i] = Node{Rank: i, Name: "n"}
	}
	j.Conclude(d)
	return d
}

// wantBad checks that one node, or none with -1, is bad for a reason, and all others are good.
func wantBad(t *testing.T, d *Document, bad int, why string) {
	t.Helper()
	for _, n := range d.Nodes {
		switch {
		case n.Rank == bad && (n.State != Bad || !strings.Contains(n.Why, why)):
			t.Errorf("rank %d is %s: %s; want bad: %s", n.Rank, n.State, n.Why, why)
		case n.Rank != bad && (n.State != Good || n.Why != ""):
			t.Errorf("rank %d is %s: %s; want good", n.Rank, n.State, n.Why)
		}
	}
}

func TestJudge(t *testing.T) {
	has := func(test *Test, rank int) bool { return test.A == rank || test.B == rank }
	for _, c := range []struct {
		name, why string
		bad       int
		change    func(*Test)
	}{
		{"good", "", -1, func(*Test) {}},
		{"slow", "times the median in 70 tests with 7 nodes", 3, func(test *Test) {
			if has(test, 3) {
				test.Bandwidth /= 2
			}
		}},
		{"late", "latency 2 times the median", 0, func(test *Test) {
			if has(test, 0) {
				test.MedianNs *= 2
			}
		}},
		{"failing", "70 of 70 tests failed, the first one: wrong data", 7, func(test *Test) {
			if has(test, 7) {
				*test = Test{Round: test.Round, A: test.A, B: test.B, Error: "wrong data"}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := judged(t, c.change)
			wantBad(t, d, c.bad, c.why)
			if len(d.Pairs) > 0 {
				t.Errorf("bad pairs %v", d.Pairs)
			}
		})
	}
}

// TestMostTestsFail: the failing nodes are bad even if most tests fail, and if all fail no node is good.
func TestMostTestsFail(t *testing.T) {
	for failing, want := range map[int][8]string{
		3: {Bad, Bad, Bad, Good, Good, Good, Good, Good}, 4: {Bad, Bad, Bad, Bad, Good, Good, Good, Good},
		8: {Undecided, Undecided, Undecided, Undecided, Undecided, Undecided, Undecided, Undecided},
	} {
		d := judged(t, func(test *Test) {
			if min(test.A, test.B) < failing {
				*test = Test{Round: test.Round, A: test.A, B: test.B, Error: "no QP"}
			}
		})
		for i, n := range d.Nodes {
			if n.State != want[i] {
				t.Errorf("%d failing: rank %d is %s: %s; want %s", failing, n.Rank, n.State, n.Why, want[i])
			}
		}
		if d.AllFailed() != (failing == 8) {
			t.Errorf("%d failing: all failed: %v", failing, d.AllFailed())
		}
	}
}

func TestBadPair(t *testing.T) {
	d := judged(t, func(test *Test) {
		if test.A+test.B == 5 && test.A*test.B == 6 {
			test.Bandwidth /= 10
		}
	})
	wantBad(t, d, -1, "")
	if len(d.Pairs) != 1 || d.Pairs[0] != (Pair{2, 3, Bandwidth}) {
		t.Errorf("bad pairs %v, want 2 and 3", d.Pairs)
	}
	if text := d.Text(0); !strings.Contains(text, "the pair of rank 2 (n) and rank 3 (n) has low bandwidth") {
		t.Errorf("text:\n%s", text)
	}
}

// TestTextOfManyUndecided has a few reasons.
func TestTextOfManyUndecided(t *testing.T) {
	d := &Document{Settings: Settings{Ranks: 100, Rails: 1}, Nodes: make([]Node, 100)}
	for i := range d.Nodes {
		d.Nodes[i] = Node{Rank: i, State: Undecided, Why: "noise"}
	}
	d.Nodes[99].State = Bad
	text := d.Text(0)
	if n := strings.Count(text, " is undecided: noise\n"); n != 10 || !strings.Contains(text, "89 more nodes are undecided: cluster.json has") || !strings.Contains(text, "rank 99 is bad: noise") {
		t.Errorf("%d reasons:\n%s", n, text)
	}
}

// TestTextOfTestsTogether has the sum of the first round.
func TestTextOfTestsTogether(t *testing.T) {
	d := judged(t, func(test *Test) { test.Bandwidth = 10e9 })
	d.Settings.Together, d.Settings.Schedule = true, "circle"
	if text := d.Text(0); !strings.Contains(text, "round 1: 4 pairs at the same time (circle) had 320.00 Gb/s together\n") {
		t.Errorf("text:\n%s", text)
	}
}

func TestText(t *testing.T) {
	d := judged(t, func(test *Test) {
		if test.A == 4 || test.B == 4 {
			*test = Test{Round: test.Round, A: test.A, B: test.B, Error: strings.Repeat("long \"words\" ", 40)}
		}
	})
	d.Nodes[5].State, d.Nodes[5].Why, d.Status = Lost, "connection closed", 7
	text := d.Text(0)
	for _, want := range []string{
		"Worst tests", "rank 5 (n) is lost: connection closed", "could not have been found", "drain n: ib_cluster: 70 of 70 tests failed",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !strings.HasSuffix(text, "ib_cluster: 8 nodes: 6 good, 1 bad, 1 lost; 28 pairs in 280 tests; exit status 7\n") {
		t.Errorf("the last line of\n%s", text)
	}
	if reason := drain([]string{d.Nodes[4].Why}); len(reason) > maxDrain || strings.ContainsAny(reason, "\"\n") {
		t.Errorf("reason %q", reason)
	}
}
