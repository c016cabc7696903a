package plots

import (
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A series is the rows of one line of a plot: those of one mode and variant, of one run by size or
// of a sweep along its axis.
type series struct {
	run       int
	name      string // in legends
	shortName string // in tooltips and below bars, without the opcode
	entries   []rows.Entry
	modeStyle
}

// brief returns the name in the legends of figures without a title.
func (s *series) brief(g *group) string {
	if g.byMode {
		return s.name
	}
	return s.shortName
}

// seriesOf divides the rows of a group into series, by run and then by name. A name with several
// opcodes makes a series for each. Latency is drawn by percentiles, so rows with only a mean are
// left out. So is the control, which is not a mode but a check of the comparison.
func seriesOf(g *group) []*series {
	type key struct {
		run    int
		name   string
		forced bool
		opcode string
	}
	index := map[key]*series{}
	var all []*series
	opcodes := len(g.opcodes()) > 1
	for _, e := range g.Entries() {
		if isControl(e) || g.Kind == option.KindLatency && e.Latency.MeanOnly {
			continue
		}
		k := key{e.Run, e.Name(), e.Forced, e.Opcode}
		if g.Along != rows.NoAxis {
			k.run = 0
		}
		s := index[k]
		if s == nil {
			s = &series{run: k.run, shortName: g.modeAndRun(e), modeStyle: styleOf(e.Row)}
			if s.name = s.shortName; opcodes {
				s.name += ", " + phrase.Shorten(e.Opcode, 24)
			}
			if g.byMode {
				s.name, s.modeStyle = g.label(e.Run), s.ofRun(k.run)
			}
			index[k] = s
			all = append(all, s)
		}
		s.entries = append(s.entries, e)
	}
	for _, s := range all {
		slices.SortStableFunc(s.entries, func(a, b rows.Entry) int { return a.Size - b.Size })
	}
	slices.SortStableFunc(all, func(a, b *series) int {
		if a.run != b.run {
			return a.run - b.run
		}
		return slices.Index(result.NameOrder, a.entries[0].Name()) - slices.Index(result.NameOrder, b.entries[0].Name())
	})
	return all
}

// sizesOf returns the message sizes of all series in ascending order.
func sizesOf(lines []*series) []int {
	var all []int
	for _, s := range lines {
		for _, e := range s.entries {
			all = append(all, e.Size)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ofSize returns the series with only their rows of one size, without empty series.
func ofSize(lines []*series, size int) []*series {
	var all []*series
	for _, s := range lines {
		some := *s
		some.entries = slices.DeleteFunc(slices.Clone(s.entries), func(e rows.Entry) bool { return e.Size != size })
		if len(some.entries) > 0 {
			all = append(all, &some)
		}
	}
	return all
}

// spread picks n of the values at even distances, including the first and the last, or one in the middle.
func spread(values []int, n int) []int {
	switch {
	case len(values) <= n:
		return values
	case n == 1:
		return values[len(values)/2 : len(values)/2+1]
	}
	picked := make([]int, n)
	for i := range picked {
		picked[i] = values[i*(len(values)-1)/(n-1)]
	}
	return picked
}

// isControl reports whether a row repeats mode poll as a check of the comparison.
func isControl(e rows.Entry) bool { return e.Variant == option.VariantControl }
