package result

import (
	"slices"

	"github.com/ibperf/ibperf/option"
)

// Direction is the traffic in one of the two directions of a bidirectional test.
type Direction struct {
	Messages     uint64  `json:"messages"`
	Bytes        uint64  `json:"bytes"`
	Active       float64 `json:"active_s"`
	Average      float64 `json:"average_bytes_per_s"` // over the time of both directions
	MsgRate      float64 `json:"messages_per_s"`
	Slowest      float64 `json:"slowest_bytes_per_s,omitempty"`       // of the windows; 0 if not measured
	MedianWindow float64 `json:"median_window_bytes_per_s,omitempty"` // 0 if not measured
	Peak         float64 `json:"peak_bytes_per_s,omitempty"`          // of the fastest window; 0 if not measured
	WindowS      float64 `json:"window_s,omitempty"`

	Delivery *Delivery `json:"delivery,omitempty"` // of transports that may lose messages, where arrivals are counted
}

// Directions returns a row for each direction of a bidirectional test, without rounds and costs:
// local has what this side sends or READs, remote what the peer does. Both are nil if the row has no
// directions.
func (r *Row) Directions(role string, op option.Op) (local, remote *Row) {
	if r.FromClient == nil || r.FromServer == nil {
		return nil, nil
	}
	local, remote = r.direction(r.FromClient), r.direction(r.FromServer)
	if (role == "server") != RoundTrip(op) {
		local, remote = remote, local
	}
	return local, remote
}

func (r *Row) direction(d *Direction) *Row {
	one := *r
	one.FromClient, one.FromServer, one.Rounds = nil, nil, nil
	one.Local, one.Peer = Cost{}, Cost{}
	b := *r.Bandwidth
	b.Messages, b.Bytes, b.Average, b.MsgRate = d.Messages, d.Bytes, d.Average, d.MsgRate
	b.Slowest, b.MedianWindow, b.Peak, b.WindowS = d.Slowest, d.MedianWindow, d.Peak, d.WindowS
	one.Bandwidth, one.Delivery = &b, d.Delivery
	return &one
}

var directionColumns = slices.Concat(
	directionOf("from_client", "from client", func(r *Row) *Direction { return r.FromClient }),
	directionOf("from_server", "from server", func(r *Row) *Direction { return r.FromServer }),
)

// directionOf returns the columns of one direction.
func directionOf(field, head string, direction func(*Row) *Direction) []Column {
	in := func(value func(*Direction) float64) func(*Row) float64 {
		return func(r *Row) float64 {
			if d := direction(r); d != nil {
				return value(d)
			}
			return 0
		}
	}
	column := func(name, unit, definition string, value func(*Direction) float64) Column {
		return Column{Field: field + "." + name, Kind: option.KindBandwidth, Unit: unit, Definition: definition, Value: in(value)}
	}
	const own = ", with windows that begin at this direction's own start"
	average := column("average_bytes_per_s", rateDefinedUnit, "in a bidirectional test, bytes "+head+" / the time of both directions, bandwidth.seconds; the two averages add up to that of the row",
		func(d *Direction) float64 { return d.Average })
	average.Head, average.shown, average.empty, average.print = head, rateUnit, true, asRate
	peak := column("peak_bytes_per_s", rateDefinedUnit, "rate of the fastest window, or the rate over its active time if that is higher"+own, func(d *Direction) float64 { return d.Peak })
	peak.Head, peak.shown, peak.empty, peak.print = "peak "+head, rateUnit, true, asRate
	delivered := func(value func(*Delivery) uint64) func(*Direction) float64 {
		return func(d *Direction) float64 {
			if d.Delivery == nil {
				return 0
			}
			return float64(value(d.Delivery))
		}
	}
	lost := column("delivery.lost", "messages", "messages that were sent and not received before arrivals stopped; the two directions add up to delivery.lost",
		delivered(func(d *Delivery) uint64 { return d.Lost }))
	lost.Head, lost.shown, lost.words = "lost "+head, "messages", func(r *Row) string {
		if d := direction(r); d != nil {
			return lostOf(d.Delivery)
		}
		return ""
	}
	return []Column{
		column("messages", "messages", "messages of this direction that the average counts", func(d *Direction) float64 { return float64(d.Messages) }),
		column("bytes", "bytes", "payload bytes of this direction that the average counts", func(d *Direction) float64 { return float64(d.Bytes) }),
		column("active_s", "s", "time from this direction's own start to its own end, summed over the rounds", func(d *Direction) float64 { return d.Active }),
		average,
		column("messages_per_s", "messages/s; printed as million messages/s, in perftest's columns Mpps", "messages of this direction per second, over the same time as its average", func(d *Direction) float64 { return d.MsgRate }),
		column("slowest_bytes_per_s", rateDefinedUnit, "rate of the slowest window, or the rate over its active time if that is lower"+own, func(d *Direction) float64 { return d.Slowest }),
		column("median_window_bytes_per_s", rateDefinedUnit, "median rate of the windows"+own, func(d *Direction) float64 { return d.MedianWindow }),
		peak,
		column("window_s", "s", "length of the windows", func(d *Direction) float64 { return d.WindowS }),
		column("delivery.sent", "messages", "messages that were sent in this direction over a transport that may lose messages, without warm-ups",
			delivered(func(d *Delivery) uint64 { return d.Sent })),
		lost,
	}
}
