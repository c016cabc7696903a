package tables

import (
	"slices"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/table"
	"github.com/ibperf/ibperf/result"
)

// The fields of the tables of details, which perftest's rows do not have. Programs that read
// perftest's text search every line for rows: two integers and three or more other numbers. So these
// tables have words and "%" between their numbers.
var (
	percentileFields = []string{"latency.n", "latency.p50_ns", "latency.p90_ns", "latency.p99_ns", "latency.p99_9_ns",
		"latency.p99_99_ns", "latency.max_ns"}
	loadFields   = []string{"load.offered_per_s", result.AnswersColumn, "load.window", "load.backlog", "load.service.p50_ns", "load.service.p99_ns", "load.service.max_ns"}
	momentFields = []string{"latency.min_ns", "latency.mean_ns", "latency.stdev_ns"}
	rateFields   = []string{"bandwidth.measured_at", "bandwidth.messages", "bandwidth.seconds", "bandwidth.average_bytes_per_s",
		"from_client.average_bytes_per_s", "from_server.average_bytes_per_s", "bandwidth.aligned_within_s",
		"bandwidth.slowest_bytes_per_s", "bandwidth.median_window_bytes_per_s", "bandwidth.peak_bytes_per_s",
		"from_client.peak_bytes_per_s", "from_server.peak_bytes_per_s", "bandwidth.window_s"}
	deliveryFields = []string{"delivery.sent", "delivery.lost", "from_client.delivery.lost", "from_server.delivery.lost"}
	costFields     = []string{"local.busy", "peer.busy", "local.sleeps_per_message", "peer.sleeps_per_message",
		"local.cpu_ns_per_message", "peer.cpu_ns_per_message"}
	threadFields = []string{"local.cpus", "peer.cpus", "cpu_distances", "local.preempted_per_s", "peer.preempted_per_s"}
)

// Details returns the tables of a group with rows: percentiles or the counts of a rate, and the work
// and cost of each row.
func Details(g *rows.Group) []*table.Table {
	if len(g.Entries()) == 0 {
		return nil
	}
	title, fields := "Percentiles", percentileFields
	if g.Kind == option.KindBandwidth {
		title, fields = "Rates", rateFields
	}
	numbers := fieldTable(g, title, slices.Concat(fields, deliveryFields))
	return slices.Concat(Devices(g), []*table.Table{numbers}, Load(g), WorkAndCost(g))
}

// Load returns the table of the rates of latency tests and how they were kept; none without a rate.
func Load(g *rows.Group) []*table.Table {
	if !slices.ContainsFunc(g.Entries(), func(e rows.Entry) bool { return e.Row.Load != nil }) {
		return nil
	}
	return []*table.Table{fieldTable(g, "Rate and service time", loadFields)}
}

// Statistics returns a table of all numbers of the group's kind.
func Statistics(g *rows.Group) *table.Table {
	if g.Kind == option.KindBandwidth {
		return fieldTable(g, "Rates", slices.Concat(rateFields, []string{"bandwidth.messages_per_s"}, deliveryFields))
	}
	return fieldTable(g, "Percentiles and moments", slices.Concat(percentileFields, momentFields, deliveryFields))
}

// WorkAndCost returns tables of the work of each row, its cost, and the CPUs that it ran on.
func WorkAndCost(g *rows.Group) []*table.Table {
	work := slices.DeleteFunc(slices.Clone(rows.WorkFields), func(field string) bool {
		return (field == "relaxed_ordering" || field == "out_of_order") && len(textsOf(g, field)) < 2
	})
	return []*table.Table{
		fieldTable(g, "Work and cost", slices.Concat(work, costFields)),
		fieldTable(g, "Measuring threads", threadFields),
	}
}

// fieldTable returns a table of fields of all rows. It leaves out fields that no row has.
func fieldTable(g *rows.Group, title string, fields []string) *table.Table {
	t := newTable(title, g, len(g.Runs) > 1)
	t.Columns = append(t.Columns, table.Column{Name: "mode", Left: true})
	t.Keys++
	var columns []*result.Column
	for _, field := range fields {
		if texts := textsOf(g, field); len(texts) == 1 && texts[0] == result.Unmeasured {
			continue
		}
		c := result.ColumnOf(field)
		columns = append(columns, c)
		t.Columns = append(t.Columns, head(c))
	}
	for _, e := range g.Entries() {
		cells := append(KeyCells(g.Label(e.Run), e.Size), e.ModeMark())
		for _, c := range columns {
			cells = append(cells, cell(c, e.Row))
		}
		t.Add(cells...)
	}
	return t
}

// newTable returns a table with the key columns of rows: message size, and the label of the run if
// rows are labeled.
func newTable(title string, g *rows.Group, labeled bool) *table.Table {
	t := &table.Table{Title: title}
	if labeled {
		name, unit := g.Along.Heading()
		t.Columns = append(t.Columns, table.Column{Name: name, Unit: unit, Left: g.Along == rows.NoAxis})
	}
	t.Columns = append(t.Columns, head(result.ColumnOf("size_bytes")))
	t.Keys = len(t.Columns)
	return t
}

// KeyCells returns the cells of the key columns. An empty label stands for rows without one.
func KeyCells(label string, size int) []string {
	if label == "" {
		return []string{units.Size(size)}
	}
	return []string{label, units.Size(size)}
}

func head(c *result.Column) table.Column {
	unit := c.Shown()
	if unit == percentUnit {
		unit = ""
	}
	return table.Column{Name: c.Head, Unit: unit, Left: c.Value == nil}
}

// percentUnit is printed after each number instead of in the head.
const percentUnit = "%"

func cell(c *result.Column, r *result.Row) string {
	text := printable.Clean(c.Text(r))
	if c.Shown() == percentUnit && text != result.Unmeasured {
		text += " " + percentUnit
	}
	return text
}

// textsOf returns the texts of a field in the rows of a group, each once.
func textsOf(g *rows.Group, field string) []string {
	var all []string
	c := result.ColumnOf(field)
	for _, e := range g.Entries() {
		if text := c.Text(e.Row); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
