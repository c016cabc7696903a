package harness

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// timedLoop is the timed loop of one side of a test in a mode, alone or in a comparison.
type timedLoop struct {
	op      option.Op
	kind    option.Kind
	mode    option.Mode
	compare bool
	pairs   bool // a message is a WRITE and an empty WRITE with immediate data
	role    Role
}

func (l timedLoop) String() string {
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
	if l.pairs {
		mode += "-pairs"
	}
	return fmt.Sprintf("%s_%s/%s/%s", l.op, l.kind, mode, side)
}

// everyLoop lists the loops of all clients, and of the servers that receive.
func everyLoop() (all []timedLoop) {
	for _, kind := range allKinds {
		for _, op := range allOps {
			for _, compare := range []bool{false, true} {
				for _, mode := range []option.Mode{option.ModeData, option.ModePoll, option.ModeAdaptive, option.ModeEvent} {
					l := timedLoop{op: op, kind: kind, mode: mode, compare: compare}
					all = append(all, l.sides()...)
					if l.pairs = true; op == option.OpWrite && compare {
						all = append(all, l.sides()...)
					}
				}
			}
		}
	}
	return all
}

// sides returns the loops of the client, and of the server if it receives a stream.
func (l timedLoop) sides() []timedLoop {
	client, server := l, l
	client.role, server.role = Client, Server
	p := l.plan()
	c := testcase.NewSet(p).Case(testcase.Mode{Completion: l.mode}, p.Sizes[0], testcase.Answers{Order: verbs.OrderWhole})
	if c.PingPong || !c.Receivers.Server {
		return []timedLoop{client}
	}
	return []timedLoop{client, server}
}

// plan returns a plan with messages of 8 bytes, which the receiver does not touch.
func (l timedLoop) plan() option.Plan {
	p := testPlan(l.op, l.kind, 8, option.MaxIterations)
	p.Completion, p.Compare, p.Touch = l.mode, l.compare, option.TouchNone
	if l.pairs {
		p.Routing = option.RoutingAdaptive
	}
	return p
}

// index returns the index of the loop's mode in the plan.
func (l timedLoop) index(p *option.Plan) int {
	for i, m := range testcase.NewSet(*p).WithoutCounters().Modes {
		if m.Completion == l.mode {
			return i
		}
	}
	panic("the plan does not have mode " + l.mode)
}

// BenchmarkHarness reports the harness's own CPU time for a message of 8 bytes or a round trip, on a
// device that takes none. With no_peak the loop does not read the clock and records no times.
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

// On the null device each loop measures every message, except those that start a receiver's clock.
func TestLoopsRunOnTheNullDevice(t *testing.T) {
	for _, l := range everyLoop() {
		t.Run(l.String(), func(t *testing.T) {
			const messages = 3000
			n, cost := runAlone(t, l, l.plan(), messages)
			if n > messages || n < messages && l.role == Client || n < messages-64 {
				t.Errorf("%d messages of %d", n, messages)
			}
			// Events are there before the loop sleeps, so they are no sleeps. The thread may
			// sleep for another reason now and then.
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
