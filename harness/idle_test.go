package harness

import (
	"testing"

	"github.com/ibperf/ibperf/result"
)

// A row in which a thread slept names the deepest idle state of its CPU, unless all states that the limit
// allows are shallow.
func TestWarningAboutIdleStates(t *testing.T) {
	limit := func(us float64) *float64 { us *= 1000; return &us }
	xeon := func(limit *float64) *result.Idle {
		return &result.Idle{Driver: "intel_idle", LimitNs: limit, States: []result.IdleState{{Name: "POLL"}, {Name: "C1", ExitNs: 2000}, {Name: "C1E", ExitNs: 10_000}, {Name: "C6", ExitNs: 133_000}}}
	}
	for _, c := range []struct {
		name       string
		here, peer *result.Idle
		sleeps     [2]uint64
		want       []string
	}{
		{"both sides", xeon(nil), xeon(limit(2e9)), [2]uint64{9, 9}, []string{"idle-state: on both sides CPUs sleep in up to C6 (133 usec to leave), which wake-ups include; --cpu-dma-latency 0"}},
		{"one sleeps", xeon(nil), xeon(nil), [2]uint64{0, 1}, []string{"idle-state: on the peer a CPU sleeps in up to C6 (133 usec to leave)"}},
		{"none sleeps", xeon(nil), xeon(nil), [2]uint64{}, nil},
		{"limits", xeon(limit(0)), xeon(limit(10)), [2]uint64{9, 9}, []string{"idle-state: on the peer a CPU sleeps in up to C1E (10 usec to leave)"}},
		{"different", xeon(limit(11)), xeon(limit(133)), [2]uint64{9, 9}, []string{"idle-state: on this side a CPU sleeps in up to C1E (10 usec to leave), on the peer in up to C6 (133 usec to leave)"}},
		{"C1 alone", xeon(limit(2)), nil, [2]uint64{9, 9}, nil},
		{"no driver", &result.Idle{Driver: result.NoIdleDriver}, nil, [2]uint64{9, 9}, nil},
	} {
		f := &result.File{Local: result.Side{Idle: c.here}, Peer: result.Side{Idle: c.peer}}
		row := &result.Row{Local: result.Cost{Sleeps: c.sleeps[0]}, Peer: result.Cost{Sleeps: c.sleeps[1]}}
		checkWarnings(t, c.name, idleWarnings(row, f), c.want)
	}
}
