package testcase

import (
	"time"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// Case is one test resolved: a size in a completion mode. It never changes.
type Case struct {
	Mode   Mode
	Size   int
	Opcode verbs.Opcode

	// Roles.
	PingPong           bool    // one message at a time, each answered; otherwise messages stream
	OpenLoop           bool    // with PingPong: messages are sent at the times of a schedule, whether or not earlier ones were answered
	Fetches            bool    // READs and atomic operations: data goes from the responder to the requester
	Atomic             bool    // each slot of the responder is a number that atomic operations change
	Senders, Receivers Sides   // sides that post messages, READs or atomic operations; sides that receive messages
	Consumed           bool    // the receiver detects each message, consumes it and returns its slot
	UsesCredits        bool    // the receiver returns slots by credits
	UsesReceives       bool    // each message takes a posted receive
	Paired             bool    // each message is a WRITE, followed by an empty WRITE with immediate data that takes the receive
	Lossy              bool    // the transport does not repeat lost messages
	Unordered          bool    // messages overtake each other, and so do completions of requests
	Numbered           bool    // each message carries its number as immediate data
	RecvFromCQE        bool    // only the completion identifies the receive that a message has taken
	DataInRecv         bool    // with RecvFromCQE: the data is in the memory of that receive
	GRH                int     // bytes that the device stores in front of a message in its receive
	Measured           Sides   // sides that measure by their clocks
	MeasuredAt         string  // position of the measured side of a stream, as result files name it
	Factor             float64 // multiplies recorded times: 0.5 for one way of a round trip
	First              Role    // side that sends first in a ping-pong
	EndsAtOnce         bool    // a timed round ends without waiting for a peer that ends by its own time
	Exact              bool    // the peer counts each message: a round has those that were asked for, and no others are sent

	// Detection of messages, and what the receiver does with them.
	PollsMemory   bool        // messages are detected by their markers in memory
	ByCounter     bool        // messages are detected by a completion counter; without PollsMemory and this: by their completions
	Order         verbs.Order // promised data order, which decides where the markers are
	ByFlag        bool        // with PollsMemory: each message is followed by a WRITE of its flag, which is polled
	PollsCQToo    bool        // with PollsMemory: the CQ is also polled, at intervals (variant look)
	Sleeps        bool        // a thread without work sleeps for a completion event
	Spin          option.Spin // with Sleeps: how long it polls before that; zero: it does not
	WritesMarkers bool        // the sender writes markers, even if no receiver polls them
	LastByte      bool        // the last byte of a message is its only marker, which is 0 before the first one arrives
	Touch         option.Touch
	Verify        bool

	// Sizes, the same in all modes of a comparison.
	Offset       int     // bytes from an aligned 128-byte block to a message
	Slots        int     // messages that a ring holds
	Span         int     // number of different positions that those messages have in memory
	SpanIn       int     // as Span, of arriving messages: 1 if the peer sends all of them to one address
	Depth        uint64  // messages that a QP may have outstanding
	SignalEvery  uint64  // one request in every SignalEvery is signaled
	Recvs        int     // receives that are kept posted
	RecvsAsked   int     // receives that --rx-depth asks for; 0: its default
	PostList     uint64  // messages in one post; 0: as many as there is room for
	RecvPostList uint64  // receives in one post; 0: as many as are free
	Burst        uint64  // messages that a rate-limited sender sends at a time; 0: no rate limit
	Interval     float64 // ns from one message to the next at the rate limit, on average
	Window       uint64  // with OpenLoop: messages of all QPs of a thread together that may be sent and not answered
	Poisson      bool    // with OpenLoop: the distances of messages are exponentially distributed
	OutOfOrder   bool    // QPs have out-of-order placement; before the devices have answered: if they offer it
	Relaxed      bool    // messages are in memory with relaxed ordering
	NoClock      bool    // the loop does not read the clock for each message
}

// newCase resolves a size in a completion mode. The data order is not known yet.
func newCase(p *option.Plan, m Mode, size int) Case {
	c := Case{
		Mode: m, Size: size, Opcode: opcodeOf(p), PingPong: p.Kind == option.KindLatency, OpenLoop: p.OpenLoop(), Poisson: p.Arrivals == option.ArrivalsPoisson, Fetches: p.Fetches(), Atomic: p.Atomic(),
		PollsMemory: m.PollsMemory(), ByCounter: m.ByCounter(), ByFlag: m.ByFlag(), PollsCQToo: m.Variant == option.VariantLook, Sleeps: m.Sleeps(),
		Touch: p.Touch, Verify: p.Verify, NoClock: p.NoPeak, Factor: 0.5, Offset: p.Offset, Lossy: p.Transport.Lossy() && p.Perftest == nil,
		Unordered: p.Transport.Unordered(),
	}
	if c.OpenLoop {
		c.Factor = 1
	}
	if detections[m.Completion].spins {
		c.Spin = p.Spin
	}
	c.Consumed = c.PingPong || p.Compare || p.Verify || c.PollsMemory || c.ByCounter || c.Touch != option.TouchNone
	c.WritesMarkers = c.PollsMemory || p.Compare && !c.Fetches
	c.Paired = c.Opcode == verbs.OpRDMAWrite && c.Consumed && p.Routing == option.RoutingAdaptive
	if c.Opcode == verbs.OpRDMAWrite && c.Consumed && !c.PollsMemory && !c.ByCounter && !c.Paired {
		c.Opcode = verbs.OpRDMAWriteWithImm // whose receiver gets a completion
	}
	inOrder := !c.Lossy && (!c.Unordered || c.PingPong) // the next message is always the one with the next number
	if p.Op == option.OpSend && c.Consumed && !inOrder {
		c.Opcode = verbs.OpSendWithImm // carries the number of the message
	}
	c.OutOfOrder = m.Variant == option.VariantOOO || !p.Compare && !c.PollsMemory && !c.ByCounter && p.MayReorder()
	c.UsesReceives = c.Paired || takesReceives(c.Opcode)
	c.Numbered = !inOrder && c.Consumed && !c.PollsMemory && !c.Fetches
	c.RecvFromCQE = c.UsesReceives && (p.SRQ() || c.Lossy || c.Unordered)
	c.DataInRecv = c.RecvFromCQE && p.Op == option.OpSend
	if p.Transport == option.UD {
		c.Offset, c.GRH = verbs.GRHSize, verbs.GRHSize
	}
	c.Relaxed = m.Variant == option.VariantRelaxed ||
		!p.Compare && p.Kind == option.KindBandwidth && !c.PollsMemory && !p.DisablePCIeRelaxed
	c.assignSides(p)
	c.shape(p)
	if p.Perftest != nil {
		c.matchPerftest(p)
	}
	return c
}

// decideOrder is called once it is known whether both devices offer out-of-order placement. On such QPs
// messages take receives in any order, which matters if their bytes are read.
func (c *Case) decideOrder(offered bool) {
	c.OutOfOrder = c.OutOfOrder && offered
	if c.OutOfOrder && c.Consumed && (c.Opcode == verbs.OpSend || c.Opcode == verbs.OpSendWithImm) {
		c.RecvFromCQE, c.DataInRecv = true, true
	}
}

// assignSides decides which sides send, receive and measure.
func (c *Case) assignSides(p *option.Plan) {
	c.Senders, c.First = theClient, Client
	if p.Both || c.PingPong && !c.Fetches {
		c.Senders = bothSides
	}
	switch {
	case c.Fetches:
	case c.PingPong || p.Both && (c.Consumed || c.UsesReceives):
		c.Receivers = bothSides
	case c.Consumed || c.UsesReceives:
		c.Receivers = theServer
	}
	c.UsesCredits = c.Consumed && !c.Fetches && !c.PingPong && !(c.DataInRecv && (c.Lossy || c.Unordered))
	switch {
	case c.Fetches:
		c.Measured, c.MeasuredAt, c.Factor = c.Senders, "requester", 1
	case c.PingPong:
		c.Measured = theClient
	case c.Consumed:
		c.Measured, c.MeasuredAt = c.Receivers, "receiver"
	default:
		c.Measured, c.MeasuredAt = c.Senders, "sender"
	}
	if p.Reversed {
		c.Senders, c.Receivers, c.Measured = c.Senders.swapped(), c.Receivers.swapped(), c.Measured.swapped()
	}
}

// RingBytes returns the size of the ring of messages and, behind it, that of their flags.
func (c *Case) RingBytes() (messages, flags int) {
	if c.ByFlag {
		flags = message.RingBytes(FlagBytes, 0, c.Span)
	}
	return message.RingBytes(c.Size, c.Offset, c.Span), flags
}

// Requests returns the opcodes of the requests that a message consists of.
func (c *Case) Requests() string {
	if c.Paired {
		return c.Opcode.String() + "+" + verbs.OpRDMAWriteWithImm.String()
	}
	return c.Opcode.String()
}

// FlagBytes is the size of the flag of a message.
const FlagBytes = 8

// Spins reports whether a thread without work polls before it sleeps, so that under load it never sleeps.
func (c *Case) Spins() bool { return c.Spin != option.Spin{} }

// Bidirectional reports whether messages stream in both directions at the same time.
func (c *Case) Bidirectional() bool { return !c.PingPong && c.Senders == bothSides }

// PayloadFrom returns the side that sends the payload that the measuring side measures.
func (c *Case) PayloadFrom(measuring Role) Role {
	if c.Fetches || c.Consumed {
		return measuring.Other()
	}
	return measuring
}

// BurstTime returns the time from one burst to the next at the rate limit, an hour at most.
func (c *Case) BurstTime() time.Duration {
	return time.Duration(min(c.Interval*float64(c.Burst), float64(time.Hour)))
}
