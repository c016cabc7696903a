package reports

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/reports/table"
)

// summaryTable holds perftest's columns as a table for pages, with the warnings
// of a row at its end.
func summaryTable(g *Group) *table.Table {
	t := &table.Table{Title: "Results"}
	if len(g.Runs) > 1 {
		t.Columns = append(t.Columns, table.Column{Name: "run", Left: true})
	}
	t.Columns = append(t.Columns, table.Column{Name: "size", Unit: "B"}, table.Column{Name: "mode", Left: true})
	if g.Kind == result.KindLatency {
		t.Columns = append(t.Columns, table.Column{Name: "samples", Unit: "count"})
		for _, name := range []string{"min", "max", "median", "mean", "stdev", "99%", "99.9%"} {
			t.Columns = append(t.Columns, table.Column{Name: name, Unit: "usec"})
		}
	} else {
		t.Columns = append(t.Columns, table.Column{Name: "messages", Unit: "count"},
			table.Column{Name: "peak", Unit: "MiB/s"}, table.Column{Name: "average", Unit: "MiB/s"},
			table.Column{Name: "average", Unit: "Gb/s"}, table.Column{Name: "rate", Unit: "Mpps"})
	}
	all := g.Entries()
	doubt := slices.ContainsFunc(all, func(e Entry) bool { return len(e.Warnings) > 0 })
	if doubt {
		t.Columns = append(t.Columns, table.Column{Name: "warnings", Left: true})
	}
	for _, e := range all {
		cells := summaryRow(g, e)
		if doubt {
			cells = append(cells, warningTexts(e.Row))
		}
		t.Add(cells...)
	}
	return t
}

func summaryRow(g *Group, e Entry) []string {
	var cells []string
	if l := g.Label(e.Run); l != "" {
		cells = append(cells, l)
	}
	cells = append(cells, units.Size(e.Size), e.Row.ModeName())
	if l := e.Latency; g.Kind == result.KindLatency {
		cells = append(cells, count(l.N))
		for _, ns := range []float64{l.MinNs, l.MaxNs, l.P50Ns} {
			cells = append(cells, sampleText(l, ns))
		}
		cells = append(cells, units.UsecText(l.MeanNs))
		for _, ns := range []float64{l.StdevNs, l.P99Ns, l.P999Ns} {
			cells = append(cells, sampleText(l, ns))
		}
		return cells
	}
	b := e.Bandwidth
	return append(cells, count(b.Messages), peakText(b, false), units.RateText(b.Average, false),
		units.RateText(b.Average, true), strconv.FormatFloat(units.Mpps(b.MsgRate), 'f', 6, 64))
}

func warningTexts(r *result.Row) string {
	var texts []string
	for _, w := range r.Warnings {
		texts = append(texts, Clean(w.Text))
	}
	return strings.Join(texts, "; ")
}
