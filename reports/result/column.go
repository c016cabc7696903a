package result

import (
	"strconv"

	"github.com/ibperf/ibperf/internal/units"
)

// A Column is a number or a word of rows: where the file has it, what it means, and
// how tables print it.
type Column struct {
	Field      string // JSON names from the row on: "latency.p50_ns"
	Kind       string // KindLatency or KindBandwidth; empty: rows of both have it
	Unit       string // in the file; empty for words
	Definition string

	Title string // in tables of nothing else: "Median latency"
	Head  string // of its column in tables; empty: it is in none
	shown string // the unit that tables print it in

	Value func(*Row) float64   // nil for words
	Round func(*Round) float64 // the same of a round; nil if rounds do not have it

	words func(*Row) string
	print func(v float64, gbits bool) string
	empty bool // 0 stands for what was not measured
}

// Unmeasured stands in tables where a number or a word is missing.
const Unmeasured = "-"

// Text is the number or the word as tables print it.
func (c *Column) Text(r *Row, gbits bool) string {
	if c.words != nil {
		if w := c.words(r); w != "" {
			return w
		}
		return Unmeasured
	}
	return c.Format(c.Value(r), gbits)
}

// Format is a number of the column as tables print it.
func (c *Column) Format(v float64, gbits bool) string {
	if c.empty && v == 0 {
		return Unmeasured
	}
	return c.print(v, gbits)
}

// Shown is the unit that tables print the number in.
func (c *Column) Shown(gbits bool) string {
	if c.shown == rate {
		return units.RateUnit(gbits)
	}
	return c.shown
}

// rate stands for the unit of rates in a report.
const rate = "rate"

// Columns returns all of them, in the order of tables.
func Columns() []Column { return columns }

// ColumnOf returns the column of a field, which must exist.
func ColumnOf(field string) *Column {
	for i := range columns {
		if columns[i].Field == field {
			return &columns[i]
		}
	}
	panic("no column for the field " + field)
}

// The ways of printing numbers.
func asSize(v float64, _ bool) string { return units.Size(int(v)) }
func asUsec(v float64, _ bool) string { return units.UsecText(v) }
func asNs(v float64, _ bool) string   { return units.NsText(v) }
func asRate(v float64, g bool) string { return units.RateText(v, g) }
func asMpps(v float64, _ bool) string { return strconv.FormatFloat(units.Mpps(v), 'f', 6, 64) }

func asCount(v float64, _ bool) string { return strconv.FormatFloat(units.Finite(v), 'f', 0, 64) }

func asSeconds(v float64, _ bool) string {
	return strconv.FormatFloat(units.Finite(v), 'f', 6, 64)
}

func asMillis(v float64, _ bool) string {
	return strconv.FormatFloat(1e3*units.Finite(v), 'f', 3, 64)
}

func asPercent(v float64, _ bool) string {
	return strconv.FormatFloat(100*units.Finite(v), 'f', 1, 64)
}

// share prints what is a small part of 1 with the digits that tell it from nothing.
func share(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.0005:
		return strconv.FormatFloat(v, 'g', 1, 64)
	}
	return strconv.FormatFloat(units.Finite(v), 'f', 3, 64)
}

// inLatency, inBandwidth and inVerify make the value of a row of that of a part of it,
// 0 where it is not there.
func inLatency(value func(*Latency) float64) func(*Row) float64 {
	return func(r *Row) float64 {
		if r.Latency == nil {
			return 0
		}
		return value(r.Latency)
	}
}

func inBandwidth(value func(*Bandwidth) float64) func(*Row) float64 {
	return func(r *Row) float64 {
		if r.Bandwidth == nil {
			return 0
		}
		return value(r.Bandwidth)
	}
}

func inVerify(value func(*Verify) float64) func(*Row) float64 {
	return func(r *Row) float64 {
		if r.Verify == nil {
			return 0
		}
		return value(r.Verify)
	}
}
