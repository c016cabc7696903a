package harness

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// loop is a timed loop: what one side of a test does in a mode, alone or in a comparison.
type loop struct {
	op      option.Op
	kind    string
	mode    option.Mode
	compare bool
	role    Role
}

func (l loop) String() string {
	side, mode := "requester", string(l.mode)
	switch {
	case l.role == Server:
		side = "receiver"
	case l.op == option.OpRead:
	case l.kind == option.KindBandwidth:
		side = "sender"
	default:
		side = "client"
	}
	if l.compare {
		mode += "-cmp"
	}
	return fmt.Sprintf("%s_%s/%s/%s", l.op, l.kind, mode, side)
}

// everyLoop lists all loops that take a time: those of the client, and of receivers.
func everyLoop() (all []loop) {
	for _, kind := range allKinds {
		for _, op := range allOps {
			for _, compare := range []bool{false, true} {
				for _, mode := range []option.Mode{option.ModeData, option.ModePoll, option.ModeEvent} {
					l := loop{op, kind, mode, compare, Client}
					all = append(all, l)
					p := l.plan()
					if s := resolve(&p, way{mode: mode}, p.Sizes[0], verbs.OrderWhole); !s.exchange && s.in.server {
						l.role = Server
						all = append(all, l)
					}
				}
			}
		}
	}
	return all
}

// plan is that of a test of 8 bytes, where nobody touches what has arrived.
func (l loop) plan() option.Plan {
	p := testPlan(l.op, l.kind, 8, option.MaxIterations)
	p.Completion, p.Compare, p.Touch = l.mode, l.compare, option.TouchNone
	return p
}

// way is the loop's place among those of the plan.
func (l loop) way(p *option.Plan) int {
	for i, w := range planned(p) {
		if w.mode == l.mode {
			return i
		}
	}
	panic("the plan has no way of mode " + l.mode)
}

// BenchmarkHarness reports what the harness costs itself for a message of 8 bytes,
// or a round trip: the CPU time of the loop on a device that takes none. With no_peak
// the clock is not read in the loop, and no time is recorded.
func BenchmarkHarness(b *testing.B) {
	for _, l := range everyLoop() {
		for _, noPeak := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/no_peak=%v", l, noPeak), func(b *testing.B) {
				b.ReportAllocs()
				p := l.plan()
				p.NoPeak = noPeak
				_, cost := runAlone(b, l, p, uint64(b.N))
				b.ReportMetric(cost.CPUNs, "ns/msg")
			})
		}
	}
}

// The null device is no way around a loop: each measures every message, but for those
// that a receiver's clock begins with.
func TestLoopsRunOnTheNullDevice(t *testing.T) {
	for _, l := range everyLoop() {
		t.Run(l.String(), func(t *testing.T) {
			const messages = 3000
			n, cost := runAlone(t, l, l.plan(), messages)
			if n > messages || n < messages && l.role == Client || n < messages-visit {
				t.Errorf("%d messages of %d", n, messages)
			}
			// Its events are there before anybody sleeps, so they are no sleeps. The thread may
			// wait for something else now and then.
			if cost.Sleeps > messages/10 || cost.CPUNs <= 0 {
				t.Errorf("%d sleeps, %v ns of CPU time", cost.Sleeps, cost.CPUNs)
			}
		})
	}
}

func TestLoopsAloneDoNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes calls allocate")
	}
	for _, l := range everyLoop() {
		t.Run(l.String(), func(t *testing.T) {
			checkAllocations(t, func(n uint64) { runAlone(t, l, l.plan(), n) })
		})
	}
}
