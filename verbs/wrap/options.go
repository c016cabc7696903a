package wrap

import (
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// Options say in what a device differs from the one that it wraps. The zero value
// says nothing. Functions are called from all goroutines that use the device.
type Options struct {
	// Clock is the time of all delays; nil: real time.
	Clock *Clock

	// PostDelay is how much longer PostSend takes for request n of its QP, counted
	// from 0, before the request is posted. Those of a list are posted one by one,
	// each after its delay.
	PostDelay func(n uint64, wr *verbs.SendWR) time.Duration

	// ArrivalDelay is how much later than it came completion n of its CQ is to be
	// seen by Poll, PollSpin and GetEvent. A completion counts as having come when the
	// first of these looks, and is not seen before those in front of it. The channel's
	// FD is still the inner one: it does not tell of delayed completions. A CQ that is
	// armed for solicited ones may raise its event for others that are delayed.
	ArrivalDelay func(n uint64, wc *verbs.WC) time.Duration

	// ReadDelay is how much later than PostSend returns READ n of its QP is carried
	// out: on a device that carries READs out at once, they come to be under way. Another
	// request waits for them in PostSend. An error of posting late comes from a later
	// PostSend. Of a QP that is closed or RESET they are dropped. Real time only.
	ReadDelay func(n uint64, wr *verbs.SendWR) time.Duration

	// ScatterToCQE is how many bytes of a message a CQE holds, as on mlx5: what comes into
	// a receive of RC or UC that has room for no more is in memory only when Poll or
	// PollSpin has returned its completion, unless the QP was made with NoScatterToCQE. A
	// shared receive queue is filled as the inner one is.
	ScatterToCQE int

	// ScatterStays makes the device ignore NoScatterToCQE, as hns does: it says so in
	// MaxScatterToCQE.
	ScatterStays bool

	// OnPostSend is called for each request before its delay; qp is the wrapped one.
	OnPostSend func(qp verbs.QP, wr *verbs.SendWR)

	// OnPostRecv is called for each list of receives before it is posted to the QP.
	OnPostRecv func(qp verbs.QP, list *verbs.RecvWR)

	// OnModify is called before each Modify of a QP; qp is the wrapped one.
	OnModify func(qp verbs.QP, attr *verbs.QPAttr, mask verbs.QPAttrMask)

	// OnPoll is called for each poll of a CQ, with how many completions it may return.
	OnPoll func(most int)

	// OnRegMR is called for each region that was registered.
	OnRegMR func(mr verbs.MR, access verbs.Access)
}

// Context wraps an opened device. It is a [verbs.ConnManager] if inner is one. Objects
// of it and of inner do not go together.
func Context(inner verbs.Context, o Options) verbs.Context {
	if o.Clock != nil && o.ReadDelay != nil {
		panic("wrap: ReadDelay is of real time: Clock must be nil")
	}
	c := &context{
		Context: inner, options: o,
		cqs: map[verbs.CQ]*cq{}, qps: map[verbs.QP]*qp{}, scatters: map[uint32]*scatter{},
	}
	if cm, ok := inner.(verbs.ConnManager); ok {
		return connManager{c, cm}
	}
	return c
}

// Device is a device whose contexts are wrapped.
func Device(inner verbs.Device, o Options) verbs.Device { return device{inner, o} }

type device struct {
	verbs.Device
	options Options
}

func (d device) Open() (verbs.Context, error) {
	inner, err := d.Device.Open()
	if err != nil {
		return nil, err
	}
	return Context(inner, d.options), nil
}
