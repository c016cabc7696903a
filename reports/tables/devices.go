package tables

import (
	"slices"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/table"
	"github.com/ibperf/ibperf/result"
)

// The fields of the rows of devices.
var (
	deviceRates     = []string{"bandwidth.average_bytes_per_s", "bandwidth.peak_bytes_per_s", "bandwidth.messages", "bandwidth.seconds"}
	deviceLatencies = []string{"latency.n", "latency.p50_ns", "latency.p99_ns", "latency.max_ns"}
	deviceCosts     = []string{"local.busy", "peer.busy", "local.cpus", "peer.cpus"}
)

// Devices returns the table with the rows of each device of runs with several; none without such a run.
func Devices(g *rows.Group) []*table.Table {
	if !slices.ContainsFunc(g.Entries(), func(e rows.Entry) bool { return len(e.Row.Devices) > 0 }) {
		return nil
	}
	fields := slices.Concat(deviceRates, deviceCosts)
	if g.Kind == option.KindLatency {
		fields = slices.Concat(deviceLatencies, deviceCosts)
	}
	t := newTable("Devices", g, len(g.Runs) > 1)
	for _, name := range []string{"mode", "device", "peer device"} {
		t.Columns = append(t.Columns, table.Column{Name: name, Left: true})
		t.Keys++
	}
	for _, field := range fields {
		t.Columns = append(t.Columns, head(result.ColumnOf(field)))
	}
	for _, e := range g.Entries() {
		here, peer := e.File.Local.Devices(), e.File.Peer.Devices()
		for i := range e.Row.Devices {
			r, other := e.Row.OfDevice(i), result.Unmeasured
			if i < len(peer) {
				other = printable.Clean(peer[i].PortName())
			}
			cells := append(KeyCells(g.Label(e.Run), e.Size), r.ModeMark(), printable.Clean(here[i].PortName()), other)
			for _, field := range fields {
				cells = append(cells, cell(result.ColumnOf(field), &r))
			}
			t.Add(cells...)
		}
	}
	return []*table.Table{t}
}
