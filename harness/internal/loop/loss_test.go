package loop

import (
	"testing"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/verbs"
)

// A datagram that arrives after the receiver has counted it as lost is not a duplicate; one that
// arrives twice is.
func TestLateDatagramsAreNotDuplicates(t *testing.T) {
	const slots = 3
	ring, err := message.NewRing(make([]byte, message.RingBytes(8, 0, slots)), 8, 0, slots)
	if err != nil {
		t.Fatal(err)
	}
	marks := message.NewMarkers(ring, verbs.OrderWhole)
	i := &receiver{ring: ring, marks: marks, check: message.NewChecker(ring, marks), givenUp: make([]uint64, slots)}
	i.giveUp(1)
	marks.Write(0)
	i.noticeRedelivery(slots)
	if n := i.check.Counts().Duplicates; n != 0 {
		t.Errorf("%d duplicates of a message that arrived late", n)
	}
	marks.Write(1)
	i.noticeRedelivery(1 + slots)
	if n := i.check.Counts().Duplicates; n != 1 {
		t.Errorf("%d duplicates of a message that arrived twice", n)
	}
}
