package plots

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"github.com/ibperf/ibperf/reports/result"
)

// anySize is the size of a sketch that shows several.
const anySize = -1

// newSketch starts a plot of a group, of one message size or of anySize. What
// it shows is named for the title, and by slugWord for the file.
func newSketch(g *reports.Group, size int, what, slugWord string) *sketch.Sketch {
	f := g.Runs[0]
	s := sketch.Blank()
	s.Name = reports.Slug(g.Op, g.Kind, slugWord, f.Local.Device.Name, f.Parameters.Transport)
	s.Title = strings.TrimSuffix(reports.TestTitle(g.Op, g.Kind), " Test") + ": " + what
	s.Subtitle = subtitle(g)
	s.Warnings = plotWarnings(g, size)
	return s
}

// subtitle names device, transport and opcodes, and what is no hardware.
func subtitle(g *reports.Group) string {
	f := g.Runs[0]
	device := reports.Shorten(f.Local.Device.Name, 32)
	if peer := reports.Shorten(f.Peer.Device.Name, 32); peer != "" && peer != device {
		device += " to " + peer
	}
	parts := []string{device, reports.Shorten(f.Parameters.Transport, 12)}
	if ops := opcodesOf(g); len(ops) == 1 {
		parts = append(parts, reports.Shorten(ops[0], 24))
	}
	if label := reports.SoftwareLabel(f); label != "" {
		parts = append(parts, "software device: "+reports.Shorten(label, 60))
	}
	return strings.Join(parts, ", ")
}

// plotWarnings picks what belongs on a plot: no warnings about rows that it
// does not show, nor the software label, which is in the subtitle.
func plotWarnings(g *reports.Group, size int) []string {
	labelled := reports.SoftwareLabel(g.Runs[0]) != ""
	bare := &reports.Group{Op: g.Op, Kind: g.Kind, Numbers: g.Numbers}
	for _, f := range g.Runs {
		copied := *f
		copied.Warnings = nil
		for _, w := range f.Warnings {
			if !labelled || w.ID != "software-device" {
				copied.Warnings = append(copied.Warnings, w)
			}
		}
		copied.Rows = slices.DeleteFunc(slices.Clone(f.Rows), func(r result.Row) bool { return size != anySize && r.Size != size })
		bare.Runs = append(bare.Runs, &copied)
	}
	return sketch.FewWarnings(bare.WarningLines())
}
