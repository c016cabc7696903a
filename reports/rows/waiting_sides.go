package rows

import (
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// WaitingBusy returns the fraction of the time that a core was busy on the side that waits for
// messages, and names that side. If both sides wait it returns that of the busier one.
func (e Entry) WaitingBusy() (busy float64, who string) {
	here, peer := waits(e.File)
	switch {
	case here && peer:
		return max(e.Local.Busy, e.Peer.Busy), "on the busier side"
	case here:
		return e.Local.Busy, WhereWaits(e.File)
	}
	return e.Peer.Busy, WhereWaits(e.File)
}

// PausedBusy returns the fraction of the time that a core was busy on the side of
// [Entry.PausedCost], and names that side.
func (e Entry) PausedBusy() (busy float64, who string) {
	side, who := e.PausedCost()
	return side.Busy, who
}

// PausedCost returns the cost of the side that waits during the pauses between messages, and names
// that side: the server of a ping-pong, the requester of READs.
func (e Entry) PausedCost() (side result.Cost, who string) {
	here, who := e.File.Role == "server", "at the server"
	if result.RoundTrip(e.File.Op) {
		here, who = !here, "at the requester"
	}
	if here {
		return e.Local, who
	}
	return e.Peer, who
}

// waits reports which sides of a run wait for messages: both sides of a ping-pong or of a bidirectional
// test, else the receiver of WRITEs and SENDs, the requester of READs, the server of a latency test with a rate.
func waits(f *result.File) (here, peer bool) {
	fetches := result.RoundTrip(f.Op)
	if f.Parameters.Both || f.Kind == option.KindLatency && !fetches && !f.Parameters.OpenLoop() {
		return true, true
	}
	posts := (f.Role != "server") != f.Parameters.Reversed
	return posts == fetches, posts != fetches
}

// WhereWaits names the sides that wait for messages.
func WhereWaits(f *result.File) string {
	here, peer := waits(f)
	switch {
	case here && peer:
		return "on both sides"
	case result.RoundTrip(f.Op):
		return "at the requester"
	case f.Parameters.OpenLoop():
		return "at the server"
	}
	return "at the receiver"
}

// WaitingSides returns the sides of a run that wait for messages.
func WaitingSides(f *result.File) []*result.Side {
	var sides []*result.Side
	here, peer := waits(f)
	if here {
		sides = append(sides, &f.Local)
	}
	if peer {
		sides = append(sides, &f.Peer)
	}
	return sides
}

// WaitingCosts returns the costs of the sides that wait for messages.
func (e Entry) WaitingCosts() (costs []result.Cost) {
	here, peer := waits(e.File)
	if here {
		costs = append(costs, e.Local)
	}
	if peer {
		costs = append(costs, e.Peer)
	}
	return costs
}
