package harness

import "github.com/ibperf/ibperf/result"

// traffic counts the messages of one direction.
type traffic struct{ sent, arrived uint64 }

func (x *traffic) add(sent, arrived uint64) {
	x.sent += sent
	x.arrived += arrived
}

// delivery returns the numbers of sent and lost messages.
func (x *traffic) delivery() result.Delivery {
	return result.Delivery{Sent: x.sent, Lost: x.sent - min(x.arrived, x.sent)}
}

// setDelivery sets the losses in a row: in both directions together, and in each direction.
func (rb *rowBuilder) setDelivery(r *result.Row) {
	mine, theirs := rb.outward.delivery(), rb.inward.delivery()
	r.Delivery = &result.Delivery{Sent: mine.Sent + theirs.Sent, Lost: mine.Lost + theirs.Lost}
	if r.FromClient == nil || r.FromServer == nil {
		return
	}
	r.FromClient.Delivery, r.FromServer.Delivery = &mine, &theirs
	if rb.role == Server {
		r.FromClient.Delivery, r.FromServer.Delivery = &theirs, &mine
	}
}
