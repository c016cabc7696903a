package plots

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"github.com/ibperf/ibperf/reports/result"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// maxPercentileSizes is of how many message sizes percentiles are drawn: of
// more, the least, the greatest and some between.
const maxPercentileSizes = 4

// percentileSketches draws latency by percentile, a plot for each size. Where there are
// several they are details.
func percentileSketches(g *group, lines []*series) []*sketch.Sketch {
	var all []*sketch.Sketch
	sizes := sizesOf(lines)
	for _, size := range spread(sizes, maxPercentileSizes) {
		if s := percentileSketch(g, ofSize(lines, size), size); s != nil {
			s.Detail = len(sizes) > 1
			all = append(all, s)
		}
	}
	return all
}

func percentileSketch(g *group, lines []*series, size int) *sketch.Sketch {
	s := newSketch(g, lines, "by percentile, "+bytesText(size), "percentiles", units.Size(size))
	s.Plot.Add(sketch.Grid())
	var values []float64
	nines := 0.0
	for _, line := range lines {
		buckets, err := line.entries[0].Latency.Distribution()
		if err != nil || len(buckets) == 0 {
			continue // a run may keep only the numbers of a row
		}
		c := curve{buckets}
		t := newTrace(line)
		t.line.Dashes = line.dash
		t.points = c.points()
		for _, tick := range (nineTicks{}).Ticks(0, c.nines()) {
			at := plotter.XY{X: tick.Value, Y: c.at(tick.Value)}
			t.markers = append(t.markers, at)
			s.Spots = append(s.Spots, sketch.Spot{X: at.X, Y: at.Y,
				Text: fmt.Sprintf("%s, %s: %s %% of messages within %s usec", line.who, bytesText(size), tick.Label, units.UsecText(1e3*at.Y))})
		}
		s.Plot.Add(t)
		s.Explain(line.name, t)
		nines = math.Max(nines, c.nines())
		values = append(values, t.points[0].Y, t.points[len(t.points)-1].Y)
	}
	if len(values) == 0 {
		return nil
	}
	sketch.FitAxis(&s.Plot.Y, values, false)
	s.YLabel = "latency [usec], lower is better"
	s.XLabel = "percentile of messages [%]"
	s.Plot.X.Min, s.Plot.X.Max = 0, nines
	s.Plot.X.Tick.Marker = nineTicks{}
	return s
}

// A curve is the latency by percentile. Its x is in nines, log10(1/(1-p)), which
// gives the tail as much room as it has importance: 90% is at 1, 99% at 2.
type curve struct{ buckets []result.Bucket }

// n is the number of samples.
func (c curve) n() float64 { return float64(c.buckets[len(c.buckets)-1].UpTo) }

// nines is where the greatest sample stands: the sample of rank r of n is drawn
// at percentile (r-1/2)/n, so that the last one has a place.
func (c curve) nines() float64 { return math.Log10(2 * c.n()) }

// at returns the latency in microseconds at x nines: the least that as many
// samples did not exceed, as printed percentiles are defined.
func (c curve) at(x float64) float64 {
	exact := (1 - math.Pow(10, -x)) * c.n()
	rank := uint64(math.Max(math.Ceil(exact-1e-6), 1)) // 99.9% of 1000 is 999, whatever floats make of it
	i := sort.Search(len(c.buckets), func(i int) bool { return c.buckets[i].UpTo >= rank })
	return units.Usec(c.buckets[min(i, len(c.buckets)-1)].Ns)
}

// points samples the curve evenly in x. Points between two of the same latency are left
// out, so that a drawing stays small.
func (c curve) points() plotter.XYs {
	const steps = 160
	var all plotter.XYs
	for i := 0; i <= steps; i++ {
		x := c.nines() * float64(i) / steps
		at := plotter.XY{X: x, Y: c.at(x)}
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
func (nineTicks) Ticks(_, most float64) []plot.Tick {
	ticks := []plot.Tick{{Value: 0, Label: "0"}}
	if most >= math.Log10(2) {
		ticks = append(ticks, plot.Tick{Value: math.Log10(2), Label: "50"})
	}
	for n := 1; float64(n) <= most; n++ {
		percent := 100 - math.Pow(10, float64(2-n))
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: strconv.FormatFloat(percent, 'f', max(n-2, 0), 64)})
	}
	return ticks
}
