package limits

import (
	"slices"
	"strconv"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// limit is a limit of one figure of each row.
type limit struct {
	option     string // as the command line has it
	field      string // path of the figure, for the file
	name       string // of the figure
	bound      float64
	most       bool // the bound is the largest value; else it is the smallest
	percentage bool
	of         func(rows.Entry) figure
	number     func(float64) string
	unit       string
}

// figure is the value of a figure of one row, and its interval; low and high are 0 if it has none.
type figure struct {
	value, low, high float64
	measured         bool
	where            string // follows the value in texts; may be empty
}

// The fields of figures.
const (
	averageField = "bandwidth.average_bytes_per_s"
	rateField    = "bandwidth.messages_per_s"
)

// of returns the limits of a side's options.
func of(f *result.File, own *option.Own) (all []limit) {
	s := &option.Settings{Own: *own}
	written := func(name string) string { return option.Find(name).Written(s) }
	if own.LimitBW > 0 {
		l := ofColumn(averageField, written("limit_bw"), own.LimitBW/units.Rate(1, own.Gbits))
		l.number, l.unit = func(v float64) string { return units.RateText(v, own.Gbits) }, units.RateUnit(own.Gbits)
		all = append(all, l)
	}
	if own.LimitRate > 0 {
		all = append(all, ofColumn(rateField, written("limit_msgrate"), own.LimitRate/units.Mpps(1)))
	}
	if own.MinBW.Given() {
		all = append(all, ofColumn(averageField, written("min-bw"), own.MinBW.BytesPerS(linkRate(f))))
	}
	for _, one := range own.MaxLat {
		l := ofColumn(latencyField(one.Figure), "--max-lat "+one.String(), float64(one.Time))
		l.most = true
		all = append(all, l)
	}
	if own.MaxBusy > 0 {
		all = append(all, ofBusy(written("max-busy"), own.MaxBusy))
	}
	return all
}

// ofColumn returns a limit of a number of tables.
func ofColumn(field, option string, bound float64) limit {
	c := result.ColumnOf(field)
	return limit{option: option, field: field, name: c.Head, bound: bound, number: c.Format, unit: c.Shown(), of: func(e rows.Entry) figure {
		v := figure{value: e.Value(c)}
		v.low, v.high = e.ValueInterval(c)
		v.measured = v.value > 0 || e.Bandwidth != nil
		return v
	}}
}

// ofBusy returns the limit of how busy a core is on the side that waits.
func ofBusy(option string, bound float64) limit {
	return limit{
		option: option, field: "busy", name: "core busy", bound: bound, most: true, percentage: true,
		number: func(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) }, unit: "%", of: waitingBusy,
	}
}

// waitingBusy returns how busy a core is on the side that waits for messages. Where the receiver of WRITEs ignores them,
// only the sender waits, for its completions.
func waitingBusy(e rows.Entry) figure {
	busy, who := e.WaitingBusy()
	if busy == 0 && e.File.Op == option.OpWrite && e.Bandwidth != nil && e.Bandwidth.MeasuredAt == "sender" {
		busy, who = max(e.Local.Busy, e.Peer.Busy), "at the sender"
	}
	return figure{value: busy, measured: busy > 0, where: " " + who}
}

// latencyField returns the field of a figure of latency, whose name is the head of its column.
func latencyField(name string) string {
	all := result.Columns()
	i := slices.IndexFunc(all, func(c result.Column) bool { return c.Kind == option.KindLatency && c.Head == name })
	return all[i].Field
}

// linkRate returns the rate that a bandwidth may reach by the links: that of the slower port whose rate is known, and
// twice that in a bidirectional test. Of several devices it is the sum; 0 if that of one is not known.
func linkRate(f *result.File) (sum float64) {
	for _, one := range f.OfDevices() {
		rate := linkRate(one)
		if rate == 0 {
			return 0
		}
		sum += rate
	}
	if sum > 0 {
		return sum
	}
	link, peer := f.Local.Device.LinkRate, f.Peer.Device.LinkRate
	if peer > 0 {
		link = min(link, peer)
	}
	if f.Parameters.Both {
		link *= 2
	}
	return link
}
