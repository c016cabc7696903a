package reports

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/reports/table"
)

// summaryFields are perftest's columns.
var summaryFields = map[string][]string{
	result.KindLatency: {"latency.n", "latency.min_ns", "latency.max_ns", "latency.p50_ns", "latency.mean_ns", "latency.stdev_ns",
		"latency.p99_ns", "latency.p99_9_ns"},
	result.KindBandwidth: {"bandwidth.messages", "bandwidth.peak_bytes_per_s", "bandwidth.average_bytes_per_s", "bandwidth.messages_per_s"},
}

// summaryTable holds perftest's columns as a table for pages, with the warnings
// of a row at its end.
func summaryTable(g *Group) *table.Table {
	t := fieldTable(g, "Results", summaryFields[g.Kind], false)
	all := g.Entries()
	if !slices.ContainsFunc(all, func(e Entry) bool { return warningTexts(e) != "" }) {
		return t
	}
	t.Columns = append(t.Columns, table.Column{Name: "warnings", Left: true})
	for i, e := range all {
		t.Rows[i] = append(t.Rows[i], warningTexts(e))
	}
	return t
}

// warningTexts are the warnings of a row that do not hold for all rows of its run.
func warningTexts(e Entry) string {
	var texts []string
	for _, w := range e.Warnings {
		if !holdsForAll(e.File, w.Text) {
			texts = append(texts, Clean(w.Text))
		}
	}
	return strings.Join(texts, "; ")
}
