package plots

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/result"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// maxPercentileSizes is the maximum number of message sizes whose percentiles are drawn. Of more,
// these are the smallest, the largest and some between.
const maxPercentileSizes = 4

// percentileSketches draws latency by percentile, one plot for each size. Several plots are details.
func percentileSketches(g *group, lines []*series) []*chart.Sketch {
	var all []*chart.Sketch
	sizes := sizesOf(lines)
	for _, size := range spread(sizes, maxPercentileSizes) {
		if s := percentileSketch(g, ofSize(lines, size), size); s != nil {
			s.Detail = len(sizes) > 1
			all = append(all, s)
		}
	}
	return all
}

func percentileSketch(g *group, lines []*series, size int) *chart.Sketch {
	s := newSketch(g, lines, kindPercentiles, "by percentile, "+bytesText(size), "percentiles", units.Size(size))
	drawn := 0
	for _, some := range g.panels(lines) {
		p := s.NextPanel(drawn)
		if g.drawPercentiles(s, p, some, size) {
			drawn++
			g.entitle(s, p, some, "latency [usec], lower is better")
			p.XLabel = "percentile of messages [%]"
		}
	}
	if drawn == 0 {
		return nil
	}
	g.finishPanels(s, drawn)
	explainHollow(s, lines, medianUsec)
	return s
}

// drawPercentiles draws series into a panel, and reports whether there was anything to draw.
func (g *group) drawPercentiles(s *chart.Sketch, p *chart.Panel, lines []*series, size int) bool {
	var values []float64
	nines := 0.0
	p.Plot.Add(chart.Grid())
	for _, line := range lines {
		buckets, err := line.entries[0].Latency.Distribution()
		if err != nil || len(buckets) == 0 {
			continue // a run may keep only the numbers of a row
		}
		c := curve{buckets}
		t := newTrace(line)
		t.points = c.points()
		for _, tick := range (nineTicks{}).Ticks(0, c.nines()) {
			at := plotter.XY{X: tick.Value, Y: c.usecAt(tick.Value)}
			t.markers = append(t.markers, at)
			p.Tooltips = append(p.Tooltips, chart.Tooltip{X: at.X, Y: at.Y,
				Text: fmt.Sprintf("%s, %s: %s %% of messages within %s usec", line.shortName, bytesText(size), tick.Label, units.UsecText(1e3*at.Y))})
		}
		if isDoubtful(line.entries[0]) {
			t.hollow = t.markers
		}
		p.Plot.Add(t)
		g.explain(s, line, t)
		s.Points += len(t.markers)
		nines = math.Max(nines, c.nines())
		values = append(values, t.points[0].Y, t.points[len(t.points)-1].Y)
	}
	if len(values) == 0 {
		return false
	}
	chart.FitAxis(&p.Plot.Y, values, false)
	p.Plot.X.Min, p.Plot.X.Max = 0, nines
	p.Plot.X.Tick.Marker = nineTicks{}
	return true
}

// A curve is the latency by percentile. Its x is in nines, log10(1/(1-p)), which enlarges the tail:
// 90 % is at 1, 99 % at 2.
type curve struct{ buckets []result.Bucket }

// samples returns the number of samples.
func (c curve) samples() float64 { return float64(c.buckets[len(c.buckets)-1].UpTo) }

// nines returns the x of the largest sample. The sample of rank r of n is drawn at percentile
// (r-1/2)/n, so that the last one has a finite x.
func (c curve) nines() float64 { return math.Log10(2 * c.samples()) }

// usecAt returns the latency in microseconds at x: the smallest that the corresponding number of samples
// did not exceed, as percentiles are defined.
func (c curve) usecAt(x float64) float64 {
	exact := (1 - math.Pow(10, -x)) * c.samples()
	rank := uint64(math.Max(math.Ceil(exact-1e-6), 1)) // 99.9 % of 1000 is 999, despite rounding
	i := sort.Search(len(c.buckets), func(i int) bool { return c.buckets[i].UpTo >= rank })
	return units.Usec(c.buckets[min(i, len(c.buckets)-1)].Ns)
}

// points samples the curve evenly in x. It leaves out points between two of the same latency, which
// makes the drawing smaller.
func (c curve) points() plotter.XYs {
	const steps = 160
	var all plotter.XYs
	for i := 0; i <= steps; i++ {
		x := c.nines() * float64(i) / steps
		at := plotter.XY{X: x, Y: c.usecAt(x)}
		if n := len(all); n > 1 && all[n-1].Y == at.Y && all[n-2].Y == at.Y {
			all[n-1] = at
		} else {
			all = append(all, at)
		}
	}
	return all
}

// nineTicks marks 0, 50, 90, 99, 99.9, ... percent.
type nineTicks struct{}

// Ticks implements [plot.Ticker].
func (nineTicks) Ticks(_, high float64) []plot.Tick {
	ticks := []plot.Tick{{Value: 0, Label: "0"}}
	if high >= math.Log10(2) {
		ticks = append(ticks, plot.Tick{Value: math.Log10(2), Label: "50"})
	}
	for n := 1; float64(n) <= high; n++ {
		percent := 100 - math.Pow(10, float64(2-n))
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: strconv.FormatFloat(percent, 'f', max(n-2, 0), 64)})
	}
	return ticks
}
