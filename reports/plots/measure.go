package plots

import (
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// An estimate is a number of a row with its 95 % interval, whose ends are 0 if there are too few
// rounds.
type estimate struct {
	value, low, high float64
	doubtful         bool // the row was disturbed, or its rounds are at two levels
}

// hasInterval reports whether there were enough rounds for an interval.
func (v estimate) hasInterval() bool { return v.low > 0 && v.high > 0 }

// A measure returns a number of a row in the unit of the axis, and whether the row has that number.
type measure func(e rows.Entry) (estimate, bool)

// The numbers that rows are compared by.
var (
	medianColumn  = result.ColumnOf("latency.p50_ns")
	averageColumn = result.ColumnOf("bandwidth.average_bytes_per_s")
)

// medianUsec returns the median latency in microseconds.
func medianUsec(e rows.Entry) (estimate, bool) { return valueOf(e, medianColumn, units.Usec) }

// tailUsec returns the 99th percentile of latency in microseconds.
func tailUsec(e rows.Entry) (estimate, bool) {
	v := units.Usec(max(e.Latency.P99Ns, e.Latency.P50Ns))
	return estimate{value: v, doubtful: isDoubtful(e)}, v > 0
}

// roundGbps returns the average bandwidth in Gb/s.
func roundGbps(e rows.Entry) (estimate, bool) { return valueOf(e, averageColumn, units.Gbps) }

// roundMpps returns the average message rate in millions per second.
func roundMpps(e rows.Entry) (estimate, bool) {
	if e.Size == 0 {
		v := units.Mpps(e.Bandwidth.MsgRate)
		return estimate{value: v, doubtful: isDoubtful(e)}, v > 0
	}
	return valueOf(e, averageColumn, func(average float64) float64 { return units.Mpps(average / float64(e.Size)) })
}

// valueOf returns the value of a column in tables, with its interval.
func valueOf(e rows.Entry, c *result.Column, scale func(float64) float64) (estimate, bool) {
	low, high := e.ValueInterval(c)
	v := estimate{scale(e.Value(c)), scale(low), scale(high), isDoubtful(e)}
	return v, v.value > 0
}

// busyPercent returns how busy a core is on the side that waits for messages, in percent.
func busyPercent(e rows.Entry) (estimate, bool) {
	busy, _ := e.WaitingBusy()
	return percentOf(e, busy)
}

// pausedPercent returns how busy a core is on the side that waits during pauses, in percent.
func pausedPercent(e rows.Entry) (estimate, bool) {
	busy, _ := e.PausedBusy()
	return percentOf(e, busy)
}

func percentOf(e rows.Entry, part float64) (estimate, bool) {
	v := 100 * units.Finite(part)
	return estimate{value: v, doubtful: isDoubtful(e)}, v > 0
}

// isDoubtful reports whether a row was disturbed, or its rounds are at two levels.
func isDoubtful(e rows.Entry) bool {
	return rows.AnyDisturbed(e) || e.HasWarning(result.WarnTwoLevels)
}

// place is the place of a row in a file: its size and its name.
type place struct {
	file *result.File
	size int
	name string
}

// doubtfulPlaces returns the places of doubtful rows.
func doubtfulPlaces(files []*result.File) map[place]bool {
	all := map[place]bool{}
	for _, f := range files {
		for i := range f.Rows {
			if r := &f.Rows[i]; isDoubtful(rows.Entry{Row: r}) {
				all[place{f, r.Size, r.Name()}] = true
			}
		}
	}
	return all
}

// ratio returns the ratio of a row to that of mode poll, as in tables. It is doubtful if it is unclear or
// an island beyond the change point, or if one of the two rows is doubtful.
func (g *group) ratio(e rows.Entry) (estimate, bool) {
	r, compared := g.ratios[e.Row]
	drawable := r.Low > 1/farRatio && r.High < farRatio
	doubtful := g.doubtful[place{e.File, e.Size, e.Name()}] || g.doubtful[place{e.File, e.Size, e.Base()}] || r.Relation == rows.Unclear || r.Island
	return estimate{r.Value, r.Low, r.High, doubtful}, compared && r.To == result.BaseName && drawable
}

// farRatio is beyond the ratio of any two modes.
const farRatio = 1e9
