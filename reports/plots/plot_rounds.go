package plots

import (
	"slices"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// maxRounds is the maximum number of rounds of a run that are drawn. Of runs with more, some sizes are.
const maxRounds = 320

// roundsSketch draws the figure of each round, divided by the median of its row, over the time of the
// run, which shows drift. It is a detail. It returns nil if rows have too few rounds.
func roundsSketch(g *group, lines []*series) *chart.Sketch {
	s := newSketch(g, lines, kindRounds, "rounds over time", "rounds")
	s.Detail = true
	drawn := 0
	for run := range g.Runs {
		some := slices.DeleteFunc(slices.Clone(lines), func(l *series) bool { return l.run != run })
		p := s.NextPanel(drawn)
		if !g.drawRounds(s, p, some) {
			continue
		}
		drawn++
		if g.byMode {
			s.Columns, p.Title = columns, g.label(run)
		}
	}
	if drawn == 0 {
		return nil
	}
	g.finishPanels(s, drawn)
	s.Explain("line: median of consecutive rounds", ruleSample(nil))
	explainHollow(s, lines, func(e rows.Entry) (estimate, bool) { return estimate{doubtful: isDoubtful(e)}, true })
	return s
}

// drawRounds draws the rounds of a run's series into a panel, and reports whether there were enough.
func (g *group) drawRounds(s *chart.Sketch, p *chart.Panel, lines []*series) bool {
	perSize := 0
	for _, line := range lines {
		perSize += len(line.entries[0].Rounds)
	}
	if perSize < 2*len(lines) || len(lines) == 0 {
		return false
	}
	all := sizesOf(lines)
	sizes := spread(all, max(maxRounds/perSize, 1))
	clock := clockOf(lines)
	p.Plot.Add(chart.Grid(), oneLine{})
	var values []float64
	for _, line := range lines {
		c := g.cloudOf(line, sizes, clock)
		if len(c.points) == 0 {
			continue
		}
		values = append(values, ys(c.points)...)
		p.Plot.Add(c)
		s.Points += len(c.points)
	}
	g.explainMarks(s, lines)
	if len(values) == 0 {
		return false
	}
	fitRounds(&p.Plot.Y, values)
	p.YLabel = g.roundsLabel(all, sizes)
	p.XLabel = clock.label
	p.Plot.X.Min, p.Plot.X.Max = 0, clock.end*1.01
	p.Plot.X.Tick.Marker = chart.EvenTicks{}
	return true
}

// roundsLabel returns the label of the axis of rounds of some of all sizes.
func (g *group) roundsLabel(all, sizes []int) string {
	what := "average bandwidth"
	if g.Kind == option.KindLatency {
		what = "median latency"
	}
	label := what + " of each round / median of its row"
	if len(sizes) < len(all) {
		label += ", " + phrase.SizeRanges(all, sizes) + " bytes"
	}
	return label
}

// A roundClock places rounds on the axis: by time, or by their number in files without times.
type roundClock struct {
	start time.Time // zero: by number
	end   float64
	label string
}

func clockOf(lines []*series) roundClock {
	var times []time.Time
	most := 0
	for _, line := range lines {
		for _, e := range line.entries {
			most = max(most, len(e.Rounds))
			for i := range e.Rounds {
				times = append(times, e.Rounds[i].Ended)
			}
		}
	}
	first, last := slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare)
	if first.IsZero() || !last.After(first) {
		return roundClock{end: float64(most), label: "number of the round in its row"}
	}
	return roundClock{start: first, end: last.Sub(first).Seconds(), label: "time since the first round [s]"}
}

// at returns the position of a row's i-th round.
func (c roundClock) at(e rows.Entry, i int) float64 {
	if c.start.IsZero() {
		return float64(i + 1)
	}
	return e.Rounds[i].Ended.Sub(c.start).Seconds()
}

// cloudOf returns the rounds of a series at some sizes.
func (g *group) cloudOf(line *series, sizes []int, clock roundClock) *cloud {
	c := &cloud{style: styleOf(line.entries[0].Row)}
	column := result.ColumnOf(g.ComparedFields()[0])
	for _, e := range line.entries {
		if !slices.Contains(sizes, e.Size) {
			continue
		}
		var figures []float64
		for i := range e.Rounds {
			figures = append(figures, column.Round(&e.Rounds[i]))
		}
		middle := median(figures)
		for i, v := range figures {
			if ratio := v / middle; ratio > 1/farRatio && ratio < farRatio {
				at := plotter.XY{X: clock.at(e, i), Y: ratio}
				c.points = append(c.points, at)
				if isDoubtful(e) {
					c.hollow = append(c.hollow, at)
				}
			}
		}
	}
	return c
}

// median returns the median of values, or 0 of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// fitRounds fits an axis to nearly all values. The few beyond are drawn at its ends.
func fitRounds(a *plot.Axis, values []float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	fitRatios(a, []float64{max(sorted[0], sorted[n/20]/1.3), min(sorted[n-1], sorted[n-1-n/20]*1.3)})
}
