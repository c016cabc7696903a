package reports

import (
	"strconv"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/reports/table"
)

// detailTable holds what perftest's rows do not: percentiles or the counts
// behind a rate, and what each side spent.
func detailTable(g *Group, gbits bool) *table.Table {
	t := &table.Table{Title: "Percentiles and cost"}
	if g.Kind == result.KindBandwidth {
		t.Title = "Rates and cost"
	}
	if len(g.Runs) > 1 {
		t.Columns = append(t.Columns, table.Column{Name: "run", Left: true})
	}
	t.Columns = append(t.Columns, table.Column{Name: "size", Unit: "B"},
		table.Column{Name: "mode", Left: true}, table.Column{Name: "opcode", Left: true})
	if g.Kind == result.KindLatency {
		t.Columns = append(t.Columns, latencyColumns...)
	} else {
		t.Columns = append(t.Columns, bandwidthColumns(gbits)...)
	}
	t.Columns = append(t.Columns, costColumns...)
	for _, e := range g.Entries() {
		t.Add(detailRow(g, e, gbits)...)
	}
	return t
}

var latencyColumns = []table.Column{
	{Name: "n", Unit: "count"},
	{Name: "p50", Unit: "usec"},
	{Name: "p90", Unit: "usec"},
	{Name: "p99", Unit: "usec"},
	{Name: "p99.9", Unit: "usec"},
	{Name: "p99.99", Unit: "usec"},
	{Name: "max", Unit: "usec"},
}

func bandwidthColumns(gbits bool) []table.Column {
	return []table.Column{
		{Name: "measured at", Left: true},
		{Name: "messages", Unit: "count"},
		{Name: "time", Unit: "s"},
		{Name: "average", Unit: units.RateUnit(gbits)},
		{Name: "peak", Unit: units.RateUnit(gbits)},
	}
}

var costColumns = []table.Column{
	{Name: "CPU", Unit: "ns/msg"},
	{Name: "peer CPU", Unit: "ns/msg"},
	{Name: "sleeps", Unit: "count"},
	{Name: "peer", Unit: "sleeps"},
}

func detailRow(g *Group, e Entry, gbits bool) []string {
	var cells []string
	if l := g.Label(e.Run); l != "" {
		cells = append(cells, l)
	}
	cells = append(cells, units.Size(e.Size), e.Row.ModeMark(), Clean(e.Opcode))
	if l := e.Latency; g.Kind == result.KindLatency {
		cells = append(cells, count(l.N))
		for _, ns := range []float64{l.P50Ns, l.P90Ns, l.P99Ns, l.P999Ns, l.P9999Ns, l.MaxNs} {
			cells = append(cells, sampleText(l, ns))
		}
	} else {
		b := e.Bandwidth
		cells = append(cells, Clean(b.MeasuredAt), count(b.Messages),
			strconv.FormatFloat(units.Finite(b.Seconds), 'f', 6, 64), units.RateText(b.Average, gbits), peakText(b, gbits))
	}
	return append(cells, units.NsText(e.Local.CPUNs), units.NsText(e.Peer.CPUNs), count(e.Local.Sleeps), count(e.Peer.Sleeps))
}

func count(n uint64) string { return strconv.FormatUint(n, 10) }
