package oob

import (
	"encoding/json"
	"fmt"
)

// connPeer is the peer at the other end of a [Conn]: each part is one exchange of JSON.
type connPeer struct{ *Conn }

// NewPeer returns the peer of a connection, which both sides have agreed over.
func NewPeer(c *Conn) Peer { return connPeer{c} }

func (p connPeer) Offer(mine Offer) (Offer, error) { return exchange(p, "offer", mine) }
func (p connPeer) Rendezvous(mine Rendezvous) (Rendezvous, error) {
	return exchange(p, "rdma_cm", mine)
}
func (p connPeer) Endpoints(mine []Endpoint) ([]Endpoint, error) {
	return exchange(p, "endpoints", mine)
}
func (p connPeer) Promise(mine Promise) (Promise, error)  { return exchange(p, "promise", mine) }
func (p connPeer) Turn(mine Turn) (Turn, error)           { return exchange(p, "turn", mine) }
func (p connPeer) Align(mine Reading) (Reading, error)    { return exchange(p, "align", mine) }
func (p connPeer) Finish(sent []uint64) ([]uint64, error) { return exchange(p, "finish", sent) }
func (p connPeer) Result(mine Round) (Round, error)       { return exchange(p, "result", mine) }
func (p connPeer) Rest(unused []uint64) ([]uint64, error) { return exchange(p, "rest", unused) }
func (p connPeer) Row(mine Row) (Row, error)              { return exchange(p, "row", mine) }

func (p connPeer) Ready() error {
	_, err := p.Exchange("ready", nil)
	return err
}

// exchange swaps values as JSON.
func exchange[T any](c connPeer, step string, mine T) (theirs T, err error) {
	out, err := json.Marshal(mine)
	if err != nil {
		return theirs, fmt.Errorf("write step %q: %w", step, err)
	}
	in, err := c.Exchange(step, out)
	if err != nil {
		return theirs, err
	}
	if err := Decode(in, &theirs); err != nil {
		return theirs, &MessageError{step, err}
	}
	return theirs, nil
}
