package heatmap

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/phrase"
	"gonum.org/v1/plot"
)

// Limits of the labels.
const (
	maxLabeled = 32 // nodes of which each has its label
	maxLines   = 44 // lines of labels beside the map
	maxName    = 18 // letters of a node's name
)

// fitAxes makes axes of nodes, with the first one at the top.
func (m *pairMap) fitAxes(p *chart.Panel) {
	n := float64(len(m.order))
	p.Plot.X.Min, p.Plot.X.Max = -(columnWidth+columnGap)*n, n
	p.Plot.Y.Min, p.Plot.Y.Max = 0, n
	p.Plot.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	p.Plot.X.LineStyle.Width, p.Plot.Y.LineStyle.Width = 0, 0
	p.Plot.X.Tick.Length, p.Plot.Y.Tick.Length = 0, 0
	p.Plot.X.Tick.Marker, p.Plot.Y.Tick.Marker = plot.ConstantTicks(m.places()), plot.ConstantTicks(m.names())
}

// A group is the places of the nodes of a group, or of a rail of several ones.
type group struct {
	name     string
	from, to int
}

// groups returns the groups of nodes or the rails, in the order of places. Nodes that are in no group have no name.
func (m *pairMap) groups() (all []group) {
	for place := range m.order {
		name := m.node(place).Group
		if m.d.Settings.Rails > 1 {
			name = fmt.Sprint(m.node(place).Rail)
		}
		if len(all) == 0 || all[len(all)-1].name != name {
			all = append(all, group{name: name, from: place})
		}
		all[len(all)-1].to = place + 1
	}
	return all
}

// label returns what the names of groups are.
func (m *pairMap) label() string {
	switch {
	case m.d.Settings.Rails > 1:
		return "rail"
	case len(m.d.Groups) > 0:
		return "group"
	}
	return "rank"
}

func (m *pairMap) isBad(g group) bool {
	return m.label() == "group" && slices.ContainsFunc(m.d.Groups, func(judged results.Group) bool { return judged.Name == g.name && judged.State == results.Bad })
}

// places returns ticks with the names of the groups or rails, or if there are none, with the ranks of nodes.
func (m *pairMap) places() (ticks []plot.Tick) {
	groups := m.groups()
	if len(groups) < 2 {
		return m.ranks()
	}
	for _, g := range groups {
		ticks = append(ticks, plot.Tick{Value: float64(g.from+g.to) / 2, Label: phrase.Shorten(g.name, maxName)})
	}
	return ticks
}

// ranks returns ticks with the ranks of all nodes, or of some of many.
func (m *pairMap) ranks() (ticks []plot.Tick) {
	step := 1
	for len(m.order)/step > maxLabeled {
		step *= 2
	}
	for place := 0; place < len(m.order); place += step {
		ticks = append(ticks, plot.Tick{Value: float64(place) + 0.5, Label: m.d.Settings.Place(m.order[place])})
	}
	return ticks
}

// names returns ticks with the names of all nodes, or of bad groups and of those of many nodes that are not good, the bad
// ones first.
func (m *pairMap) names() (ticks []plot.Tick) {
	n := len(m.order)
	for _, g := range m.groups() {
		if n > maxLabeled && m.isBad(g) {
			ticks = append(ticks, plot.Tick{Value: float64(g.from+g.to) / 2, Label: "group " + phrase.Shorten(g.name, maxName) + " bad"})
		}
	}
	places := make([]int, n)
	for place := range places {
		places[place] = place
	}
	if n > maxLabeled {
		places = slices.DeleteFunc(places, func(place int) bool { return m.node(place).State == results.Good })
		slices.SortStableFunc(places, func(a, b int) int { return rankOf(m.node(a)) - rankOf(m.node(b)) })
	}
	for _, place := range places {
		near := slices.ContainsFunc(ticks, func(t plot.Tick) bool {
			return abs(t.Value-0.5-float64(place))*maxLines < float64(n)
		})
		if !near {
			ticks = append(ticks, plot.Tick{Value: float64(place) + 0.5, Label: m.nameOf(place)})
		}
	}
	slices.SortFunc(ticks, func(s, t plot.Tick) int { return cmp.Compare(t.Value, s.Value) }) // from the bottom to the top
	return ticks
}

func (m *pairMap) node(place int) *results.Node { return &m.d.Nodes[m.order[place]] }

// rankOf orders states by how much they matter.
func rankOf(n *results.Node) int {
	return slices.Index([]string{results.Bad, results.Lost, results.Missing, results.Undecided, results.Good}, n.State)
}

func (m *pairMap) nameOf(place int) string {
	n := m.node(place)
	text := fmt.Sprintf("%s %s", m.d.Settings.Place(m.order[place]), phrase.Shorten(n.Name, maxName))
	if n.State != results.Good {
		text += " " + n.State
	}
	return text
}

func abs(v float64) float64 { return max(v, -v) }
