package harness

import "math/rand/v2"

// turns is which QP has the next message of a ping-pong. With several, who receives does
// not know which it will be: messages go over all of them in a scattered order.
type turns struct {
	order []*lane
	place int    // in the order, of the next message
	to    *lane  // of the last message sent
	from  *lane  // of the last message that came
	asked *lane  // of the last message that was posted
	home  *lane  // that its receive belongs to, where that is told
	came  uint64 // messages of the round

	// Where messages may be lost:
	missed bool   // the last one has not come
	inRow  int    // so many in a row
	late   uint64 // that came after they were given up
	over   bool   // nothing comes any more
}

// begin begins a round.
func (t *turns) begin(lanes []*lane) {
	if len(t.order) != len(lanes) {
		t.order = scattered(lanes)
	}
	*t = turns{order: t.order, to: lanes[0], from: lanes[0], home: lanes[0]}
}

// scattered puts lanes into an order that looks random and is the same in each run.
func scattered(lanes []*lane) []*lane {
	random := rand.New(rand.NewPCG(1, uint64(len(lanes))))
	order := make([]*lane, len(lanes))
	for i, from := range random.Perm(len(lanes)) {
		order[i] = lanes[from]
	}
	return order
}

// next returns the lane that the next message is sent on.
func (t *turns) next() *lane {
	t.to = t.order[t.place]
	if t.place++; t.place == len(t.order) {
		t.place = 0
	}
	return t.to
}
