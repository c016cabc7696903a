package cli

import (
	"testing"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// TestFiguresBesidePerftest has the table of docs/PERFTEST.md.
func TestFiguresBesidePerftest(t *testing.T) {
	const here, peer, both, none = result.WhoseLocal, result.WhosePeer, result.WhoseBoth, result.WhoseNone
	for _, c := range []struct {
		op             option.Op
		kind           option.Kind
		both           bool
		client, server result.Whose
	}{
		{option.OpWrite, option.KindBandwidth, false, here, peer},
		{option.OpRead, option.KindBandwidth, false, here, peer},
		{option.OpAtomic, option.KindBandwidth, false, here, peer},
		{option.OpSend, option.KindBandwidth, false, here, here},
		{option.OpWrite, option.KindBandwidth, true, both, both},
		{option.OpWrite, option.KindLatency, false, here, here},
		{option.OpSend, option.KindLatency, false, here, here},
		{option.OpRead, option.KindLatency, false, here, none},
		{option.OpAtomic, option.KindLatency, false, here, none},
	} {
		p := option.New(option.Test{Op: c.op, Kind: c.kind}).Plan
		p.Both = c.both
		if client, server := figuresBesidePerftest(harness.Client, &p), figuresBesidePerftest(harness.Server, &p); client != c.client || server != c.server {
			t.Errorf("%s %s, both %v: %q to a client and %q to a server, want %q and %q", c.op, c.kind, c.both, client, server, c.client, c.server)
		}
	}
}
