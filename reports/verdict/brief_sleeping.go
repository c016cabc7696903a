package verdict

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// sleepingPoint returns the point that shows best what sleeping costs and saves: that of the longest pause, or else the
// first one of the values.
func (f *findings) sleepingPoint() (*sweep, *rows.Point) {
	for _, p := range f.pauses {
		return p.sweep, p.point
	}
	for _, s := range f.shown() {
		p := s.shownPoint()
		if slices.ContainsFunc(sleepers, func(mode option.Mode) bool { return p.Row(mode).Row != nil }) && p.Row(result.BaseMode).Row != nil {
			return s, p
		}
	}
	return nil, nil
}

// sleeping returns what modes cost while the receiver waits.
func (f *findings) sleeping() (all []Sleeper) {
	s, p := f.sleepingPoint()
	if s == nil {
		return nil
	}
	for _, mode := range []option.Mode{option.ModeEvent, option.ModeAdaptive, result.BaseMode} {
		e := p.Row(mode)
		if e.Row == nil || e.HardlySlept() || !e.KeepsRate() {
			continue
		}
		w := Sleeper{Mode: mode, Op: s.group.Op, Size: p.Size, Pause: int64(e.File.Parameters.Gap)}
		if e.Load != nil {
			w.Offered = e.Load.Offered
		}
		if w.CoreBusy, _ = e.WaitingBusy(); w.Pause > 0 {
			w.CoreBusy, _ = e.PausedBusy()
		}
		v := units.Finite(e.Value(s.column))
		if s.group.Kind == option.KindLatency {
			w.Latency = v
		} else {
			w.Rate = v
		}
		if r := rows.EstimateOf(s.column, e, p.Row(result.BaseMode)); mode != result.BaseMode && r.Enough {
			w.Ratio = ratioOf(r)
		}
		all = append(all, w)
	}
	return all
}

// sleepingLine says what sleeping costs and saves.
func sleepingLine(all []Sleeper) (Line, bool) {
	if len(all) < 2 {
		return Line{}, false
	}
	var texts []string
	for _, w := range all {
		texts = append(texts, w.text(len(texts) == 0))
	}
	first := all[0]
	at := opWord(first.Op) + ", " + units.Size(first.Size) + " B: "
	if first.Pause > 0 {
		at = "pauses of " + pauseText(int(first.Pause)) + ": "
	}
	if first.Offered > 0 {
		at = opWord(first.Op) + " " + phrase.PerSecond(first.Offered) + "/s: "
	}
	return Line{"sleeping", "Sleeping", at + listed(texts, "; ", MaxWidth-labelWidth-width(at))}, true
}

// text returns what a mode costs, with more words if it is the first one.
func (w Sleeper) text(first bool) string {
	text, busy := string(w.Mode)+" "+w.numberText(), ""
	if w.CoreBusy > 0 {
		busy = ", " + phrase.PercentNumber(w.CoreBusy) + " %"
	}
	if !first {
		return text + busy
	}
	return text + w.unit() + strings.Replace(busy, ", ", ", core busy ", 1)
}

// numberText returns the latency or the bandwidth.
func (w Sleeper) numberText() string {
	if w.Rate > 0 {
		return threeDigits(units.Gbps(w.Rate))
	}
	return threeDigits(units.Usec(w.Latency))
}

func (w Sleeper) unit() string {
	switch {
	case w.Rate > 0:
		return " Gb/s"
	case w.Offered > 0:
		return " usec RTT" // see result.Latency: at a rate it is a whole round trip
	}
	return " usec"
}
