// Package plots makes the figures of result files: plot_*.go decide what each figure shows, lines.go
// and bars.go draw it, on the axes and canvases of package chart. Only ib_report and ib_compare import
// it, since fonts and canvases take memory in every program that is linked with them.
package plots

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// Draw writes the plots of runs to the folder dir, which it creates if necessary. Runs of the same
// operation on the same devices share their plots. The same files give the same bytes.
func Draw(dir string, runs []*result.File) ([]page.Figure, error) {
	saved, err := chart.Save(dir, sketchesOf(runs, nil))
	if err != nil {
		return nil, err
	}
	var figures []page.Figure
	for _, f := range saved {
		figures = append(figures, page.Figure(f))
	}
	return figures, nil
}

// A Style is the size of a figure, its text, and the names of its runs. The zero Style is that of pages.
type Style struct {
	chart.Style
	Labels map[*result.File]string // names of runs instead of what they differ in
}

// One returns the only figure of a kind that runs have, in one format. The caption of a figure without a title
// is taken to explain what is not in its brief legend. A figure's whole name, such as
// one in the error about several figures of a kind, is a kind, too.
func One(runs []*result.File, kind string, format chart.Format, style Style) ([]byte, error) {
	style.Brief = style.NoTitle
	var found []*chart.Sketch
	var kinds, names []string
	for _, s := range sketchesOf(runs, style.Labels) {
		if s.Name == kind {
			return s.Encode(format, style.Style)
		}
		if s.Kind == kind {
			found, names = append(found, s), append(names, s.Name)
		}
		kinds = phrase.AddNew(kinds, s.Kind)
	}
	switch {
	case len(found) == 1:
		return found[0].Encode(format, style.Style)
	case len(found) > 1:
		return nil, fmt.Errorf("%d figures of kind %s: choose one of %s", len(found), kind, strings.Join(names, ", "))
	case len(kinds) == 0:
		return nil, errors.New("these results have no figure")
	}
	return nil, fmt.Errorf("no figure of kind %s: these results have %s", kind, strings.Join(kinds, ", "))
}

// sketchesOf returns all plots of runs, which labels may name, without those of a single point.
func sketchesOf(runs []*result.File, labels map[*result.File]string) []*chart.Sketch {
	var all []*chart.Sketch
	for _, g := range groupsOf(runs, labels) {
		for _, s := range g.sketches() {
			if s != nil && s.Points > 1 {
				all = append(all, s)
			}
		}
	}
	return all
}

// sketches returns all plots of a group, none of a single mode. Those without a point are nil.
func (g *group) sketches() []*chart.Sketch {
	lines := seriesOf(g)
	switch {
	case !compares(lines):
		return nil
	case g.Along != rows.NoAxis:
		return sweepSketches(g, lines)
	case g.Kind == option.KindLatency:
		all := []*chart.Sketch{latencySketch(g, lines), ratioSketch(g, lines), busySketch(g, lines)}
		return append(append(all, percentileSketches(g, lines)...), roundsSketch(g, lines))
	}
	return append(bandwidthSketches(g, lines), ratioSketch(g, lines), roundsSketch(g, lines))
}

// The kinds of figures.
const (
	kindLatency     = "latency"     // median and 99 % of each mode by message size
	kindBandwidth   = "bandwidth"   // of each mode by message size
	kindRate        = "rate"        // messages per second of each mode by message size
	kindRatio       = "ratio"       // of each mode to poll by message size
	kindBusy        = "busy"        // core busy against latency
	kindPercentiles = "percentiles" // latency of each mode by percentile
	kindRounds      = "rounds"      // figures of the rounds over time
	kindQPs         = "qps"         // latency or message rate by number of QPs
	kindPause       = "pause"       // latency by pause between messages
	kindPauseBusy   = "pause-busy"  // core busy by pause between messages
	kindLoad        = "load"        // response time by rate
	kindLoadTail    = "load-tail"   // its 99th percentile
	kindLoadBusy    = "load-busy"   // core busy by rate
)

// Kinds returns the kinds of figures.
func Kinds() []string {
	return []string{kindRatio, kindLatency, kindBandwidth, kindRate, kindBusy, kindPercentiles, kindRounds, kindQPs, kindPause, kindPauseBusy, kindLoad, kindLoadTail, kindLoadBusy}
}

// sizeOf returns the position of a row on the axis of message sizes.
func sizeOf(e rows.Entry) float64 { return float64(e.Size) }

// positive returns the sizes that a logarithmic axis can show.
func positive(sizes []int) []int {
	for len(sizes) > 0 && sizes[0] <= 0 {
		sizes = sizes[1:]
	}
	return sizes
}
