package heatmap

import (
	"fmt"
	"image/color"

	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/reports/chart"
)

// A level is a range of figures, which has a color. Higher ones are worse.
type level int

// The levels. A cell without a test has none, the color of paper.
const (
	none level = iota
	faster
	like // the others
	firstLow
	failed = firstLow + level(len(lowFrom))
	levels = failed + 1
)

// lowFrom has the ratio to the median below which each level of low figures begins.
var lowFrom = [...]float64{0.95, 0.9, 0.8, 0.5}

// highFrom is the ratio above which a figure is faster.
const highFrom = 1.1

// colors has the color of each level, from light to dark.
var colors = [levels]color.Color{
	chart.Paper, chart.Tint(chart.Sky, 2), chart.Shade,
	chart.Tint(chart.Vermillion, 3), chart.Tint(chart.Vermillion, 1), chart.Vermillion, chart.Text(chart.Vermillion), chart.Ink,
}

// levelOf returns the level of a ratio to the median, of which more is better.
func levelOf(ratio float64) level {
	if ratio > highFrom {
		return faster
	}
	l := like
	for i, from := range lowFrom {
		if ratio < from {
			l = firstLow + level(i)
		}
	}
	return l
}

// text returns the range of a level in words.
func (l level) text(figure string) string {
	of := func(ratio float64) string {
		if figure == results.Latency {
			ratio = 1 / ratio
		}
		return fmt.Sprintf("%.2f", ratio)
	}
	beyond, ahead := "below ", "above "
	if figure == results.Latency {
		beyond, ahead = ahead, beyond
	}
	low := int(l - firstLow)
	switch {
	case l == none:
		return "not tested"
	case l == failed:
		return "a test failed"
	case l == faster:
		return ahead + of(highFrom)
	case l == like:
		return of(highFrom) + " to " + of(lowFrom[0])
	case low == len(lowFrom)-1:
		return beyond + of(lowFrom[low])
	}
	return of(lowFrom[low]) + " to " + of(lowFrom[low+1])
}
