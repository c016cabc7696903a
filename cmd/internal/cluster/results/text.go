package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/table"
)

// worst is the number of pairs in the table of the worst.
const worst = 10

// Text returns the report for people. Its last line repeats the exit status, which some launchers do not return.
func (d *Document) Text(width int) string {
	var b strings.Builder
	if d.Software {
		b.WriteString("Device: " + d.Devices() + ": figures are those of the host's memory\n\n")
	}
	b.WriteString(d.worstPairs().Text(width))
	b.WriteString("\n")
	b.WriteString(d.states().Text(width))
	b.WriteString("\n")
	if len(d.Groups) > 0 {
		b.WriteString(d.groups().Text(width))
		b.WriteString("\n")
	}
	b.WriteString(d.reasons())
	b.WriteString(d.badGroups())
	for _, p := range d.Pairs {
		low := map[string]string{Success: "fails", MeetsLimits: "misses the limits"}[p.Figure]
		fmt.Fprintf(&b, "the pair of %s and %s %s, and both are good with others: check the path between them\n", d.Name(p.A), d.Name(p.B), cmp.Or(low, "has low "+p.Figure))
	}
	if met, all := d.PairCount(), d.Settings.Nodes()*(d.Settings.Ranks-1)/2; met < all {
		fmt.Fprintf(&b, "%d of %d pairs were tested: a single bad pair is among them with a chance of %.2g %%\n", met, all, 100*float64(met)/float64(all))
	}
	if d.Settings.Together {
		b.WriteString(d.sumText())
	}
	if d.Settings.Limits != (Limits{}) {
		b.WriteString(d.limitsText())
	}
	b.WriteString(d.railsText())
	for _, f := range d.Figures {
		if d.Settings.Ranks > 1 && (f.Name == Bandwidth || f.Name == Latency) {
			fmt.Fprintf(&b, "%s: noise %s %%; a node slower by less than %s %% could not have been found\n", f.Name, phrase.PercentNumber(f.Noise), phrase.PercentNumber(f.Smallest))
		}
	}
	b.WriteString(d.drains())
	fmt.Fprintf(&b, "%s\n", d.last())
	return b.String()
}

// maxUndecided is the number of undecided nodes of which the reasons are printed.
const maxUndecided = 10

// reasons returns why nodes are not good.
func (d *Document) reasons() string {
	var b strings.Builder
	undecided := 0
	for i, n := range d.Nodes {
		if n.State == Undecided {
			undecided++
		}
		if n.State != Good && (n.State != Undecided || undecided <= maxUndecided) {
			fmt.Fprintf(&b, "%s is %s: %s\n", d.Name(i), n.State, n.Why)
		}
	}
	if more := undecided - maxUndecided; more > 0 {
		fmt.Fprintf(&b, "%d more nodes are undecided: %s has the reasons\n", more, FileName)
	}
	return b.String()
}

// maxDrain is the longest reason for draining a node, in bytes, that fits a line of sinfo -R.
const maxDrain = 100

// drains returns a line for each rank with a bad device.
func (d *Document) drains() string {
	var b strings.Builder
	for rank := range d.Settings.Ranks {
		var why []string
		name := fmt.Sprint("rank ", rank)
		for _, n := range d.Nodes[rank*d.Settings.Rails : (rank+1)*d.Settings.Rails] {
			name = cmp.Or(n.Name, name)
			switch {
			case n.State != Bad:
			case d.Settings.Rails > 1:
				why = append(why, fmt.Sprintf("rail %d: %s", n.Rail, n.Why))
			default:
				why = append(why, n.Why)
			}
		}
		if why != nil {
			fmt.Fprintf(&b, "drain %s: %s\n", name, drain(why))
		}
	}
	return b.String()
}

// drain returns reasons as one line for the reason of Slurm's state drain.
func drain(why []string) string {
	reason := "ib_cluster: " + strings.ReplaceAll(strings.Join(why, "; "), "\"", "'")
	return strings.ToValidUTF8(reason[:min(len(reason), maxDrain)], "")
}

