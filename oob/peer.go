package oob

import (
	"encoding/json"
	"fmt"
)

// Peer is the other side of a run, after both sides have agreed on a plan. Each method sends
// this side's message and returns the peer's. Both sides call the same methods in the same
// order. A side that has nothing to say sends the zero message. All methods return at once when
// the peer is lost.
type Peer interface {
	// Offer exchanges how each side's port can be addressed.
	Offer(mine Offer) (theirs Offer, err error)
	// Rendezvous sends the client where the server waits for connections by rdma_cm.
	Rendezvous(mine Rendezvous) (theirs Rendezvous, err error)
	// Endpoints exchanges the addresses and keys of all QPs, mode by mode.
	Endpoints(mine []Endpoint) (theirs []Endpoint, err error)
	// Promise exchanges the devices and their answers about the order of data. Each side
	// sends it when its QPs are in RTS.
	Promise(mine Promise) (theirs Promise, err error)
	// Step sends the server what the client wants both sides to do next. The exchange's name is "turn".
	Step(mine Step) (theirs Step, err error)
	// Ready returns when both sides are ready for the round.
	Ready() error
	// Align exchanges readings of both sides' clocks, several times in a row.
	Align(mine Reading) (theirs Reading, err error)
	// Finish exchanges the number of messages that each worker has sent in the round. Messages
	// may still arrive meanwhile.
	Finish(sent []uint64) (theirs []uint64, err error)
	// Result exchanges the measurements of the round.
	Result(mine Round) (theirs Round, err error)
	// Drain exchanges the number of unused receives, QP by QP. The exchange's name is "rest".
	Drain(unused []uint64) (theirs []uint64, err error)
	// Row exchanges the statistics of all rounds of a row.
	Row(mine Row) (theirs Row, err error)
	// Lost is closed when the peer is gone or has ended the run.
	Lost() <-chan struct{}
	// Err returns the reason once Lost is closed.
	Err() error
}

// connPeer is the peer at the other end of a [Conn]. Each message is one exchange of JSON. Sides of
// different releases work together, so the names "turn" and "rest" stay, although the methods are
// now called Step and Drain.
type connPeer struct{ *Conn }

// NewPeer returns the [Peer] at the other end of a connection over which a plan was agreed.
func NewPeer(c *Conn) Peer { return connPeer{c} }

func (p connPeer) Offer(mine Offer) (Offer, error) { return exchange(p, "offer", mine) }
func (p connPeer) Rendezvous(mine Rendezvous) (Rendezvous, error) {
	return exchange(p, "rdma_cm", mine)
}
func (p connPeer) Endpoints(mine []Endpoint) ([]Endpoint, error) {
	return exchange(p, "endpoints", mine)
}
func (p connPeer) Promise(mine Promise) (Promise, error)   { return exchange(p, "promise", mine) }
func (p connPeer) Step(mine Step) (Step, error)            { return exchange(p, "turn", mine) }
func (p connPeer) Align(mine Reading) (Reading, error)     { return exchange(p, "align", mine) }
func (p connPeer) Finish(sent []uint64) ([]uint64, error)  { return exchange(p, "finish", sent) }
func (p connPeer) Result(mine Round) (Round, error)        { return exchange(p, "result", mine) }
func (p connPeer) Drain(unused []uint64) ([]uint64, error) { return exchange(p, "rest", unused) }
func (p connPeer) Row(mine Row) (Row, error)               { return exchange(p, "row", mine) }

func (p connPeer) Ready() error {
	_, err := p.Exchange("ready", nil)
	return err
}

// exchange sends a message as JSON and returns the peer's.
func exchange[T any](c connPeer, name string, mine T) (theirs T, err error) {
	out, err := json.Marshal(mine)
	if err != nil {
		return theirs, fmt.Errorf("write message %q: %w", name, err)
	}
	in, err := c.exchangeJSON(name, out)
	if err != nil {
		return theirs, err
	}
	if err := Decode(in, &theirs); err != nil {
		return theirs, &MessageError{name, err}
	}
	return theirs, nil
}
