package plots

import (
	"github.com/ibperf/ibperf/internal/ratio"
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

// medianUsec is the median latency in microseconds.
func medianUsec(e reports.Entry) (estimate, bool) {
	v := ofRounds(e, func(r *result.Round) float64 { return units.Usec(r.P50Ns) })
	v.value = units.Usec(e.Latency.P50Ns)
	return v, v.value > 0
}

// tailUsec is the latency that 99 % of messages do not exceed, in microseconds.
func tailUsec(e reports.Entry) (estimate, bool) {
	v := units.Usec(max(e.Latency.P99Ns, e.Latency.P50Ns))
	return estimate{value: v}, v > 0
}

// roundGbps is the bandwidth of the median round in Gb/s, or the average where there are
// too few rounds. One round that was held up lowers the average of them all, but not the
// ratios, which lines of averages would contradict.
func roundGbps(e reports.Entry) (estimate, bool) {
	v := ofRounds(e, func(r *result.Round) float64 { return units.Gbps(r.Average) })
	if !v.known() {
		v.value = units.Gbps(e.Bandwidth.Average)
	}
	return v, v.value > 0
}

// roundMpps is the message rate of the median round, or the average, in millions a second.
func roundMpps(e reports.Entry) (estimate, bool) {
	v := ofRounds(e, func(r *result.Round) float64 { return units.Mpps(r.Average / float64(e.Size)) })
	if !v.known() {
		v.value = units.Mpps(e.Bandwidth.MsgRate)
	}
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

// ofRounds is the median of the rounds of a row with its interval, nothing if there are
// too few for one.
func ofRounds(e reports.Entry, of func(*result.Round) float64) estimate {
	var figures []float64
	var runs []int
	for i := range e.Rounds {
		figures, runs = append(figures, of(&e.Rounds[i])), append(runs, e.Rounds[i].Run)
	}
	m := ratio.Median(figures, runs)
	if !m.Enough || units.Finite(m.High) == 0 {
		return estimate{}
	}
	return estimate{m.Median, m.Low, m.High}
}

// ratio is the ratio of a row to that of mode poll, as the tables print it.
func (g *group) ratio(e reports.Entry) (estimate, bool) {
	r, compared := g.ratios[e.Row]
	drawable := r.Low > 1/farRatio && r.High < farRatio
	return estimate{r.Median, r.Low, r.High}, compared && r.To == result.BaseMode && drawable
}

// farRatio is beyond what any two modes can differ by.
const farRatio = 1e9
