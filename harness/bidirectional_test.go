package harness

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// streamSide is one side of a bandwidth test on virtual time, with the times of its posts in
// measured rounds.
type streamSide struct {
	notes
	begin, end []int64 // of each round: before its first and after its last message
	clock      *testdevice.Clock
}

func (s *streamSide) post(n uint64, wr *verbs.SendWR) time.Duration {
	now, before := s.clock.Now(), s.next
	d := s.notes.post(n, wr)
	if !s.noting || s.next == before {
		return d
	}
	if len(s.begin) < len(s.rounds) {
		s.begin, s.end = append(s.begin, now), append(s.end, now)
	}
	s.end[len(s.end)-1] = now + int64(d)
	return d
}

// bothOnVirtualTime runs a plan in both directions, one slower than the other. The server's clock is
// ahead of the client's.
func bothOnVirtualTime(t *testing.T, p option.Plan, ahead time.Duration) (files [2]*result.File, sides [2]*streamSide) {
	t.Helper()
	var clocks [2]*testdevice.Clock
	clocks[0], _ = testdevice.Clocks()
	clocks[1] = clocks[0] // one time for both sides, with a different origin for each
	for i, each := range []testdevice.Delay{testdevice.Constant(700), testdevice.Constant(1900)} {
		sides[i] = &streamSide{notes: notes{delays: each, size: p.Sizes[0]}, clock: clocks[i]}
	}
	files, errs := pair{
		device: "shm_whole", plan: p,
		wrap: func(side int, c verbs.Context) verbs.Context {
			return testdevice.Context(c, testdevice.Options{Clock: clocks[side], PostDelay: sides[side].post})
		},
		peer: func(side int, p oob.Peer) oob.Peer { sides[side].Peer = p; return sides[side] },
		clock: func(side int) *clock.Clock {
			return clock.Func(func() int64 { return clocks[side].Now() + int64(side)*int64(ahead) })
		},
	}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	return files, sides
}

// The bandwidth of both directions is the bytes of both sides over the time from the first post to
// the end of the last message, however far apart the clocks of the sides are. The same time divides
// the bytes of each direction.
func TestBothDirectionsAreBytesOverTime(t *testing.T) {
	for _, op := range everyOp {
		for _, qps := range []int{1, 4, 33} {
			for _, touch := range []option.Touch{option.TouchNone, option.TouchRead} {
				if (qps > 4 || op == option.OpAtomic) && touch == option.TouchRead {
					continue // the receiver's clock starts with its first messages, which are then too large a part
				}
				t.Run(fmt.Sprintf("%s_%d_QPs_touch_%s", op, qps, touch), func(t *testing.T) {
					p := testPlan(op, option.KindBandwidth, sizeOf(op), 16_000/uint64(qps))
					p.Both, p.QPs, p.Completion, p.Touch, p.TxDepth, p.Rounds = true, qps, option.ModePoll, touch, streamDepth, 2
					files, sides := bothOnVirtualTime(t, p, 7*time.Hour)
					for side, f := range files {
						checkBothDirections(t, side, onlyRow(t, f), sides, f)
					}
				})
			}
		}
	}
}

func checkBothDirections(t *testing.T, side int, r *result.Row, sides [2]*streamSide, f *result.File) {
	t.Helper()
	var wall int64
	bytes := [2]float64{}
	for i := range sides[0].rounds {
		wall += max(sides[0].end[i], sides[1].end[i]) - min(sides[0].begin[i], sides[1].begin[i])
		for from, s := range sides {
			bytes[from] += float64(len(s.rounds[i]) * r.Size)
		}
	}
	seconds := float64(wall) / 1e9
	b := r.Bandwidth
	if !near(b.Average, (bytes[0]+bytes[1])/seconds, 0.005) || !near(b.Average*b.Seconds, float64(b.Bytes), exactly) {
		t.Errorf("side %d: %.0f bytes/s, want %.0f", side, b.Average, (bytes[0]+bytes[1])/seconds)
	}
	client, server := r.FromClient, r.FromServer
	if result.RoundTrip(f.Parameters.Op) {
		bytes[0], bytes[1] = bytes[1], bytes[0] // the data of READs and atomic operations goes to the requester
	}
	if client == nil || server == nil {
		t.Fatalf("side %d: a direction is missing", side)
	}
	if !near(client.Average, bytes[0]/seconds, 0.005) || !near(server.Average, bytes[1]/seconds, 0.005) {
		t.Errorf("side %d: %.0f and %.0f bytes/s, want %.0f and %.0f", side, client.Average, server.Average, bytes[0]/seconds, bytes[1]/seconds)
	}
	if sum := client.Average + server.Average; math.Abs(sum-b.Average) > 1e-6*sum {
		t.Errorf("side %d: the directions add up to %.0f bytes/s, not to %.0f", side, sum, b.Average)
	}
	if b.Peak != client.Peak+server.Peak || b.WindowS != 0 {
		t.Errorf("side %d: the peak is %.0f, of the directions %.0f and %.0f", side, b.Peak, client.Peak, server.Peak)
	}
	if b.Slowest != client.Slowest+server.Slowest || b.MedianWindow != client.MedianWindow+server.MedianWindow || b.Slowest == 0 {
		t.Errorf("side %d: windows %+v, of the directions %+v and %+v", side, b, client, server)
	}
	if b.AlignedWithin > 0.001*b.Seconds {
		t.Errorf("side %d: the clocks are aligned to %v s in %v s", side, b.AlignedWithin, b.Seconds)
	}
	if local, remote := r.Directions(f.Role, f.Op); local == nil || remote == nil || local.Bandwidth.Messages+remote.Bandwidth.Messages != b.Messages {
		t.Errorf("side %d: local %+v, remote %+v", side, local, remote)
	}
}

// The bandwidth of several QPs is the bytes of all of them over the time of the round.
func TestManyQPsAreBytesOverTime(t *testing.T) {
	for _, op := range everyOp {
		for _, qps := range []int{2, 64, 500} {
			p := testPlan(op, option.KindBandwidth, sizeOf(op), 20_000/uint64(qps))
			p.QPs, p.Completion, p.TxDepth = qps, option.ModePoll, streamDepth
			f, client, _ := onVirtualTime(t, p, streams[1])
			checkRate(t, &p, onlyRow(t, f), client)
		}
	}
}

// With --reversed the server posts all messages and the client none.
func TestReversedServerSends(t *testing.T) {
	for _, op := range everyOp {
		for _, mode := range modesOf(op) {
			for _, reversed := range []bool{false, true} {
				p := testPlan(op, option.KindBandwidth, 8, 300)
				p.Completion, p.Reversed, p.Verify = mode, reversed, true
				sides := postsOf(t, p)
				sent, still := len(sides[0].sends), len(sides[1].sends)
				if reversed {
					sent, still = still, sent
				}
				if sent == 0 || still != 0 {
					t.Errorf("%s %s reversed %v: client %v, server %v", op, mode, reversed, sides[0].sends, sides[1].sends)
				}
			}
		}
	}
}

// Atomic operations in both directions return checked values too.
func TestAtomicsInBothDirections(t *testing.T) {
	p := testPlan(option.OpAtomic, option.KindBandwidth, 8, 3000)
	p.Both, p.Verify, p.QPs = true, true, 3
	files, errs := pair{device: "shm_whole", plan: p}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	for side, f := range files {
		checkWorked(t, side, onlyRow(t, f), &p, time.Hour)
	}
}
