package synthetic

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// Over is [File] in all modes that the operation has over a transport, with or without a shared
// receive queue. Of what may be lost 2 % was in mode event.
func Over(tb testing.TB, transport option.Transport, srq bool, op, kind string, sizes ...int) *result.File {
	tb.Helper()
	f := File(tb, op, kind, sizes, "data", "poll", "event")
	f.Parameters.Transport, f.Parameters.UseSRQ = transport, srq
	if why := f.Parameters.NoData(); why != "" {
		f.Parameters.Modes = []string{"poll", "event"}
		f.Rows = slices.DeleteFunc(f.Rows, func(r result.Row) bool { return r.Mode == "data" })
		f.Warnings = append(f.Warnings, result.Warning{ID: "data-not-run", Text: "data mode was left out: " + why})
		f.Local.Order, f.Peer.Order = result.Order{}, result.Order{}
	}
	for i := range f.Rows {
		r := &f.Rows[i]
		switch option.Op(op) {
		case option.OpSend:
			r.Opcode = "SEND"
		case option.OpAtomic:
			r.Opcode = "ATOMIC_FETCH_AND_ADD"
		}
		if !transport.Lossy() {
			continue
		}
		r.Delivery = &result.Delivery{Sent: 5000}
		if r.Mode == "event" {
			r.Delivery.Lost = 100
			r.Warnings = append(r.Warnings, result.Warning{ID: "lost", Text: fmt.Sprintf("%d of %d messages were lost", r.Delivery.Lost, r.Delivery.Sent)})
		}
	}
	return f
}

// Transports are runs over every transport but plain RC, with a shared receive queue, and of
// atomic operations.
func Transports(tb testing.TB) []*result.File {
	tb.Helper()
	return []*result.File{
		Over(tb, option.UC, false, "write", result.KindLatency, 8, 64),
		Over(tb, option.UC, false, "send", result.KindBandwidth, 8, 64),
		Over(tb, option.UD, false, "send", result.KindLatency, 8, 64),
		Over(tb, option.XRC, false, "send", result.KindLatency, 8, 64),
		Over(tb, option.RC, true, "send", result.KindBandwidth, 8, 64),
		Over(tb, option.RC, false, "atomic", result.KindLatency, 8),
		Over(tb, option.XRC, false, "atomic", result.KindBandwidth, 8),
	}
}
