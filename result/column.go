package result

import (
	"strconv"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
)

// A Column is a number or a word of rows: its field in the file, its definition, and its format in
// tables.
type Column struct {
	Field      string      // path from the row: "latency.p50_ns"
	Kind       option.Kind // empty: rows of both kinds have it
	Unit       string      // in the file; empty for words
	Definition string

	Title string // of tables of only this column: "Median latency"
	Head  string // of its column in tables; empty: in none
	shown string // the unit that tables print it in

	Value func(*Row) float64   // nil for words
	Round func(*Round) float64 // the number of a round; nil if rounds do not have it

	// Spread returns the number of a round where that of a row does not follow from its rounds; nil without.
	Spread func(*Round) float64

	words func(*Row) string
	print func(v float64) string
	empty bool // 0 means not measured
}

// Unmeasured is printed in place of a missing number or word.
const Unmeasured = "-"

// Text returns the number or word as tables print it.
func (c *Column) Text(r *Row) string {
	if c.words != nil {
		if w := c.words(r); w != "" {
			return w
		}
		return Unmeasured
	}
	return c.Format(c.Value(r))
}

// Format formats a number of the column as tables print it.
func (c *Column) Format(v float64) string {
	if c.empty && v == 0 {
		return Unmeasured
	}
	return c.print(v)
}

// Shown returns the unit that tables print the number in. A quantity has the same unit in all tables.
func (c *Column) Shown() string { return c.shown }

// Columns returns all columns in the order of tables.
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

// rateUnit is the unit of rates in all tables except perftest's columns.
var rateUnit = units.RateUnit(true)

// The formats of numbers.
func asSize(v float64) string { return units.Size(int(v)) }
func asUsec(v float64) string { return units.UsecText(v) }
func asNs(v float64) string   { return units.NsText(v) }
func asRate(v float64) string { return units.RateText(v, true) }
func asMpps(v float64) string { return strconv.FormatFloat(units.Mpps(v), 'f', 6, 64) }

func asCount(v float64) string { return strconv.FormatFloat(units.Finite(v), 'f', 0, 64) }

// asPerSecond formats a number of events per second.
func asPerSecond(v float64) string {
	if v = units.Finite(v); v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

func asSeconds(v float64) string {
	return strconv.FormatFloat(units.Finite(v), 'f', 6, 64)
}

func asMillis(v float64) string {
	return strconv.FormatFloat(1e3*units.Finite(v), 'f', 3, 64)
}

func asPercent(v float64) string {
	return strconv.FormatFloat(100*units.Finite(v), 'f', 1, 64)
}

// share formats a small fraction with enough digits to differ from 0.
func share(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.0005:
		return strconv.FormatFloat(v, 'g', 1, 64)
	}
	return strconv.FormatFloat(units.Finite(v), 'f', 3, 64)
}

// inLatency, inBandwidth and inVerify return a function that reads a member of a row, or 0 if the
// row does not have it.
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