// last returns the last line.
func (d *Document) last() string {
	counts := map[string]int{}
	for _, n := range d.Nodes {
		counts[n.State]++
	}
	var parts []string
	for _, state := range []string{Good, Bad, Undecided, Lost, Missing} {
		if counts[state] > 0 || state == Good {
			parts = append(parts, fmt.Sprintf("%d %s", counts[state], state))
		}
	}
	if bad := d.countBadGroups(); bad > 0 {
		parts = append(parts, fmt.Sprintf("%d bad group%s", bad, map[bool]string{true: "s"}[bad > 1]))
	}
	nodes := fmt.Sprintf("%d nodes", d.Settings.Ranks)
	if d.Settings.Rails > 1 {
		nodes = fmt.Sprintf("%d devices of %s", len(d.Nodes), nodes)
	}
	return fmt.Sprintf("ib_cluster: %s: %s; %d pairs in %d tests; exit status %d", nodes, strings.Join(parts, ", "), d.PairCount(), len(d.Tests), d.Status)
}

// sumText returns what the tests of the first round moved together.
func (d *Document) sumText() string {
	sum, n := 0.0, 0
	for _, t := range d.Tests {
		if t.Round == 1 && t.Error == "" {
			sum, n = sum+t.Bandwidth, n+1
		}
	}
	return fmt.Sprintf("round 1: %d pairs at the same time (%s) had %s Gb/s together\n", n, d.Settings.Schedule, units.RateText(sum, true))
}

// PairCount returns the number of pairs that were tested.
func (d *Document) PairCount() int {
	tested := map[[2]int]bool{}
	for _, t := range d.Tests {
		tested[t.Pair()] = true
	}
	return len(tested)
}

// worstPairs returns the tests with errors, and those with the lowest bandwidth, over the median of their rail.
func (d *Document) worstPairs() *table.Table {
	t := &table.Table{Title: "Worst tests", Keys: 2, Columns: []table.Column{
		{Name: "ranks"}, {Name: "round"}, {Name: "bandwidth", Unit: "Gb/s"}, {Name: "p50", Unit: "usec"}, {Name: "p99", Unit: "usec"}, {Name: "error", Left: true},
	}}
	tests := slices.Clone(d.Tests)
	slices.SortStableFunc(tests, func(a, b Test) int { return cmp.Compare(d.relative(a), d.relative(b)) })
	for _, v := range tests[:min(worst, len(tests))] {
		figures := []string{"-", "-", "-"}
		if v.Error == "" {
			figures = []string{units.RateText(v.Bandwidth, true), units.UsecText(v.MedianNs), units.UsecText(v.P99Ns)}
		}
		t.Add(d.Settings.Place(v.A)+"-"+d.Settings.Place(v.B), fmt.Sprint(v.Round), figures[0], figures[1], figures[2], v.Error)
	}
	return t
}

// states returns the table of all nodes that are not good, or of all of a small cluster.
func (d *Document) states() *table.Table {
	t := &table.Table{Title: "Nodes", Keys: 2, Columns: []table.Column{
		{Name: "rank"}, {Name: "node", Left: true}, {Name: "verdict", Left: true}, {Name: "bandwidth", Unit: "of median"}, {Name: "latency", Unit: "of median"}, {Name: "tests"},
	}}
	for i, n := range d.Nodes {
		if len(d.Nodes) > smallCluster && n.State == Good {
			continue
		}
		bandwidth, latency, tests := "-", "-", "0"
		for _, e := range n.Evidence {
			switch {
			case e.Figure == Success:
				tests = fmt.Sprint(e.Tests)
			case e.Ratio == 0:
			case e.Figure == Bandwidth:
				bandwidth = fmt.Sprintf("%.2f", e.Ratio)
			case e.Figure == Latency:
				latency = fmt.Sprintf("%.2f", 1/e.Ratio)
			}
		}
		t.Add(d.Settings.Place(i), cmp.Or(n.Name, "-"), n.State, bandwidth, latency, tests)
	}
	return t
}

// smallCluster is the number of nodes up to which all are listed.
const smallCluster = 32
