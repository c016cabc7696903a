package testcase

import "github.com/ibperf/ibperf/option"

// matchPerftest changes a case to what a perftest peer expects. Such a peer counts messages and waits for
// each of them, so that none is ever extra and none is given up as lost. It names one address for all
// messages. In write_lat it polls the last byte of a message, which is the low byte of the message's number
// from 1 on, and its server sends first. Each side of a test with messages in both directions measures
// by its own clock.
func (c *Case) matchPerftest(p *option.Plan) {
	c.Exact, c.LastByte, c.SpanIn = true, c.PollsMemory, 1
	if c.PollsMemory {
		c.First = Server
	}
	c.EndsAtOnce = p.Duration > 0 && c.Receivers != (Sides{})
	ours := theServer
	if p.Perftest.Server {
		ours = theClient
	}
	switch {
	case c.PingPong:
		c.SignalEvery = 1 // the end of a round awaits all completions
	case c.Receivers == ours:
		c.MeasuredAt = "receiver"
	}
	if c.Receivers != (Sides{}) && !c.Bidirectional() {
		c.Measured = ours
	}
	if !c.PingPong {
		c.Span = 1
	}
	if c.UsesReceives {
		c.Recvs = rxDepth(p)
	}
}
