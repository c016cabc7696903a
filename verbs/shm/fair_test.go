package shm

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestSendersTakeTurns: of senders that are equally fast each gets its share of the polls,
// whatever the size of these.
func TestSendersTakeTurns(t *testing.T) {
	const senders, messages = 3, 12
	for _, size := range []int{1, 2, 5} {
		s := newSleeper(t)
		for range senders {
			own, peer := s.join(t)
			s.receives(t, own, messages)
			for range messages {
				peer.sends(t)
			}
		}
		came := map[uint32]int{}
		wc := make([]verbs.WC, size)
		for polled := 0; polled < senders*messages; {
			n, err := s.cq.Poll(wc)
			check(t, err)
			if n == 0 {
				t.Fatalf("nothing after %d completions", polled)
			}
			polled += n
			for _, c := range wc[:n] {
				came[c.QPNum]++
			}
			least, most := messages, 0
			for _, n := range came {
				least, most = min(least, n), max(most, n)
			}
			if len(came) < senders {
				least = 0
			}
			if most-least > 2*size {
				t.Fatalf("polls of %d: after %d completions one sender has %d and another %d", size, polled, most, least)
			}
		}
	}
}
