package harness

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// warmMessages are those of the round before the one that counts.
const warmMessages = 1000

// loop is a timed loop: what one side of a test does in a mode, alone or in a comparison.
type loop struct {
	op      Op
	kind    string
	mode    Mode
	compare bool
	role    Role
}

func (l loop) String() string {
	side, mode := "requester", string(l.mode)
	switch {
	case l.role == Server:
		side = "receiver"
	case l.op == OpRead:
	case l.kind == result.KindBandwidth:
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
				for _, mode := range []Mode{ModeData, ModePoll, ModeEvent} {
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
func (l loop) plan() Plan {
	p := testPlan(l.op, l.kind, 8, MaxIterations)
	p.Completion, p.Compare, p.Touch = l.mode, l.compare, TouchNone
	return p
}

// way is the loop's place among those of the plan.
func (l loop) way(p *Plan) int {
	for i, w := range p.planned() {
		if w.mode == l.mode {
			return i
		}
	}
	panic("the plan has no way of mode " + l.mode)
}

// runAlone runs one side of a plan on the null device, for a round of so many messages
// after a warm-up. It returns how many were measured and what they cost.
func runAlone(t testing.TB, l loop, p Plan, messages uint64) (uint64, result.Cost) {
	t.Helper()
	shm := openDevice(t, "shm_whole")
	defer shm.Close()
	way, announced := l.way(&p), uint64(0)
	d := newNullDevice(&p, l.role, way)
	s := &session{
		cfg: &Config{
			Plan: p, Role: l.role, Context: nullContext{shm, d}, Port: 1, GIDIndex: -1, File: &result.File{},
		},
		peer: alone{d, l.role, &announced}, halt: newHalt(), rows: map[rowKey]*tally{}, current: -1, run: 1,
	}
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	defer s.rig.close()
	defer quiet()()
	for _, turn := range []oob.Turn{
		{Step: oob.StepSize},
		{Step: oob.StepRound, Way: way, Messages: warmMessages, Warmup: true},
		{Step: oob.StepRound, Way: way, Messages: messages},
	} {
		announced = turn.Messages
		if err := s.do(turn); err != nil {
			t.Fatal(err)
		}
	}
	row := s.rows[rowKey{0, way}]
	n := row.rounds[0].Messages
	return n, row.here.cost(n)
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
			if slept := cost.Sleeps > 0; slept != (l.mode == ModeEvent) || cost.CPUNs <= 0 {
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
