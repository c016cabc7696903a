package setup

import (
	"github.com/ibperf/ibperf/verbs"
)

// Orders are the device's answers about data order, each the weakest promise of any QP. Without a QP
// that was asked it is OrderUnknown.
type Orders struct {
	Call       string      // empty: no QP was asked
	Order      verbs.Order // of the QPs whose memory is polled, otherwise of the first mode's
	OutOfOrder verbs.Order // of QPs with out-of-order placement
}

// AskDataOrder asks the device about data order, which it answers for QPs in RTS. In a test without mode
// data it makes no call.
func (r *Resources) AskDataOrder() (o Orders, err error) {
	if r.Set.Plan.NoData() != "" {
		return o, nil
	}
	for i, m := range r.Set.Modes {
		if r.OutOfOrder(m) && o.OutOfOrder == verbs.OrderUnknown {
			if o.OutOfOrder, o.Call, err = r.askMode(i); err != nil {
				return o, err
			}
		}
	}
	asked := false
	for i, m := range r.Set.Modes {
		if asked && !m.PollsMemory() {
			continue
		}
		order, call, err := r.askMode(i)
		if err != nil {
			return o, err
		}
		if !asked || order < o.Order {
			o.Order = order
		}
		o.Call, asked = call, true
	}
	return o, nil
}

// askMode asks all QPs of a mode.
func (r *Resources) askMode(mode int) (order verbs.Order, call string, err error) {
	order = verbs.OrderWhole
	for _, q := range r.Queues[mode] {
		for _, c := range q.Conns { // the promise is each QP's own
			answer, made, err := verbs.AskOrder(c.orderedQP(r.Set.Opcode()), r.Set.Opcode())
			if err != nil {
				return order, made, &DeviceError{err}
			}
			order, call = min(order, answer), made
		}
	}
	return order, call, nil
}
