package loop

import "math/rand/v2"

// rotation decides which QP has the next message of a ping-pong. With several QPs, messages use all of
// them in a scattered order that the receiver does not know.
type rotation struct {
	order      []*Flow
	next       int    // index in order of the next message's flow
	sentOn     *Flow  // flow of the last message prepared for sending
	receivedOn *Flow  // flow of the last message that arrived
	postedOn   *Flow  // flow of the last message that was posted
	recvOwner  *Flow  // with RecvFromCQE: flow that owns the receive that the last message took
	arrived    uint64 // messages in the round

	// Over transports that lose messages:
	missed      bool   // the last message has not arrived
	missedInRow int    // messages in a row that have not arrived
	late        uint64 // messages that arrived after they were given up
	ended       bool   // the peer sends no more messages
}

// begin begins a round.
func (t *rotation) begin(flows []*Flow) {
	if len(t.order) != len(flows) {
		t.order = scattered(flows)
	}
	*t = rotation{order: t.order, sentOn: flows[0], receivedOn: flows[0], recvOwner: flows[0]}
}

// scattered returns flows in a pseudo-random order that is the same in each run.
func scattered(flows []*Flow) []*Flow {
	random := rand.New(rand.NewPCG(1, uint64(len(flows))))
	order := make([]*Flow, len(flows))
	for i, from := range random.Perm(len(flows)) {
		order[i] = flows[from]
	}
	return order
}

// nextFlow returns the flow that the next message is sent on.
func (t *rotation) nextFlow() *Flow {
	t.sentOn = t.order[t.next]
	if t.next++; t.next == len(t.order) {
		t.next = 0
	}
	return t.sentOn
}
