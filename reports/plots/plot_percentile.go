package plots

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"github.com/ibperf/ibperf/reports/result"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// maxPercentileSizes is of how many message sizes percentiles are drawn: of
// more, the least, the greatest and some between.
const maxPercentileSizes = 4

// percentileSketches draws latency by percentile, a plot for each size.
func percentileSketches(g *reports.Group, lines []*series) []*sketch.Sketch {
	var all []*sketch.Sketch
	for _, size := range spread(sizesOf(lines), maxPercentileSizes) {
		if s := percentileSketch(g, lines, size); s != nil {
			all = append(all, s)
		}
	}
	return all
}

// spread picks n of the values at even distances, the first and last included.
func spread(values []int, n int) []int {
	if len(values) <= n {
		return values
	}
	picked := make([]int, n)
	for i := range picked {
		picked[i] = values[i*(len(values)-1)/(n-1)]
	}
	return picked
}

func percentileSketch(g *reports.Group, lines []*series, size int) *sketch.Sketch {
	s := newSketch(g, size, fmt.Sprintf("by percentile, %s bytes", units.Size(size)), "percentiles_"+units.Size(size))
	s.Plot.Add(sketch.Grid())
	var values []float64
	nines := 0.0
	for _, line := range lines {
		r := line.row(size)
		if r == nil {
			continue
		}
		buckets, err := r.Latency.Distribution()
		if err != nil || len(buckets) == 0 {
			continue // a run may keep only the numbers of a row
		}
		c := curve{buckets}
		t := newTrace(line, c.points())
		t.line.Dashes = line.dash
		t.markers = c.markers()
		s.Plot.Add(t)
		s.Explain(line.name, t)
		nines = math.Max(nines, c.nines())
		values = append(values, t.points[0].Y, t.points[len(t.points)-1].Y)
	}
	if len(values) == 0 {
		return nil
	}
	sketch.FitAxis(&s.Plot.Y, values, false)
	s.YLabel = "latency [usec]"
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

// points samples the curve evenly in x, so that a drawing stays small.
func (c curve) points() plotter.XYs {
	const steps = 240
	var all plotter.XYs
	for i := 0; i <= steps; i++ {
		x := c.nines() * float64(i) / steps
		all = append(all, plotter.XY{X: x, Y: c.at(x)})
	}
	return all
}

// markers are the points at the labelled percentiles.
func (c curve) markers() plotter.XYs {
	var all plotter.XYs
	for _, t := range (nineTicks{}).Ticks(0, c.nines()) {
		all = append(all, plotter.XY{X: t.Value, Y: c.at(t.Value)})
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
