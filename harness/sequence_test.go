package harness

import (
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// Numbers that come in any order count up to the first that has not come, and each once.
func TestSequence(t *testing.T) {
	s := newSequence(4)
	for i, c := range []struct {
		n    uint64
		ok   bool
		upTo uint64
	}{
		{1, true, 0}, {1, false, 0}, {2, true, 0}, {8, false, 0}, {7, true, 0}, {0, true, 3}, {0, false, 3},
		{2, false, 3}, {10, true, 3}, {11, false, 3}, {4, true, 3}, {3, true, 5}, {5, true, 6}, {6, true, 8},
	} {
		if ok := s.take(c.n); ok != c.ok || s.upTo != c.upTo {
			t.Fatalf("step %d: %d taken: %v, up to %d, want %v, %d", i, c.n, ok, s.upTo, c.ok, c.upTo)
		}
	}
}

// Of credits that overtook each other the largest counts, wherever it is, and none that is half
// written or of more than was sent.
func TestLargestCreditCounts(t *testing.T) {
	buf, err := verbs.NewBuffer(pageSize)
	if err != nil {
		t.Fatal(err)
	}
	defer buf.Close()
	r := &rig{plan: &option.Plan{Transport: option.SRD}, memory: memory{buf: buf}}
	l := &lane{worker: &worker{rig: r, group: &group{}}}
	l.in.credits, l.out = newCredits(r, make([]verbs.SGE, creditPlaces)), sender{lane: l, sent: 100}
	for place, credit := range [][2]uint64{{10, creditCheck(10)}, {30, creditCheck(30)}, {20, creditCheck(20)}, {90, creditCheck(20)}, {101, creditCheck(101)}} {
		*words(buf.Bytes()[place*creditBytes:]) = credit
	}
	if l.out.takeCredits(); l.out.credited != 30 {
		t.Errorf("credited are %d messages", l.out.credited)
	}
	if l.in.credits.most > l.in.credits.places {
		t.Errorf("%d credits on their way to %d places", l.in.credits.most, l.in.credits.places)
	}
}
