package plots

import (
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/result"
)

// An estimate is a number of a row with its 95 % interval. Both ends are 0 where there are
// too few rounds for one.
type estimate struct{ value, low, high float64 }

// known tells whether there is an interval.
func (v estimate) known() bool { return v.low > 0 && v.high > 0 }

// A measure is a number of rows that plots draw, in the unit of the axis. It is false for
// rows that do not have it.
type measure func(e reports.Entry) (estimate, bool)

// The numbers that rows are compared by.
var (
	medianColumn  = result.ColumnOf("latency.p50_ns")
	averageColumn = result.ColumnOf("bandwidth.average_bytes_per_s")
)

// medianUsec is the median latency of the median round in microseconds.
func medianUsec(e reports.Entry) (estimate, bool) { return medianRound(e, medianColumn, units.Usec) }

// tailUsec is the latency that 99 % of messages do not exceed, in microseconds.
func tailUsec(e reports.Entry) (estimate, bool) {
	v := units.Usec(max(e.Latency.P99Ns, e.Latency.P50Ns))
	return estimate{value: v}, v > 0
}

// roundGbps is the bandwidth of the median round in Gb/s.
func roundGbps(e reports.Entry) (estimate, bool) { return medianRound(e, averageColumn, units.Gbps) }

// roundMpps is the message rate of the median round in millions a second.
func roundMpps(e reports.Entry) (estimate, bool) {
	if e.Size == 0 {
		v := units.Mpps(e.Bandwidth.MsgRate)
		return estimate{value: v}, v > 0
	}
	return medianRound(e, averageColumn, func(average float64) float64 { return units.Mpps(average / float64(e.Size)) })
}

// medianRound is what tables have of a column, with its interval.
func medianRound(e reports.Entry, c *result.Column, scale func(float64) float64) (estimate, bool) {
	low, high := e.RoundInterval(c)
	v := estimate{scale(e.MedianRound(c)), scale(low), scale(high)}
	return v, v.value > 0
}

// busyPercent is how busy a core is on the side that waits for messages, in percent.
func busyPercent(e reports.Entry) (estimate, bool) {
	busy, _ := e.WaitingBusy()
	return percentOf(busy)
}

// pausedPercent is how busy a core is on the side that waits through pauses, in percent.
func pausedPercent(e reports.Entry) (estimate, bool) {
	busy, _ := e.PausedBusy()
	return percentOf(busy)
}

func percentOf(part float64) (estimate, bool) {
	v := 100 * units.Finite(part)
	return estimate{value: v}, v > 0
}

// ratio is the ratio of a row to that of mode poll, as the tables print it.
func (g *group) ratio(e reports.Entry) (estimate, bool) {
	r, compared := g.ratios[e.Row]
	drawable := r.Low > 1/farRatio && r.High < farRatio
	return estimate{r.Median, r.Low, r.High}, compared && r.To == result.BaseMode && drawable
}

// farRatio is beyond what any two modes can differ by.
const farRatio = 1e9
