package results

import (
	"slices"

	"github.com/ibperf/ibperf/cmd/internal/cluster/verdict"
)

// The names of the figures of a test.
const (
	Success   = "success" // whether the test has figures at all
	Bandwidth = "bandwidth"
	Latency   = "latency"

	MeetsLimits = "limits" // whether the figures are within the limits, if there are any
)

// failed is the value of a test that has failed; that of one that has not is 1.
const failed = 1e-9

// A Judge decides which nodes of a run are bad, from all figures of its tests.
type Judge struct {
	nodes   int
	rails   int
	limits  Limits
	figures []*figure
	tests   []Test
}

// NewJudge returns a judge of the nodes of a run with settings. Tests are compared with those of the same rail.
func NewJudge(s *Settings) *Judge {
	j := &Judge{nodes: s.Nodes(), rails: s.Rails, limits: s.Limits}
	add := func(name string, judge *verdict.Judge, of func(t Test) float64) {
		j.figures = append(j.figures, &figure{
			name: name, of: of, judge: judge, values: map[int][]float64{}, met: map[int]map[int]bool{}, all: make([][]float64, s.Rails),
		})
	}
	add(Success, verdict.NewAbsolute(j.nodes), func(t Test) float64 {
		if t.Error != "" {
			return failed
		}
		return 1
	})
	add(Bandwidth, verdict.New(j.nodes, s.Slow), func(t Test) float64 { return t.Bandwidth })
	add(Latency, verdict.New(j.nodes, s.Slow), func(t Test) float64 {
		if t.MedianNs == 0 {
			return 0
		}
		return 1 / t.MedianNs
	})
	if s.Limits != (Limits{}) {
		add(MeetsLimits, verdict.NewAbsolute(j.nodes), s.Limits.value)
	}
	j.decide()
	return j
}

// Add adds the tests of a round, and judges all nodes again.
func (j *Judge) Add(tests ...Test) {
	j.tests = append(j.tests, tests...)
	for _, f := range j.figures {
		f.add(tests)
	}
	j.decide()
}

func (j *Judge) decide() {
	for _, f := range j.figures {
		f.Judgement = f.judge.Judge()
	}
}

// State returns the state of a node by all figures: bad by any, good by all.
func (j *Judge) State(node int) string {
	state := Good
	for _, f := range j.figures {
		switch f.Nodes[node].State {
		case verdict.Bad:
			return Bad
		case verdict.Undecided:
			state = Undecided
		}
	}
	return state
}

// Open reports whether further tests may decide about a node that is undecided. They may not if all tests of all nodes
// have missed a limit.
func (j *Judge) Open(node int) bool {
	return slices.ContainsFunc(j.figures, func(f *figure) bool {
		return f.Nodes[node].State == verdict.Undecided && (f.name != MeetsLimits || f.anyMeets())
	})
}

// Fails reports whether a node is bad because its tests fail: further ones cost time and say no more.
func (j *Judge) Fails(node int) bool { return j.figures[0].Nodes[node].State == verdict.Bad }

// Low returns the pairs of good nodes whose tests with each other may be low.
func (j *Judge) Low() (pairs [][2]int) {
	for _, f := range j.figures {
		pairs = append(pairs, f.LowPairs...)
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(pairs)
}

// Conclude completes the figures, the states of nodes that have none yet, the bad pairs and the groups of a document.
func (j *Judge) Conclude(d *Document) {
	d.Tests = j.tests
	for _, f := range j.figures {
		d.Figures = append(d.Figures, f.conclude())
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		n.Evidence = j.evidence(i)
		if n.State == "" {
			n.State, n.Why = j.State(i), j.why(i, n.Evidence)
			if j.nodes == j.rails {
				n.State, n.Why = j.loopback(i)
			}
		}
	}
	for _, f := range j.figures {
		for _, p := range f.BadPairs {
			if d.Nodes[p[0]].State == Good && d.Nodes[p[1]].State == Good {
				d.Pairs = append(d.Pairs, Pair{p[0], p[1], f.name})
			}
		}
	}
	j.judgeGroups(d)
}

// evidence returns what each figure says about a node.
func (j *Judge) evidence(node int) (all []Evidence) {
	for _, f := range j.figures {
		n := f.Nodes[node]
		e := Evidence{
			Figure: f.name, State: stateText[n.State], Sum: n.Evidence, Limit: verdict.Blame(j.nodes),
			Tests: len(f.values[node]), Partners: len(f.met[node]),
		}
		if e.Tests > 0 {
			e.Ratio = median(f.values[node]) / f.middle[node%j.rails]
		}
		all = append(all, e)
	}
	return all
}

var stateText = map[verdict.State]string{verdict.Good: Good, verdict.Bad: Bad, verdict.Undecided: Undecided}
