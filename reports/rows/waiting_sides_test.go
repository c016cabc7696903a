package rows

import (
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

func TestWhoWaits(t *testing.T) {
	const here, peer = 0.25, 0.75
	for _, c := range []struct {
		op             option.Op
		kind           option.Kind
		role           string
		reversed, both bool
		busy           float64
		who            string
	}{
		{option.OpWrite, option.KindLatency, "client", false, false, peer, "on both sides"},
		{option.OpRead, option.KindLatency, "client", false, false, here, "at the requester"},
		{option.OpRead, option.KindLatency, "server", false, false, peer, "at the requester"},
		{option.OpSend, option.KindBandwidth, "client", false, false, peer, "at the receiver"},
		{option.OpSend, option.KindBandwidth, "server", false, false, here, "at the receiver"},
		{option.OpSend, option.KindBandwidth, "client", true, false, here, "at the receiver"},
		{option.OpSend, option.KindBandwidth, "server", true, false, peer, "at the receiver"},
		{option.OpSend, option.KindBandwidth, "client", false, true, peer, "on both sides"},
		{option.OpRead, option.KindBandwidth, "client", true, false, peer, "at the requester"},
		{option.OpRead, option.KindBandwidth, "server", true, false, here, "at the requester"},
		{option.OpRead, option.KindBandwidth, "server", false, true, peer, "on both sides"},
	} {
		f := &result.File{Op: c.op, Kind: c.kind, Role: c.role}
		f.Parameters.Reversed, f.Parameters.Both = c.reversed, c.both
		e := Entry{File: f, Row: &result.Row{Local: result.Cost{Busy: here}, Peer: result.Cost{Busy: peer}}}
		if busy, who := e.WaitingBusy(); busy != c.busy || WhereWaits(f) != c.who {
			t.Errorf("%+v: %g %s, waits %s", c, busy, who, WhereWaits(f))
		}
	}
}
