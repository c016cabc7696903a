package testdevice

import (
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// Options are the differences between a device and the one that it wraps. The zero value has
// none. Functions are called from all goroutines that use the device.
type Options struct {
	// Clock is the time of all delays; nil: real time.
	Clock *Clock

	// PostDelay returns the delay before PostSend posts request n of its QP, counted from 0. The
	// requests of a list are posted one by one, each after its delay.
	PostDelay func(n uint64, wr *verbs.SendWR) time.Duration

	// ArrivalDelay returns the delay after which Poll, PollSpin and GetEvent return completion n
	// of its CQ. The delay begins when one of these first polls the inner CQ after the
	// completion. Completions keep their order. The channel's FD is the inner one, which is not
	// readable for delayed completions. A CQ that is armed for solicited completions may raise
	// its event for other, delayed ones.
	ArrivalDelay func(n uint64, wc *verbs.WC) time.Duration

	// ReadDelay returns the delay after PostSend with which READ n of its QP is executed, so that
	// READs are outstanding on a device that executes them at once. Any other request waits for
	// them in PostSend. An error of a late post is returned by a later PostSend. READs of a QP
	// that is closed or RESET are dropped. Real time only.
	ReadDelay func(n uint64, wr *verbs.SendWR) time.Duration

	// ScatterToCQE is the number of bytes of a message that a CQE holds, as on mlx5. A message
	// into a receive of RC or UC that is not longer is in memory only when Poll or PollSpin has
	// returned its completion, unless the QP was created with NoScatterToCQE. Receives of an
	// SRQ are not affected.
	ScatterToCQE int

	// ScatterStays makes the device ignore NoScatterToCQE, as hns does, and set MaxScatterToCQE.
	ScatterStays bool

	// NoInline makes CreateQP grant no inline data, as for mana.
	NoInline bool

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

// Context wraps an opened device. It is a [verbs.ConnManager] if inner is one. Its objects cannot
// be used together with those of inner.
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
