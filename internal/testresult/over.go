package testresult

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// Over returns a [File] in all modes that the operation has over a transport, with or without a
// shared receive queue. If the transport may lose messages, 2 % of mode event's were lost.
func Over(tb testing.TB, transport option.Transport, srq bool, op option.Op, kind option.Kind, sizes ...int) *result.File {
	tb.Helper()
	f := File(tb, op, kind, sizes, compared...)
	f.Parameters.Transport, f.Parameters.UseSRQ = transport, srq
	if why := f.Parameters.NoData(); why != "" {
		f.Parameters.Modes = []option.Mode{option.ModePoll, option.ModeEvent}
		f.Rows = slices.DeleteFunc(f.Rows, func(r result.Row) bool { return r.Mode == option.ModeData })
		f.Warnings = append(f.Warnings, result.Warning{ID: result.WarnDataNotRun, Text: "data mode was left out: " + why})
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
		if r.Mode == option.ModeEvent {
			r.Delivery.Lost = 100
			r.Warnings = append(r.Warnings, result.Warning{ID: result.WarnLost, Text: fmt.Sprintf("%d of %d messages were lost", r.Delivery.Lost, r.Delivery.Sent)})
		}
	}
	return f
}

// Transports returns runs over every transport except RC, runs with a shared receive queue, and runs
// of atomic operations.
func Transports(tb testing.TB) []*result.File {
	tb.Helper()
	return []*result.File{
		Over(tb, option.UC, false, "write", option.KindLatency, 8, 64),
		Over(tb, option.UC, false, "send", option.KindBandwidth, 8, 64),
		Over(tb, option.UD, false, "send", option.KindLatency, 8, 64),
		Over(tb, option.XRC, false, "send", option.KindLatency, 8, 64),
		Over(tb, option.RC, true, "send", option.KindBandwidth, 8, 64),
		Over(tb, option.RC, false, "atomic", option.KindLatency, 8),
		Over(tb, option.XRC, false, "atomic", option.KindBandwidth, 8),
	}
}
