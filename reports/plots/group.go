package plots

import (
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/result"
)

// A group is the runs that share plots: those of a group of tables whose devices and
// connection are the same, which the titles name. Runs keep the numbers that they have in
// tables, and rows the ratios.
type group struct {
	*reports.Group
	ratios map[*result.Row]reports.RowRatio
	barred map[*result.Row]bool // not to be concluded from
}

// groupsOf lays together what may share a plot. Runs that checked every byte are not
// drawn: checking takes most of their time.
func groupsOf(files []*result.File) []*group {
	var groups []*group
	barred := reports.Barred(files)
	for _, whole := range reports.Groups(files) {
		if whole.Verify {
			continue
		}
		type key struct{ device, peer, connection string }
		index := map[key]*group{}
		ratios := whole.Ratios()
		for i, f := range whole.Runs {
			k := key{f.Local.Device.Name, f.Peer.Device.Name, reports.Connection(f)}
			g := index[k]
			if g == nil {
				g = &group{&reports.Group{Op: whole.Op, Kind: whole.Kind, Along: whole.Along}, ratios, barred}
				index[k] = g
				groups = append(groups, g)
			}
			g.Add(f, whole.Numbers[i])
		}
	}
	return groups
}

// opcodes lists the opcodes of a group in order of appearance.
func (g *group) opcodes() []string {
	var all []string
	for _, e := range g.Entries() {
		if !slices.Contains(all, e.Opcode) {
			all = append(all, e.Opcode)
		}
	}
	return all
}

// who names the mode of a row, and its run where the group has several side by side.
func (g *group) who(e reports.Entry) string {
	if l := g.Label(e.Run); l != "" && g.Along == reports.NoAxis {
		return l + " " + e.ModeName()
	}
	return e.ModeName()
}

// place names where a row stands on the x axis.
func (g *group) place(e reports.Entry) string {
	switch g.Along {
	case reports.AlongQPs:
		return g.Label(e.Run) + " QPs"
	case reports.AlongGap:
		return "pause " + g.Label(e.Run) + " usec"
	}
	return bytesText(e.Size)
}

// bytesText is a message size in words.
func bytesText(size int) string { return fmt.Sprintf("%s bytes", units.Size(size)) }
