// Package plots draws result files. It is apart from package reports because fonts and
// canvases take memory in every program that is linked with them.
package plots

import (
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"github.com/ibperf/ibperf/reports/result"
)

// Draw makes the plots of runs in the folder dir, which is created if it does
// not exist. Runs of the same operation on the same devices share their plots.
// The same files give the same bytes.
func Draw(dir string, runs []*result.File) ([]page.Figure, error) {
	return sketch.Save(dir, sketchesOf(runs))
}

// sketchesOf makes all plots of runs.
func sketchesOf(runs []*result.File) []*sketch.Sketch {
	var all []*sketch.Sketch
	for _, g := range groupsOf(runs) {
		for _, s := range g.sketches() {
			if s != nil {
				all = append(all, s)
			}
		}
	}
	return all
}

// sketches makes all plots of a group. Those without a point are nil.
func (g *group) sketches() []*sketch.Sketch {
	lines := seriesOf(g)
	switch {
	case len(lines) == 0:
		return nil
	case g.Along != reports.NoAxis:
		return sweepSketches(g, lines)
	case g.Kind == result.KindLatency:
		all := []*sketch.Sketch{latencySketch(g, lines), ratioSketch(g, lines), busySketch(g, lines)}
		return append(all, percentileSketches(g, lines)...)
	}
	return append(bandwidthSketches(g, lines), ratioSketch(g, lines))
}

// sizeOf is where a row stands on the axis of message sizes.
func sizeOf(e reports.Entry) float64 { return float64(e.Size) }

// positive returns the sizes that a logarithmic axis can show.
func positive(sizes []int) []int {
	for len(sizes) > 0 && sizes[0] <= 0 {
		sizes = sizes[1:]
	}
	return sizes
}
