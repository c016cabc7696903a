package oob

import (
	"fmt"
	"time"
)

// Bound limits what a peer may send as its part of an exchange.
type Bound struct {
	Bytes  int           // of the payload
	Values int           // elements and members in the payload's JSON, counted before it is decoded
	Time   time.Duration // until the payload has arrived, since this side waits for it; 0: no limit
}

// Bounds holds the bound of each exchange that the peer may enter, by its name. It is derived from the plan.
type Bounds map[string]Bound

// The bounds of exchanges with a peer with which there is no plan. They may have any name, and the program limits
// their time. A client gets the capabilities of the server's device with the answer.
var (
	boundOfClient = Bound{Bytes: 64 << 10, Values: 8 << 10}
	boundOfServer = Bound{Bytes: 256 << 10, Values: 32 << 10}
)

// The number of payloads that may wait for their exchanges. A correct peer is ahead by at most one payload in each
// concurrent exchange, and a client that agrees by one.
const (
	maxWaitingOfClient = 1
	maxWaitingOfPeer   = 4
)

// Run holds what the bounds of a run's exchanges are derived from.
type Run struct {
	QPs     int           // of all modes and devices
	Threads int           // measuring threads of a side
	Devices int           // of a side
	Setup   time.Duration // longest time to make memory and QPs, and to prepare a message size
	Round   time.Duration // longest time of a round
}

// Sizes of messages in bytes, by their largest values; tests compare them.
const (
	maxEndpoint = 512
	maxNumber   = 21 // an unsigned number of 64 bits, and a comma
	maxStep     = 16 << 10
	maxRound    = 32 << 10
	maxPromise  = 64 << 10
	maxOffer    = 64 << 10
	maxRow      = 256 << 10 // nearly all of it is the histogram
)

// Bounds returns the bounds of a run's exchanges.
func (r Run) Bounds() Bounds {
	numbers := func(n int) Bound { return Bound{Bytes: 8 + n*maxNumber, Values: n + 1, Time: r.Setup} }
	endpoints := Bound{Bytes: 8 + r.QPs*maxEndpoint, Values: 1 + r.QPs*endpointValues, Time: r.Setup}
	finish := numbers(r.Threads)
	finish.Time += r.Round
	parts := 1 // of a round and a row, which have one for each of several devices and one for all
	if r.Devices > 1 {
		parts += r.Devices
	}
	return Bounds{
		exchangeAnswer: {0, 1, r.Setup}, // the client may send its part after the server has sent the plan
		"offer":        {maxOffer, 8 << 10, r.Setup},
		"rdma_cm":      {1 << 10, 16, r.Setup},
		"endpoints":    endpoints,
		"promise":      {maxPromise, 12 << 10, r.Setup},
		"turn":         {maxStep, 32, r.Setup},
		"ready":        {0, 1, r.Setup},
		"align":        {256, 8, r.Setup},
		"finish":       finish,
		"result":       {parts * maxRound, parts * 6 << 10, r.Setup},
		"rest":         numbers(2 * r.QPs),
		"row":          {parts * maxRow, parts * 128, r.Setup},
	}
}

// endpointValues is the number of members of an endpoint, and one for the list.
const endpointValues = 16

// Memory returns the memory that the payloads of a peer may take, in bytes: of those that wait, and of the largest
// one while it is received and decoded.
func (b Bounds) Memory() int {
	bytes, values := 0, 0
	for _, bound := range b {
		bytes, values = max(bytes, min(bound.Bytes, MaxPayload)), max(values, bound.Values)
	}
	return (maxWaitingOfPeer+copies)*bytes + values*valueBytes
}

// Memory of a payload that is received and decoded.
const (
	copies     = 3  // the growing buffer, the cleaned text, and texts that are decoded from it
	valueBytes = 32 // of a decoded value, on average; most are numbers
)

// check returns an error unless a payload is within the bound.
func (b Bound) check(name string, bytes int64) error {
	if bytes > int64(b.Bytes) {
		return protocolErrorf("received exchange %q with a payload of %d bytes, the limit is %d", name, bytes, b.Bytes)
	}
	return nil
}

// checkValues returns an error if the JSON of an exchange has more values than the bound.
func (b Bound) checkValues(name string, data []byte) error {
	if n := countValues(data); n > b.Values {
		return &MessageError{name, fmt.Errorf("%d values, the limit is %d", n, b.Values)}
	}
	return nil
}
