package plots

import (
	"slices"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/result"
)

// A series is what one line of a plot shows: the rows that detected arrival in the same
// way, of a run in ascending size, or of a sweep along its axis.
type series struct {
	run     int
	name    string // in legends
	who     string // under the pointer
	entries []reports.Entry
	modeStyle
}

// seriesOf sorts the rows of a group into lines: by run, then by name. A name whose opcode
// changes makes a line for each. Latency is drawn by percentiles: rows with a mean alone
// are left out.
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
		if g.Kind == result.KindLatency && e.Latency.MeanOnly {
			continue
		}
		k := key{e.Run, e.Name(), e.Forced, e.Opcode}
		if g.Along != reports.NoAxis {
			k.run = 0
		}
		s := index[k]
		if s == nil {
			s = &series{run: k.run, who: g.who(e), modeStyle: styleOf(e.Row, k.run)}
			if s.name = s.who; opcodes {
				s.name += ", " + reports.Shorten(e.Opcode, 24)
			}
			index[k] = s
			all = append(all, s)
		}
		s.entries = append(s.entries, e)
	}
	for _, s := range all {
		slices.SortStableFunc(s.entries, func(a, b reports.Entry) int { return a.Size - b.Size })
	}
	slices.SortStableFunc(all, func(a, b *series) int {
		if a.run != b.run {
			return a.run - b.run
		}
		return slices.Index(result.NameOrder, a.entries[0].Name()) - slices.Index(result.NameOrder, b.entries[0].Name())
	})
	return all
}

// sizesOf lists the message sizes of all series, ascending.
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

// ofSize returns the series with their rows of one size, without those that have none.
func ofSize(lines []*series, size int) []*series {
	var all []*series
	for _, s := range lines {
		some := *s
		some.entries = slices.DeleteFunc(slices.Clone(s.entries), func(e reports.Entry) bool { return e.Size != size })
		if len(some.entries) > 0 {
			all = append(all, &some)
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
