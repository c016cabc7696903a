package plots

import (
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

// A group is the runs that share plots: those of a group of tables with the same connection. Runs keep their numbers and rows their ratios from the tables.
type group struct {
	*rows.Group
	ratios   map[*result.Row]rows.Ratio
	excluded map[*result.Row]bool // not to be concluded from
	doubtful map[place]bool       // see isDoubtful
	labels   map[*result.File]string
	byMode   bool // several runs have one mode: each mode has a panel, in which lines are runs
}

// groupsOf groups runs that share plots. It leaves out runs with every byte checked, which takes
// most of their time.
func groupsOf(files []*result.File, labels map[*result.File]string) []*group {
	var groups []*group
	excluded, doubtful := verdict.Excluded(files), doubtfulPlaces(files)
	for _, whole := range rows.Groups(files) {
		if whole.Verify {
			continue
		}
		index := map[string]*group{}
		ratios := whole.Ratios()
		for i, f := range whole.Runs {
			k := rows.Connection(f)
			g := index[k]
			if g == nil {
				g = &group{Group: &rows.Group{Op: whole.Op, Kind: whole.Kind, Along: whole.Along}, ratios: ratios, excluded: excluded, doubtful: doubtful}
				index[k] = g
				groups = append(groups, g)
			}
			g.Add(f, whole.Numbers[i])
		}
	}
	for _, g := range groups {
		g.labels = g.runLabels(labels)
		g.byMode = g.Along == rows.NoAxis && g.repeatsMode()
	}
	return groups
}

// opcodes returns the opcodes of a group in order of appearance.
func (g *group) opcodes() []string {
	var all []string
	for _, e := range g.Entries() {
		if !slices.Contains(all, e.Opcode) {
			all = append(all, e.Opcode)
		}
	}
	return all
}

// modeAndRun returns the mode of a row, with its run if the group has several.
func (g *group) modeAndRun(e rows.Entry) string {
	if l := g.label(e.Run); l != "" && g.Along == rows.NoAxis {
		return l + " " + e.ModeName()
	}
	return e.ModeName()
}

// pointText returns the position of a row on the x axis in words.
func (g *group) pointText(e rows.Entry) string {
	switch g.Along {
	case rows.AlongQPs:
		return g.Label(e.Run) + " QPs"
	case rows.AlongGap:
		return "pause " + g.Label(e.Run) + " usec"
	case rows.AlongRate:
		return g.Label(e.Run) + " messages/s"
	}
	return bytesText(e.Size)
}

// bytesText formats a message size.
func bytesText(size int) string { return fmt.Sprintf("%s bytes", units.Size(size)) }
