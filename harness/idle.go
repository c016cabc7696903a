package harness

import (
	"fmt"
	"strconv"

	"github.com/ibperf/ibperf/result"
)

// idleWarnings returns the warning about a row in which a thread slept on a CPU that has deep idle
// states. The times of such a row are more those of the CPU than those of events.
func idleWarnings(r *result.Row, f *result.File) []result.Warning {
	here, peer := deepState(f.Local.Idle, r.Local.Sleeps), deepState(f.Peer.Idle, r.Peer.Sleeps)
	where := "on this side a CPU sleeps"
	switch {
	case here == "" && peer == "":
		return nil
	case here == peer:
		where = "on both sides CPUs sleep"
	case here == "":
		here, where = peer, "on the peer a CPU sleeps"
	case peer != "":
		here += ", on the peer in up to " + peer
	}
	return []result.Warning{{ID: result.WarnIdleState, Text: fmt.Sprintf(
		"%s in up to %s, which wake-ups include; --cpu-dma-latency 0 there prevents it", where, here)}}
}

// deepState returns the deepest state that a CPU may have entered while its thread slept: "C6 (133 usec to
// leave)". It returns "" if no thread slept, or if all states are shallow.
func deepState(idle *result.Idle, sleeps uint64) string {
	if idle == nil || sleeps == 0 {
		return ""
	}
	state := idle.Deepest()
	if state.ExitNs <= result.ShallowExitNs {
		return ""
	}
	return state.Name + " (" + strconv.FormatFloat(state.ExitNs/1000, 'f', -1, 64) + " usec to leave)"
}
