package loop

import (
	"encoding/binary"
	"testing"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/verbs"
)

// Numbers that arrive in any order count up to the first missing one, and each counts once.
func TestSequenceCountsUpToTheFirstGap(t *testing.T) {
	s := newSequence(4)
	for i, c := range []struct {
		n    uint64
		ok   bool
		upTo uint64
	}{
		{1, true, 0}, {1, false, 0}, {2, true, 0}, {8, false, 0}, {7, true, 0}, {0, true, 3}, {0, false, 3},
		{2, false, 3}, {10, true, 3}, {11, false, 3}, {4, true, 3}, {3, true, 5}, {5, true, 6}, {6, true, 8},
	} {
		if ok := s.take(c.n); ok != c.ok || s.firstMissing != c.upTo {
			t.Fatalf("step %d: %d taken: %v, up to %d, want %v, %d", i, c.n, ok, s.firstMissing, c.ok, c.upTo)
		}
	}
}

// Of credits that overtook each other the largest counts, in whichever slot it is; those that are half
// written, or for more messages than were sent, do not count.
func TestLargestValidCreditCounts(t *testing.T) {
	buf, err := verbs.NewBuffer(4096)
	if err != nil {
		t.Fatal(err)
	}
	defer buf.Close()
	f := &Flow{}
	f.in.credits, f.out = newCredits(true, false, make([]verbs.SGE, creditSlots)), sender{flow: f, creditsIn: buf.Bytes(), sent: 100}
	for slot, credit := range [][2]uint64{{10, 10}, {30, 30}, {20, 20}, {90, 20}, {101, 101}} {
		b := buf.Bytes()[slot*message.CreditBytes:]
		message.WriteCredit(b, credit[1])
		binary.NativeEndian.PutUint64(b, credit[0]) // 90 has the check of 20: half written
	}
	if f.out.takeCredits(); f.out.credited != 30 {
		t.Errorf("credited are %d messages", f.out.credited)
	}
	if f.in.credits.maxOutstanding > f.in.credits.slots {
		t.Errorf("%d credits in flight to %d slots", f.in.credits.maxOutstanding, f.in.credits.slots)
	}
}
