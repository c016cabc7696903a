package plots

import (
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
)

// bandwidthSketches draws bandwidth and message rate of each mode by message size, or as
// bars if there is only one size.
func bandwidthSketches(g *group, lines []*series) []*sketch.Sketch {
	if len(positive(sizesOf(lines))) < 2 {
		return []*sketch.Sketch{bandwidthBars(g, lines)}
	}
	return []*sketch.Sketch{
		rateSketch(g, lines, roundGbps, "bandwidth", "Gb/s", "by_size"),
		rateSketch(g, lines, roundMpps, "message rate", "10^6 messages/s", "rate_by_size"),
	}
}

// rateSketch draws a rate of each mode by message size.
func rateSketch(g *group, lines []*series, rate measure, what, unit, word string) *sketch.Sketch {
	s := newSketch(g, lines, what+" by message size", word)
	s.Plot.Add(sketch.Grid())
	values := drawLines(s, lines, sizeOf, rate, g.spotText)
	if len(values) == 0 {
		return nil
	}
	explainSpans(s, lines, rate, ofRoundsText)
	sketch.FitAxis(&s.Plot.Y, values, true)
	s.YLabel = rateLabel(what, unit, lines)
	s.SizeAxis(positive(sizesOf(lines)))
	return s
}

// rateLabel says of which rounds a rate is.
func rateLabel(what, unit string, lines []*series) string {
	kind := "average " + what
	if slices.ContainsFunc(lines, func(s *series) bool {
		return slices.ContainsFunc(s.entries, func(e reports.Entry) bool { return len(e.Rounds) > 1 })
	}) {
		kind = what + " of the median round"
	}
	return kind + " [" + unit + "], higher is better"
}

// manyBars is up to how many bars each has room for two numbers.
const manyBars = 4

// bandwidthBars draws the bandwidth of each mode for one size.
func bandwidthBars(g *group, lines []*series) *sketch.Sketch {
	size := sizesOf(lines)[0]
	s := newSketch(g, lines, "bandwidth, "+bytesText(size), "by_mode", units.Size(size))
	var chart bars
	for i, line := range lines {
		e := line.entries[0]
		gbps, _ := roundGbps(e)
		mpps, _ := roundMpps(e)
		text := sketch.Number(gbps.value, 4) + " Gb/s"
		if len(lines) <= manyBars {
			text += ", " + sketch.Number(mpps.value, 4) + " Mpps"
		}
		chart = append(chart, bar{float64(i), 0.6, gbps, line.color(), text})
		s.Spots = append(s.Spots, sketch.Spot{X: float64(i), Y: gbps.value, Text: g.spotText(line, e)})
		s.Explain(line.name, patch{line.color()})
	}
	explainSpans(s, lines, roundGbps, ofRoundsText)
	s.YLabel = rateLabel("bandwidth", "Gb/s", lines)
	barChart(s, chart, lines)
	return s
}
