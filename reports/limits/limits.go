// Package limits checks the rows of a run against the limits of one side's options: --limit_bw, --limit_msgrate,
// --min-bw, --max-lat and --max-busy.
package limits

import (
	"fmt"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// Check checks every row of a complete run against the limits of its side's options, and adds the limits to the file.
// It returns a line for each limit that a row has missed, about the row that is furthest from it.
func Check(f *result.File, own *option.Own) (missed []string) {
	f.RowLimits = nil
	for _, l := range of(f, own) {
		worst, n := l.worst(f)
		f.RowLimits = append(f.RowLimits, l.inFile(n))
		switch {
		case l.bound == 0:
			missed = append(missed, l.option+" was not checked: the link rate is not known")
		case len(f.Rows) == 0:
			missed = append(missed, l.option+" was not checked: no row was measured")
		case n > 0:
			missed = append(missed, l.text(worst)+ofRows(n, len(f.Rows)))
		}
	}
	return missed
}

// inFile returns the limit for the result file.
func (l *limit) inFile(missed int) result.Limit {
	in := result.Limit{Option: l.option, Field: l.field, Missed: missed}
	bound := min(l.bound, units.Measurable)
	if l.most {
		in.Maximum = bound
	} else {
		in.Minimum = bound
	}
	return in
}

// A miss is a row that has missed a limit.
type miss struct {
	row      *result.Row
	figure   figure
	distance float64 // of the value from the limit, relative to the limit
}

// worst returns the row that is furthest beyond the limit, or one that lacks the figure, and the number of all rows that
// have missed it.
func (l *limit) worst(f *result.File) (worst miss, n int) {
	for i := range f.Rows {
		v := l.of(rows.Entry{File: f, Row: &f.Rows[i]})
		m := miss{&f.Rows[i], v, l.distance(v.value)}
		if v.measured && m.distance <= 0 {
			continue
		}
		if n++; n == 1 || worst.figure.measured && (!v.measured || m.distance > worst.distance) {
			worst = m
		}
	}
	return worst, n
}

// distance returns how far a value is beyond the limit, relative to the limit.
func (l *limit) distance(value float64) float64 {
	if l.most {
		return value/l.bound - 1
	}
	return 1 - value/l.bound
}

// text returns what a row has missed in one line, with the interval of the value if it has one.
func (l *limit) text(m miss) string {
	where, v := fmt.Sprintf("%d bytes, mode %s: ", m.row.Size, m.row.Name()), m.figure
	if !v.measured {
		return where + fmt.Sprintf("%s was not measured, and %s was given", l.name, l.option)
	}
	interval, relation, doubt := "", "is below", ""
	if v.high > 0 {
		interval = fmt.Sprintf(" [%s-%s]", l.number(v.low), l.number(v.high))
	}
	if l.most {
		relation = "exceeds"
	}
	if v.low <= l.bound && l.bound <= v.high {
		doubt = "; not certain: the limit is within the interval"
	}
	return where + fmt.Sprintf("%s %s%s %s%s %s %s by %s%s", l.name, l.number(v.value), interval, l.unit, v.where, relation, l.option, l.far(m.distance), doubt)
}

// far returns a distance in words: that of a percentage in percentage points.
func (l *limit) far(distance float64) string {
	if l.percentage {
		return phrase.PercentNumber(distance*l.bound) + " percentage points"
	}
	return phrase.PercentNumber(distance) + " %"
}

// ofRows returns how many rows have missed a limit, where there are several.
func ofRows(missed, all int) string {
	if all == 1 {
		return ""
	}
	return fmt.Sprintf("; missed by %d of %d rows", missed, all)
}
