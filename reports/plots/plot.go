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
	for _, g := range plotGroups(runs) {
		all = append(all, sketches(g)...)
	}
	return all
}

// sketches makes all plots of a group.
func sketches(g *reports.Group) []*sketch.Sketch {
	lines := seriesOf(g)
	if len(lines) == 0 {
		return nil
	}
	var all []*sketch.Sketch
	if g.Kind == result.KindLatency {
		all = append(all, latencySketch(g, lines))
		all = append(all, percentileSketches(g, lines)...)
		all = append(all, costSketch(g, lines))
	} else {
		all = []*sketch.Sketch{bandwidthSketch(g, lines)}
	}
	var drawn []*sketch.Sketch
	for _, s := range all {
		if s != nil {
			drawn = append(drawn, s)
		}
	}
	return drawn
}

// plotGroups lays together what may share a plot: the runs of a group whose devices and
// transport are the same, which the title names. Runs keep the numbers that they have in
// tables.
func plotGroups(files []*result.File) []*reports.Group {
	var groups []*reports.Group
	for _, whole := range reports.Groups(files) {
		type key struct{ device, peer, transport string }
		index := map[key]*reports.Group{}
		for i, f := range whole.Runs {
			k := key{f.Local.Device.Name, f.Peer.Device.Name, f.Parameters.Transport}
			g := index[k]
			if g == nil {
				g = &reports.Group{Op: whole.Op, Kind: whole.Kind, Verify: whole.Verify, Along: whole.Along}
				index[k] = g
				groups = append(groups, g)
			}
			g.Add(f, whole.Numbers[i])
		}
	}
	return groups
}
