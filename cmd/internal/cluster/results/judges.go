package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
	ranks   int
	limits  Limits
	figures []*figure
	tests   []Test
}

// figure is one of the figures.
type figure struct {
	name   string
	of     func(t Test) float64 // more is better; 0: the test has none
	judge  *verdict.Judge
	values map[int][]float64 // of each rank
	met    map[int]map[int]bool
	all    []float64
	middle float64 // median of all, at the end

	*verdict.Judgement // of all tests until now
}

// NewJudge returns a judge of nodes of which a bad one is slower by the share slow, or misses limits.
func NewJudge(ranks int, slow float64, limits Limits) *Judge {
	j := &Judge{ranks: ranks, limits: limits}
	add := func(name string, judge *verdict.Judge, of func(t Test) float64) {
		j.figures = append(j.figures, &figure{name: name, of: of, judge: judge, values: map[int][]float64{}, met: map[int]map[int]bool{}})
	}
	add(Success, verdict.NewAbsolute(ranks), func(t Test) float64 {
		if t.Error != "" {
			return failed
		}
		return 1
	})
	add(Bandwidth, verdict.New(ranks, slow), func(t Test) float64 { return t.Bandwidth })
	add(Latency, verdict.New(ranks, slow), func(t Test) float64 {
		if t.MedianNs == 0 {
			return 0
		}
		return 1 / t.MedianNs
	})
	if limits != (Limits{}) {
		add(MeetsLimits, verdict.NewAbsolute(ranks), limits.value)
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

// add adds the tests of a round that have the figure. A single one has no others beside it, and says nothing.
func (f *figure) add(tests []Test) {
	var round []verdict.Test
	for _, t := range tests {
		if v := f.of(t); v > 0 {
			round = append(round, verdict.Test{Round: t.Round, A: t.A, B: t.B, Value: v})
		}
	}
	for _, t := range round {
		f.all = append(f.all, t.Value)
		f.note(t.A, t.B, t.Value)
		if t.A != t.B {
			f.note(t.B, t.A, t.Value)
		}
	}
	if len(round) > 1 {
		f.judge.Add(round...)
	}
}

func (f *figure) note(rank, partner int, value float64) {
	f.values[rank] = append(f.values[rank], value)
	if f.met[rank] == nil {
		f.met[rank] = map[int]bool{}
	}
	f.met[rank][partner] = true
}

// State returns the state of a node by all figures: bad by any, good by all.
func (j *Judge) State(rank int) string {
	state := Good
	for _, f := range j.figures {
		switch f.Nodes[rank].State {
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
func (j *Judge) Open(rank int) bool {
	return slices.ContainsFunc(j.figures, func(f *figure) bool {
		return f.Nodes[rank].State == verdict.Undecided && (f.name != MeetsLimits || slices.Contains(f.all, 1))
	})
}

// Fails reports whether a node is bad because its tests fail: further ones cost time and say no more.
func (j *Judge) Fails(rank int) bool { return j.figures[0].Nodes[rank].State == verdict.Bad }

// Low returns the pairs of good nodes whose tests with each other may be low.
func (j *Judge) Low() (pairs [][2]int) {
	for _, f := range j.figures {
		pairs = append(pairs, f.LowPairs...)
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(pairs)
}

// loopback returns the state of the only node of a run, which was tested with itself: nothing can be compared.
func (j *Judge) loopback() (state, why string) {
	failed := 0
	for i := range j.tests {
		text := j.tests[i].Error
		if text == "" {
			text = j.limits.Missed(&j.tests[i])
		}
		if text != "" {
			if failed++; failed == 1 {
				why = text
			}
		}
	}
	switch failed {
	case 0:
		return Good, ""
	case len(j.tests):
		return Bad, fmt.Sprintf("all %d tests of its device with itself failed or missed a limit, the first one: %s", failed, why)
	}
	return Undecided, fmt.Sprintf("%d of %d tests of its device with itself failed or missed a limit, the first one: %s", failed, len(j.tests), why)
}

// Conclude completes the figures, the states of nodes that have none yet, the bad pairs and the groups of a document.
func (j *Judge) Conclude(d *Document) {
	d.Tests = j.tests
	for _, f := range j.figures {
		f.middle = median(f.all)
		m := f.middle
		if f.name == Latency && m > 0 {
			m = 1 / m
		}
		d.Figures = append(d.Figures, Figure{Name: f.name, Tests: len(f.all), Median: m, Noise: f.Noise, Smallest: f.Smallest})
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		n.Evidence = j.evidence(n.Rank)
		if n.State == "" {
			n.State, n.Why = j.State(n.Rank), j.why(n.Rank, n.Evidence)
			if j.ranks == 1 {
				n.State, n.Why = j.loopback()
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
func (j *Judge) evidence(rank int) (all []Evidence) {
	for _, f := range j.figures {
		n := f.Nodes[rank]
		e := Evidence{
			Figure: f.name, State: stateText[n.State], Sum: n.Evidence, Limit: verdict.Blame(j.ranks),
			Tests: len(f.values[rank]), Partners: len(f.met[rank]),
		}
		if e.Tests > 0 {
			e.Ratio = median(f.values[rank]) / f.middle
		}
		all = append(all, e)
	}
	return all
}

var stateText = map[verdict.State]string{verdict.Good: Good, verdict.Bad: Bad, verdict.Undecided: Undecided}

// why returns the reason for a node's state.
func (j *Judge) why(rank int, evidence []Evidence) string {
	var parts []string
	for _, e := range evidence {
		counts := fmt.Sprintf("%d tests with %d nodes", e.Tests, e.Partners)
		switch {
		case e.State == Good:
		case e.State == Undecided && e.Figure == MeetsLimits:
			parts = append(parts, j.misses(rank))
		case e.State == Undecided:
			parts = append(parts, fmt.Sprintf("%s: %s do not decide", e.Figure, counts))
		case e.Figure == Success:
			parts = append(parts, j.failures(rank))
		case e.Figure == MeetsLimits:
			parts = append(parts, j.misses(rank))
		case e.Figure == Latency:
			parts = append(parts, fmt.Sprintf("latency %.3g times the median in %s (evidence %.1f, limit %.1f)", 1/e.Ratio, counts, e.Sum, e.Limit))
		default:
			parts = append(parts, fmt.Sprintf("bandwidth %.3g times the median in %s (evidence %.1f, limit %.1f)", e.Ratio, counts, e.Sum, e.Limit))
		}
	}
	return strings.Join(parts, "; ")
}

// misses returns how many tests of a node have missed a limit, and the first one.
func (j *Judge) misses(rank int) string {
	tests, missed, first := 0, 0, ""
	for _, t := range j.tests {
		if t.A != rank && t.B != rank || t.Error != "" {
			continue
		}
		tests++
		if text := j.limits.Missed(&t); text != "" {
			if missed++; missed == 1 {
				first = text
			}
		}
	}
	return fmt.Sprintf("%d of %d tests missed a limit, the first one: %s", missed, tests, first)
}

// failures returns how many tests of a node have failed, and the first error.
func (j *Judge) failures(rank int) string {
	tests, errors, first := 0, 0, ""
	for _, t := range j.tests {
		if t.A != rank && t.B != rank {
			continue
		}
		tests++
		if t.Error != "" {
			if errors++; errors == 1 {
				first = t.Error
			}
		}
	}
	return fmt.Sprintf("%d of %d tests failed, the first one: %s", errors, tests, first)
}

// median returns the median of values, 0 without any.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	return math.Sqrt(sorted[(n-1)/2] * sorted[n/2])
}
