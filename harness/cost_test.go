package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports/result"
)

// alone is the channel of a side without a peer: it answers as one that says and
// does the same.
type alone struct {
	role   Role
	device *nullDevice
}

func (a alone) Exchange(step string, mine []byte) ([]byte, error) {
	switch step, _, _ := strings.Cut(step, "-"); {
	case step == "ready" && a.role == Server && a.device.buf != nil:
		a.device.deliver(min(a.device.slots, a.device.total))
	case step == "finish" && a.role == Server:
		return json.Marshal(a.device.total)
	case step == "result":
		return json.Marshal(sideResult{Bandwidth: &result.Bandwidth{}})
	}
	return mine, nil
}

func (alone) Lost() <-chan struct{} { return nil }
func (alone) Err() error            { return nil }

// runAlone runs one side of a plan of one mode on the null device and returns its row.
func runAlone(t testing.TB, p Plan, role Role) *result.Row {
	t.Helper()
	shm := openDevice(t, "shm_whole")
	defer shm.Close()
	d := newNullDevice(&p, role)
	f := &result.File{}
	err := Run(context.Background(), Config{
		Plan: p, Role: role, Context: nullContext{shm, d}, Port: 1, GIDIndex: -1, Exchanger: alone{role, d},
		File: f, Begin: func() {}, Row: func(result.Row) {},
	})
	if err != nil || len(f.Rows) != 1 {
		t.Fatalf("%d rows, %v", len(f.Rows), err)
	}
	return &f.Rows[0]
}

// loop is a timed loop: what one side of a test does in a mode.
type loop struct {
	op   Op
	kind string
	mode Mode
	role Role
}

func (l loop) String() string {
	side := "requester"
	switch {
	case l.role == Server:
		side = "receiver"
	case l.kind == result.KindBandwidth && l.op != OpRead:
		side = "sender"
	case l.kind == result.KindLatency && l.op != OpRead:
		side = "client"
	}
	return fmt.Sprintf("%s_%s/%s/%s", l.op, l.kind, l.mode, side)
}

// everyLoop lists all loops that take a time: those of the client, and of receivers.
func everyLoop() (all []loop) {
	for _, kind := range allKinds {
		for _, op := range allOps {
			for _, mode := range []Mode{ModeData, ModePoll, ModeEvent} {
				all = append(all, loop{op, kind, mode, Client})
				if kind == result.KindBandwidth && (op == OpSend || op == OpWrite && mode == ModeData) {
					all = append(all, loop{op, kind, mode, Server})
				}
			}
		}
	}
	return all
}

func (l loop) plan(messages uint64) Plan {
	p := testPlan(l.op, l.kind, 8, max(messages, MinIterations))
	p.Completion = l.mode
	return p
}

// BenchmarkHarness reports what the harness costs itself for a message of 8 bytes,
// or a round trip: the CPU time of the loop on a device that takes none. With no_peak
// the clock is not read in the loop, and no time is recorded.
func BenchmarkHarness(b *testing.B) {
	for _, l := range everyLoop() {
		for _, noPeak := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/no_peak=%v", l, noPeak), func(b *testing.B) {
				b.ReportAllocs()
				p := l.plan(uint64(b.N))
				p.NoPeak = noPeak
				b.ReportMetric(runAlone(b, p, l.role).Local.CPUNs, "ns/msg")
			})
		}
	}
}

// The null device is no way around a loop: each measures every message.
func TestLoopsRunOnTheNullDevice(t *testing.T) {
	for _, l := range everyLoop() {
		t.Run(l.String(), func(t *testing.T) {
			const messages = 3000
			r := runAlone(t, l.plan(messages), l.role)
			switch b := r.Bandwidth; {
			case l.kind == result.KindLatency && r.Latency.N != messages:
				t.Errorf("%d round trips, want %d", r.Latency.N, messages)
			case l.kind == result.KindBandwidth && b.MeasuredAt == "receiver" && (b.Messages > messages || b.Messages < messages/2):
				t.Errorf("%d messages of %d", b.Messages, messages)
			}
			if slept := r.Local.Sleeps > 0; slept != (l.mode == ModeEvent) || r.Local.CPUNs <= 0 {
				t.Errorf("%d sleeps, %v ns of CPU time", r.Local.Sleeps, r.Local.CPUNs)
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
			checkAllocations(t, func(n uint64) { runAlone(t, l.plan(n), l.role) })
		})
	}
}
