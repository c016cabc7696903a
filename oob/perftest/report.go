package perftest

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ibperf/ibperf/result"
)

// report holds the figures of a side of a bandwidth test.
type report struct {
	size     uint64  // bytes
	messages uint64  // of all QPs
	peak     float64 // in the units of the side: MiB/s or Gbit/s
	average  float64 // in the same unit
	rate     float64 // 10^6 messages a second
}

// Bytes a second of the units.
const (
	mib  = 1 << 20
	gbit = 1e9 / 8
)

// newReport returns the report of a round.
func newReport(size int, r *result.Round, gbits bool) (p report) {
	p.size = uint64(size)
	if r == nil || r.Seconds <= 0 {
		return p
	}
	unit := float64(mib)
	if gbits {
		unit = gbit
	}
	p.messages, p.rate = r.Messages, float64(r.Messages)/r.Seconds/1e6
	p.average = float64(r.Messages) / r.Seconds * float64(size) / unit
	return p
}

// parts returns the messages that a report is sent in.
func (p report) parts() (all [5][]byte) {
	for i, x := range []uint64{p.size, p.messages, math.Float64bits(p.peak), math.Float64bits(p.average), math.Float64bits(p.rate)} {
		all[i] = binary.BigEndian.AppendUint64(nil, x)
	}
	return all
}

func parseReport(parts [5][]byte) (p report) {
	var x [5]uint64
	for i, b := range parts {
		x[i] = binary.BigEndian.Uint64(b)
	}
	return report{x[0], x[1], math.Float64frombits(x[2]), math.Float64frombits(x[3]), math.Float64frombits(x[4])}
}

// exchangeReports exchanges the reports of both sides.
func (c *conversation) exchangeReports(mine report) (theirs report, err error) {
	var parts [5][]byte
	for i, b := range mine.parts() {
		if parts[i], err = c.exchange("report", b); err != nil {
			return theirs, err
		}
	}
	return parseReport(parts), nil
}

// bandwidth returns the figures of a report about messages of a size. A report does not say its unit, but the rate
// has always the same one, and both say the average.
func (p report) bandwidth(size int, at string) (*result.Bandwidth, error) {
	finite := func(x float64) bool { return x >= 0 && x <= math.MaxFloat32 }
	switch {
	case p.size != uint64(size):
		return nil, fmt.Errorf("its messages have %d bytes, and those of this side %d: give both sides the same -s", p.size, size)
	case !finite(p.peak) || !finite(p.average) || !finite(p.rate) || p.rate == 0 || p.messages == 0 || p.messages > 1<<53:
		return nil, fmt.Errorf("impossible figures: %d messages, peak %g, average %g, rate %g", p.messages, p.peak, p.average, p.rate)
	}
	b := &result.Bandwidth{Messages: p.messages, Bytes: p.messages * p.size, MsgRate: p.rate * 1e6, MeasuredAt: at}
	b.Seconds = float64(b.Messages) / b.MsgRate
	b.Average = b.MsgRate * float64(size)
	unit := float64(mib)
	if math.Abs(p.average*gbit-b.Average) < math.Abs(p.average*mib-b.Average) {
		unit = gbit
	}
	b.Peak = p.peak * unit
	return b, nil
}
