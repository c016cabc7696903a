package plots

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// newSketch returns a sketch of series. what completes its title, words its file name.
func newSketch(g *group, lines []*series, kind, what string, words ...string) *chart.Sketch {
	f := g.Runs[0]
	s := chart.Blank()
	s.Kind = kind
	words = append(append([]string{string(g.Op), string(g.Kind)}, words...), f.Local.DeviceNames(), rows.Connection(f))
	s.Name = phrase.Slug(words...)
	s.Title = phrase.Shorten(strings.TrimSuffix(rows.TestTitle(g.Op, g.Kind), " Test"), 40) + ": " + what
	s.Subtitle = subtitle(g, lines)
	s.Notes = slices.Concat(leftOut(g), noRatio(lines), lostText(lines))
	wrong := wrongData(g, lines)
	s.Warnings, s.Alarming = append(wrong, warning(g, lines)...), len(wrong) > 0 || g.Alarming()
	return s
}

// subtitle names devices, connection, opcode, rounds, and what replaces hardware.
func subtitle(g *group, lines []*series) string {
	f := g.Runs[0]
	device := phrase.Shorten(f.Local.DeviceNames(), 32)
	if peer := phrase.Shorten(f.Peer.DeviceNames(), 32); peer != "" && peer != device {
		device += " to " + peer
	}
	parts := []string{device, phrase.Shorten(rows.Connection(f), 12)}
	otherDevice := func(o *result.File) bool {
		return pair(o.Local.DeviceNames(), o.Peer.DeviceNames()) != pair(f.Local.DeviceNames(), f.Peer.DeviceNames())
	}
	if slices.ContainsFunc(g.Runs, otherDevice) {
		parts = parts[1:] // labels name the devices
	}
	if ops := g.opcodes(); len(ops) == 1 {
		parts = append(parts, phrase.Shorten(ops[0], 24))
	}
	if rounds := roundsText(lines); rounds != "" {
		parts = append(parts, rounds)
	}
	if label := rows.SoftwareLabel(f); label != "" {
		parts = append(parts, "software device: "+phrase.Shorten(label, 60))
	}
	return strings.Join(parts, ", ")
}

// roundsText returns the number of rounds of the rows and of the runs that they are from, or "" for
// files of version 1, which do not have rounds.
func roundsText(lines []*series) string {
	var counts []int
	runs := map[int]bool{}
	for _, s := range lines {
		for _, e := range s.entries {
			counts = append(counts, len(e.Rounds))
			for i := range e.Rounds {
				runs[e.Rounds[i].Run] = true
			}
		}
	}
	in := ""
	if len(runs) > 1 {
		in = fmt.Sprintf(" in %d runs", len(runs))
	}
	switch {
	case len(counts) == 0 || slices.Max(counts) == 0:
		return ""
	case slices.Max(counts) == 1:
		return "1 round"
	case slices.Min(counts) == slices.Max(counts):
		return fmt.Sprintf("%d rounds%s", counts[0], in)
	}
	return fmt.Sprintf("%d to %d rounds%s", slices.Min(counts), slices.Max(counts), in)
}

// leftOut says why mode data is missing.
func leftOut(g *group) []string {
	for _, f := range g.Runs {
		if !slices.ContainsFunc(f.Warnings, func(w result.Warning) bool { return w.ID == result.WarnDataNotRun }) {
			continue
		}
		if impossible := f.Parameters.NoData(); impossible != "" {
			return []string{"mode data was left out: " + phrase.Shorten(impossible, 160)}
		}
		side := unpromised(f)
		return []string{fmt.Sprintf("mode data was left out: asked about the order of data, %s answers %q",
			phrase.Shorten(side.Device.Name, 32), printable.Clean(side.Order.Answer))}
	}
	return nil
}

// unpromised returns a side that waits for messages and does not promise their order.
func unpromised(f *result.File) *result.Side {
	sides := rows.WaitingSides(f)
	for _, s := range sides {
		if s.Order.Answer != result.OrderWhole && s.Order.Answer != result.OrderBlocks {
			return s
		}
	}
	return sides[0]
}

// wrongData returns a warning if rows with corrupt data are drawn. The names of forced data have
// their own mark.
func wrongData(g *group, lines []*series) []string {
	for _, s := range lines {
		for _, e := range s.entries {
			if g.excluded[e.Row] && !e.Forced {
				return []string{"--verify found corrupt data in data mode: nothing is concluded from it"}
			}
		}
	}
	return nil
}

// noRatio says why rows are not compared.
func noRatio(lines []*series) []string {
	var entries []rows.Entry
	for _, s := range lines {
		for _, e := range s.entries {
			if e.NoRatio != "" {
				return []string{"nothing is concluded between modes: " + phrase.Shorten(e.NoRatio, 90)}
			}
			entries = append(entries, e)
		}
	}
	if slept := rows.HardlySleptText(entries); slept != "" {
		return []string{"no ratio of event in rows in which it hardly slept: " + slept}
	}
	return nil
}

// lostText says how many messages of the drawn rows were lost.
func lostText(lines []*series) []string {
	var all []rows.Entry
	for _, s := range lines {
		all = append(all, s.entries...)
	}
	if text := rows.LostText(all); text != "" {
		return []string{text}
	}
	return nil
}

// warning returns the line of warnings: the first about runs, and whether rows were disturbed.
func warning(g *group, lines []*series) []string {
	about := runWarnings(g)
	disturbed := slices.ContainsFunc(lines, func(s *series) bool {
		return slices.ContainsFunc(s.entries, func(e rows.Entry) bool { return rows.AnyDisturbed(e) })
	})
	switch {
	case len(about) > 1:
		return []string{phrase.Shorten(about[0], 85) + "; more: see the tables"}
	case len(about) == 1 && disturbed:
		return []string{phrase.Shorten(about[0], 70) + "; some rows were disturbed: see the tables"}
	case len(about) == 1:
		return []string{phrase.Shorten(about[0], 108)}
	case disturbed:
		return []string{"some rows were disturbed: see the tables"}
	}
	return nil
}

// runWarnings returns the warnings about whole runs.
func runWarnings(g *group) []string {
	bare := &rows.Group{Op: g.Op, Kind: g.Kind, Along: g.Along, Numbers: g.Numbers}
	for _, f := range g.Runs {
		copied := *f
		copied.Warnings = slices.DeleteFunc(slices.Clone(f.Warnings), func(w result.Warning) bool {
			return w.ID == result.WarnSoftwareDevice && rows.SoftwareLabel(f) != "" || w.ID == result.WarnDataNotRun
		})
		copied.Rows = slices.Clone(f.Rows)
		for i := range copied.Rows {
			copied.Rows[i].Warnings = nil
		}
		bare.Runs = append(bare.Runs, &copied)
	}
	return bare.WarningLines()
}
