package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/cmd/internal/cluster/verdict"
	"github.com/ibperf/ibperf/reports/table"
)

// A Group is nodes that share a part of the network, and the verdict about it.
type Group struct {
	Name     string          `json:"name"`
	State    string          `json:"state" about:"good or bad"`
	Why      string          `json:"why" about:"reason for the state; empty: good"`
	Evidence []GroupEvidence `json:"evidence"`
}

// GroupEvidence holds what one figure says about a group.
type GroupEvidence struct {
	Figure   string  `json:"figure"`
	Nodes    int     `json:"nodes"`
	BadNodes int     `json:"bad_nodes" about:"by this figure"`
	Tests    int     `json:"tests" about:"first tests of pairs with a node of the group, without those of bad nodes"`
	Low      int     `json:"low" about:"of these tests: more than three times the noise below the others"`
	Others   float64 `json:"others_low" about:"share of low ones among the tests without this group, at least 0.01"`
	Chance   float64 `json:"chance" about:"of this number of low tests or bad nodes, or more, in any group of the run, if no group is worse than the others"`
}

// judgeGroups completes the groups of a document whose nodes are in several ones.
func (j *Judge) judgeGroups(d *Document) {
	names := groupNames(d.Nodes)
	if len(names) < 2 {
		return
	}
	for _, name := range names {
		d.Groups = append(d.Groups, Group{Name: name, State: Good})
	}
	of := func(node int) int { return slices.Index(names, d.Nodes[node].Group) }
	for _, f := range j.figures {
		for i, g := range f.judge.Groups(f.Judgement, len(names), of) {
			d.Groups[i].add(f.name, g)
		}
	}
}

// groupNames returns the names of all groups, sorted.
func groupNames(nodes []Node) (names []string) {
	for _, n := range nodes {
		if n.Group != "" {
			names = append(names, n.Group)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// add adds what a figure says.
func (g *Group) add(figure string, v verdict.Group) {
	g.Evidence = append(g.Evidence, GroupEvidence{
		Figure: figure, Nodes: v.Nodes, BadNodes: v.BadNodes, Tests: v.Tests, Low: v.Low, Others: v.Others, Chance: v.Chance,
	})
	if !v.Bad {
		return
	}
	why := fmt.Sprintf("%s: %d of %d tests are low, %.2g %% elsewhere, and %d of %d nodes bad (chance %.1g)",
		figure, v.Low, v.Tests, 100*v.Others, v.BadNodes, v.Nodes, v.Chance)
	g.State, g.Why = Bad, strings.TrimPrefix(g.Why+"; "+why, "; ")
}

// badGroups returns the sentences about bad groups.
func (d *Document) badGroups() string {
	var b strings.Builder
	for _, g := range d.Groups {
		if g.State == Bad {
			fmt.Fprintf(&b, "the group %s is bad: %s: check its switch and uplinks\n", g.Name, g.Why)
		}
	}
	return b.String()
}

func (d *Document) countBadGroups() (n int) {
	for _, g := range d.Groups {
		if g.State == Bad {
			n++
		}
	}
	return n
}

// groups returns the table of the groups whose low tests are the least likely.
func (d *Document) groups() *table.Table {
	t := &table.Table{Title: "Groups", Keys: 1, Columns: []table.Column{
		{Name: "group", Left: true}, {Name: "verdict", Left: true}, {Name: "figure", Left: true}, {Name: "nodes"}, {Name: "bad"}, {Name: "tests"}, {Name: "low"}, {Name: "chance"},
	}}
	groups := slices.Clone(d.Groups)
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(a.least().Chance, b.least().Chance) })
	for _, g := range groups[:min(worst, len(groups))] {
		e := g.least()
		t.Add(g.Name, g.State, e.Figure, fmt.Sprint(e.Nodes), fmt.Sprint(e.BadNodes), fmt.Sprint(e.Tests), fmt.Sprint(e.Low), fmt.Sprintf("%.1g", e.Chance))
	}
	return t
}

// least returns the evidence with the least chance.
func (g *Group) least() GroupEvidence {
	return slices.MinFunc(g.Evidence, func(a, b GroupEvidence) int { return cmp.Compare(a.Chance, b.Chance) })
}
