package reports

import (
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/reports/table"
)

// A metric is one number of a row that modes are compared by.
type metric struct {
	title string
	unit  string
	value func(*result.Row) float64
	text  func(float64) string
}

func metrics(g *Group, gbits bool) []metric {
	cpu := metric{"CPU time per message at this side", "ns/msg", func(r *result.Row) float64 { return r.Local.CPUNs }, units.NsText}
	switch {
	case g.meanOnly():
		return []metric{
			{"Mean latency", "usec", func(r *result.Row) float64 { return r.Latency.MeanNs }, units.UsecText},
			cpu,
		}
	case g.Kind == result.KindLatency:
		return []metric{
			{"Median latency", "usec", func(r *result.Row) float64 { return r.Latency.P50Ns }, units.UsecText},
			{"99th percentile of latency", "usec", func(r *result.Row) float64 { return r.Latency.P99Ns }, units.UsecText},
			cpu,
		}
	}
	return []metric{
		{"Average bandwidth", units.RateUnit(gbits), func(r *result.Row) float64 { return r.Bandwidth.Average },
			func(v float64) string { return units.RateText(v, gbits) }},
		cpu,
	}
}

// A lineup is the rows of one message size, by mode.
type lineup struct {
	run  int // -1 where the rows are of several runs
	size int
	rows map[string]*result.Row
}

// compareTables puts the completion modes side by side, each with its ratio to
// poll: one table for each metric. There are none if only one mode ran.
func compareTables(g *Group, gbits bool) []*table.Table {
	lineups := lineUp(g)
	modes := modesOf(lineups)
	if len(modes) < 2 {
		return nil
	}
	perRun := slices.ContainsFunc(lineups, func(l *lineup) bool { return l.run >= 0 }) && len(g.Runs) > 1
	var tables []*table.Table
	for _, m := range metrics(g, gbits) {
		t := &table.Table{Title: m.title + ": completion modes side by side"}
		if perRun {
			t.Columns = append(t.Columns, table.Column{Name: "run", Left: true})
		}
		t.Columns = append(t.Columns, table.Column{Name: "size", Unit: "B"})
		for _, mode := range modes {
			t.Columns = append(t.Columns, table.Column{Name: mode, Unit: m.unit})
			if slices.Contains(modes, result.BaseMode) {
				t.Columns = append(t.Columns, table.Column{Name: "ratio", Unit: "to " + result.BaseMode})
			}
		}
		for _, l := range lineups {
			t.Add(compareRow(g, l, m, modes, perRun)...)
		}
		tables = append(tables, t)
	}
	return tables
}

func compareRow(g *Group, l *lineup, m metric, modes []string, perRun bool) []string {
	var cells []string
	if perRun {
		cells = append(cells, g.Label(l.run))
	}
	cells = append(cells, units.Size(l.size))
	for _, mode := range modes {
		value, ratio := "-", "-"
		if r := l.rows[mode]; r != nil {
			value = m.text(m.value(r)) + r.ForcedMark()
			if base := l.rows[result.BaseMode]; base != nil {
				ratio = units.RatioText(m.value(r), m.value(base))
			}
		}
		cells = append(cells, value)
		if slices.Contains(modes, result.BaseMode) {
			cells = append(cells, ratio)
		}
	}
	return cells
}

// lineUp collects the rows of each size. Runs that each measured another mode
// on the same devices with the same parameters are laid together; others are
// kept apart.
func lineUp(g *Group) []*lineup {
	together := comparable(g)
	type key struct{ run, size int }
	index := map[key]*lineup{}
	var lineups []*lineup
	for _, e := range g.Entries() {
		k := key{e.Run, e.Size}
		if together {
			k.run = -1
		}
		l := index[k]
		if l == nil {
			l = &lineup{run: k.run, size: k.size, rows: map[string]*result.Row{}}
			index[k] = l
			lineups = append(lineups, l)
		}
		l.rows[e.Mode] = e.Row
	}
	return lineups
}

// comparable tells whether the rows of different runs may stand in one line.
func comparable(g *Group) bool {
	type key struct {
		size int
		mode string
	}
	seen := map[key]bool{}
	for _, e := range g.Entries() {
		k := key{e.Size, e.Mode}
		if seen[k] || setting(e.File) != setting(g.Runs[0]) {
			return false
		}
		seen[k] = true
	}
	return true
}

// runSetting is what two runs must share for their numbers to be compared.
type runSetting struct {
	local, peer, device, peerDevice, role, transport string
	qps, txDepth, rxDepth, cqMod, inline, mtu        int
	noPeak                                           bool
}

func setting(f *result.File) runSetting {
	p := f.Parameters
	return runSetting{
		local: f.Local.Host, peer: f.Peer.Host, device: f.Local.Device.Name, peerDevice: f.Peer.Device.Name,
		role: f.Role, transport: p.Transport,
		qps: p.QPs, txDepth: p.TxDepth, rxDepth: p.RxDepth, cqMod: p.CQMod, inline: p.Inline, mtu: p.MTU, noPeak: p.NoPeak,
	}
}

func modesOf(lineups []*lineup) []string {
	var modes []string
	for _, mode := range result.ModeOrder {
		if slices.ContainsFunc(lineups, func(l *lineup) bool { return l.rows[mode] != nil }) {
			modes = append(modes, mode)
		}
	}
	return modes
}
