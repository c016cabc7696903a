package reports

import (
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/reports/table"
)

// The fields of the tables of details: what perftest's rows do not tell. Programs that read
// perftest's text look for rows anywhere: two whole numbers and three or more others. So words and
// "%" stand between the numbers of these tables.
var (
	percentileFields = []string{"latency.n", "latency.p50_ns", "latency.p90_ns", "latency.p99_ns", "latency.p99_9_ns",
		"latency.p99_99_ns", "latency.max_ns"}
	momentFields = []string{"latency.min_ns", "latency.mean_ns", "latency.stdev_ns"}
	rateFields   = []string{"bandwidth.measured_at", "bandwidth.messages", "bandwidth.seconds", "bandwidth.average_bytes_per_s",
		"from_client.average_bytes_per_s", "from_server.average_bytes_per_s", "bandwidth.aligned_within_s",
		"bandwidth.slowest_bytes_per_s", "bandwidth.median_window_bytes_per_s", "bandwidth.peak_bytes_per_s",
		"from_client.peak_bytes_per_s", "from_server.peak_bytes_per_s", "bandwidth.window_s"}
	deliveryFields = []string{"delivery.sent", "delivery.lost", "from_client.delivery.lost", "from_server.delivery.lost"}
	workFields     = []string{"opcode", "slots", "span", "depth", "touch", "cq_mod", "relaxed_ordering"}
	costFields     = []string{"local.busy", "peer.busy", "local.sleeps_per_message", "peer.sleeps_per_message",
		"local.cpu_ns_per_message", "peer.cpu_ns_per_message"}
	threadFields = []string{"local.cpus", "peer.cpus", "local.preempted_per_s", "peer.preempted_per_s"}
)

// detailTables are percentiles or the counts behind a rate, and what was done for each
// row and at what cost. Without rows there are none.
func detailTables(g *Group, gbits bool) []*table.Table {
	if len(g.Entries()) == 0 {
		return nil
	}
	title, fields := "Percentiles", percentileFields
	if g.Kind == result.KindBandwidth {
		title, fields = "Rates", rateFields
	}
	numbers := fieldTable(g, title, slices.Concat(fields, deliveryFields), gbits)
	return slices.Concat([]*table.Table{numbers}, workTables(g, gbits))
}

// statisticsTable is all numbers of the kind of a group, for pages.
func statisticsTable(g *Group) *table.Table {
	if g.Kind == result.KindBandwidth {
		return fieldTable(g, "Rates", slices.Concat(rateFields, []string{"bandwidth.messages_per_s"}, deliveryFields), false)
	}
	return fieldTable(g, "Percentiles and moments", slices.Concat(percentileFields, momentFields, deliveryFields), false)
}

// workTables say what was done for each row, at what cost, and on which CPUs.
func workTables(g *Group, gbits bool) []*table.Table {
	work := slices.DeleteFunc(slices.Clone(workFields), func(field string) bool {
		return field == "relaxed_ordering" && len(g.texts(field)) < 2
	})
	return []*table.Table{
		fieldTable(g, "Work and cost", slices.Concat(work, costFields), gbits),
		fieldTable(g, "Measuring threads", threadFields, gbits),
	}
}

// fieldTable shows fields of all rows of a group, but not those that no row has.
func fieldTable(g *Group, title string, fields []string, gbits bool) *table.Table {
	t := newTable(title, g, len(g.Runs) > 1)
	t.Columns = append(t.Columns, table.Column{Name: "mode", Left: true})
	t.Keys++
	var columns []*result.Column
	for _, field := range fields {
		if texts := g.texts(field); len(texts) == 1 && texts[0] == result.Unmeasured {
			continue
		}
		c := result.ColumnOf(field)
		columns = append(columns, c)
		t.Columns = append(t.Columns, head(c, gbits))
	}
	for _, e := range g.Entries() {
		cells := append(place(g.Label(e.Run), e.Size), e.ModeMark())
		for _, c := range columns {
			cells = append(cells, cell(c, e.Row, gbits))
		}
		t.Add(cells...)
	}
	return t
}

// newTable begins a table whose rows are of a size, and of a run if they are labelled.
func newTable(title string, g *Group, labelled bool) *table.Table {
	t := &table.Table{Title: title}
	if labelled {
		name, unit := g.Along.heading()
		t.Columns = append(t.Columns, table.Column{Name: name, Unit: unit, Left: g.Along == NoAxis})
	}
	t.Columns = append(t.Columns, head(result.ColumnOf("size_bytes"), false))
	t.Keys = len(t.Columns)
	return t
}

// place is what the columns of newTable hold in a row. Without a label it is of no run.
func place(label string, size int) []string {
	if label == "" {
		return []string{units.Size(size)}
	}
	return []string{label, units.Size(size)}
}

func head(c *result.Column, gbits bool) table.Column {
	unit := c.Shown(gbits)
	if unit == percentUnit {
		unit = ""
	}
	return table.Column{Name: c.Head, Unit: unit, Left: c.Value == nil}
}

// percentUnit stands behind each number, and not in the head.
const percentUnit = "%"

func cell(c *result.Column, r *result.Row, gbits bool) string {
	text := Clean(c.Text(r, gbits))
	if c.Shown(gbits) == percentUnit && text != result.Unmeasured {
		text += " " + percentUnit
	}
	return text
}

// texts lists what a field is in the rows of a group, each text once.
func (g *Group) texts(field string) []string {
	var all []string
	c := result.ColumnOf(field)
	for _, e := range g.Entries() {
		if text := c.Text(e.Row, false); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
