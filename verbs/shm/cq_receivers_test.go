package shm

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestPollSharesAreFair covers senders of equal speed: each gets its share of the polled
// completions, for any size of the polls.
func TestPollSharesAreFair(t *testing.T) {
	const senders, messages = 3, 12
	for _, size := range []int{1, 2, 5} {
		s := newEventNode(t)
		for range senders {
			own, peer := s.connectPeer(t)
			s.postReceives(t, own, messages)
			for range messages {
				peer.postEmptySend(t)
			}
		}
		received := map[uint32]int{}
		wc := make([]verbs.WC, size)
		for polled := 0; polled < senders*messages; {
			n, err := s.cq.Poll(wc)
			check(t, err)
			if n == 0 {
				t.Fatalf("no completion after the first %d", polled)
			}
			polled += n
			for _, c := range wc[:n] {
				received[c.QPNum]++
			}
			least, most := messages, 0
			for _, n := range received {
				least, most = min(least, n), max(most, n)
			}
			if len(received) < senders {
				least = 0
			}
			if most-least > 2*size {
				t.Fatalf("polls of %d: of the first %d completions one sender has %d and another %d", size, polled, most, least)
			}
		}
	}
}
