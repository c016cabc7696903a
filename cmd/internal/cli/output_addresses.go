package cli

import (
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/result"
)

// addresses returns what the header of a run says about the QPs of both sides, as perftest's: first this side's.
// A comparison, which has QPs for each mode and makes them anew for each run, has no addresses in its header.
func addresses(f *result.File, b *harness.Beginning) (all []reports.Address) {
	if f.Parameters.Compare {
		return nil
	}
	for i := range b.Local {
		all = append(all, address(&b.Local[i]))
	}
	for i := range b.Peer {
		a := address(&b.Peer[i])
		a.Remote = true
		all = append(all, a)
	}
	return all
}

func address(e *oob.Endpoint) reports.Address {
	return reports.Address{
		LID: e.LID, QPN: e.QPNum, PSN: e.PSN, Reads: e.RdAtomic, RKey: e.RKey, SRQ: e.SRQ, VAddr: e.Addr, GID: e.GID,
	}
}
