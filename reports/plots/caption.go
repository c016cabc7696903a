package plots

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"github.com/ibperf/ibperf/reports/result"
)

// newSketch starts a plot of series. What it shows is named for the title, and by words
// for the file.
func newSketch(g *group, lines []*series, what string, words ...string) *sketch.Sketch {
	f := g.Runs[0]
	s := sketch.Blank()
	words = append(append([]string{g.Op, g.Kind}, words...), f.Local.Device.Name, reports.Connection(f))
	s.Name = reports.Slug(words...)
	s.Title = reports.Shorten(strings.TrimSuffix(reports.TestTitle(g.Op, g.Kind), " Test"), 40) + ": " + what
	s.Subtitle = subtitle(g, lines)
	s.Notes = slices.Concat(leftOut(g), noRatio(lines), lostText(lines))
	wrong := wrongData(g, lines)
	s.Warnings, s.Alarming = append(wrong, warning(g, lines)...), len(wrong) > 0 || g.Alarming()
	return s
}

// subtitle names device, connection, opcode and rounds, and what is no hardware.
func subtitle(g *group, lines []*series) string {
	f := g.Runs[0]
	device := reports.Shorten(f.Local.Device.Name, 32)
	if peer := reports.Shorten(f.Peer.Device.Name, 32); peer != "" && peer != device {
		device += " to " + peer
	}
	parts := []string{device, reports.Shorten(reports.Connection(f), 12)}
	if ops := g.opcodes(); len(ops) == 1 {
		parts = append(parts, reports.Shorten(ops[0], 24))
	}
	if rounds := roundsText(lines); rounds != "" {
		parts = append(parts, rounds)
	}
	if label := reports.SoftwareLabel(f); label != "" {
		parts = append(parts, "software device: "+reports.Shorten(label, 60))
	}
	return strings.Join(parts, ", ")
}

// roundsText says of how many rounds the rows are. Files of version 1 do not tell.
func roundsText(lines []*series) string {
	var counts []int
	for _, s := range lines {
		for _, e := range s.entries {
			counts = append(counts, len(e.Rounds))
		}
	}
	switch {
	case len(counts) == 0 || slices.Max(counts) == 0:
		return ""
	case slices.Max(counts) == 1:
		return "1 round"
	case slices.Min(counts) == slices.Max(counts):
		return fmt.Sprintf("%d rounds", counts[0])
	}
	return fmt.Sprintf("%d to %d rounds", slices.Min(counts), slices.Max(counts))
}

// leftOut says why there is no line of mode data.
func leftOut(g *group) []string {
	for _, f := range g.Runs {
		if !slices.ContainsFunc(f.Warnings, func(w result.Warning) bool { return w.ID == idDataNotRun }) {
			continue
		}
		if impossible := f.Parameters.NoData(); impossible != "" {
			return []string{"mode data was left out: " + reports.Shorten(impossible, 160)}
		}
		side := unpromised(f)
		return []string{fmt.Sprintf("mode data was left out: asked about the order of data, %s answers %q",
			reports.Shorten(side.Device.Name, 32), reports.Clean(side.Order.Answer))}
	}
	return nil
}

// unpromised is the side that waits for messages and does not promise their order.
func unpromised(f *result.File) *result.Side {
	sides := reports.WaitingSides(f)
	for _, s := range sides {
		if s.Order.Answer != result.OrderWhole && s.Order.Answer != result.OrderBlocks {
			return s
		}
	}
	return sides[0]
}

// wrongData says that data is drawn that the verdict condemns. That of forced data is said
// wherever it is named.
func wrongData(g *group, lines []*series) []string {
	for _, s := range lines {
		for _, e := range s.entries {
			if g.barred[e.Row] && !e.Forced {
				return []string{"mode data brought wrong data where it was checked: nothing is concluded from it"}
			}
		}
	}
	return nil
}

// noRatio says why nothing is concluded from rows.
func noRatio(lines []*series) []string {
	var rows []reports.Entry
	for _, s := range lines {
		for _, e := range s.entries {
			if e.NoRatio != "" {
				return []string{"nothing is concluded between modes: " + reports.Shorten(e.NoRatio, 90)}
			}
			rows = append(rows, e)
		}
	}
	if slept := reports.HardlySleptText(rows); slept != "" {
		return []string{"no ratio of event where it hardly slept: " + slept}
	}
	return nil
}

// lostText says how much of what is drawn was lost.
func lostText(lines []*series) []string {
	var all []reports.Entry
	for _, s := range lines {
		all = append(all, s.entries...)
	}
	if text := reports.LostText(all); text != "" {
		return []string{text}
	}
	return nil
}

// The warnings that plots say elsewhere.
const (
	idSoftware   = "software-device"
	idDataNotRun = "data-not-run"
)

// warning is the one line about what makes numbers on a plot doubtful: why its runs are,
// and that some of its rows are.
func warning(g *group, lines []*series) []string {
	about := runWarnings(g)
	some := slices.ContainsFunc(lines, func(s *series) bool {
		return slices.ContainsFunc(s.entries, func(e reports.Entry) bool { return len(doubts(e)) > 0 })
	})
	switch {
	case len(about) > 1:
		return []string{reports.Shorten(about[0], 85) + "; more: see the tables"}
	case len(about) == 1 && some:
		return []string{reports.Shorten(about[0], 70) + "; some points are doubtful: see the tables"}
	case len(about) == 1:
		return []string{reports.Shorten(about[0], 108)}
	case some:
		return []string{"some points are doubtful: see the tables"}
	}
	return nil
}

// runWarnings are the warnings about whole runs.
func runWarnings(g *group) []string {
	bare := &reports.Group{Op: g.Op, Kind: g.Kind, Along: g.Along, Numbers: g.Numbers}
	for _, f := range g.Runs {
		copied := *f
		copied.Warnings = slices.DeleteFunc(slices.Clone(f.Warnings), func(w result.Warning) bool {
			return w.ID == idSoftware && reports.SoftwareLabel(f) != "" || w.ID == idDataNotRun
		})
		copied.Rows = slices.Clone(f.Rows)
		for i := range copied.Rows {
			copied.Rows[i].Warnings = nil
		}
		bare.Runs = append(bare.Runs, &copied)
	}
	return bare.WarningLines()
}
