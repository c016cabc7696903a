package setup

import (
	"errors"
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// NoCountersError is the error of mode counter where a receiver's device has no completion counters.
type NoCountersError struct {
	Side string // "this side" or "the peer"
	Why  string // of this side
}

func (e *NoCountersError) Error() string { return "no completion counters on " + e.Side + ": " + e.Why }

// queryCounters returns the largest value of a completion counter, or why this side cannot count the
// peer's WRITEs on each QP of mode counter.
func (r *Resources) queryCounters() (uint64, error) {
	creator, ok := r.cfg.Context.(verbs.CompCounterCreator)
	if !ok {
		return 0, errors.New("embedded devices have none")
	}
	caps, err := creator.QueryCompCounterCaps()
	switch {
	case err != nil:
		return 0, err
	case caps.Ops&verbs.CountRemoteWrites == 0:
		return 0, errors.New("ibv_query_comp_cntr_caps: the device does not count WRITEs of the peer")
	case caps.Max < r.Set.Plan.QPs:
		return 0, fmt.Errorf("ibv_query_comp_cntr_caps: the device has %d counters (max_counters), and the run needs one for each of %d QPs", caps.Max, r.Set.Plan.QPs)
	}
	return caps.MaxValue, nil
}

// offerCounters asks the device for counters if this side receives in mode counter.
func (r *Resources) offerCounters() {
	if r.Set.UsesCounters(r.cfg.Role) {
		r.maxCount, r.noCounters = r.queryCounters()
		r.offer.Counters = r.noCounters == nil
	}
}

// agreeCounters leaves mode counter out, or refuses the run that needs it, if a receiver's device has no
// counters. Both sides conclude the same from both offers.
func (r *Resources) agreeCounters() error {
	here := r.Set.UsesCounters(r.cfg.Role) && !r.offer.Counters
	there := r.Set.UsesCounters(r.cfg.Role.Other()) && !r.theirOffer.Counters
	switch {
	case !here && !there:
		return nil
	case !r.Set.RequiresCounter():
		r.Set = r.Set.WithoutCounters()
		return nil
	case here:
		return &NoCountersError{"this side", r.noCounters.Error()}
	}
	return &NoCountersError{Side: "the peer"}
}

// addCounter attaches a counter of the peer's WRITEs to a connection that receives in mode counter.
func (c *Conn) addCounter(mode testcase.Mode) (err error) {
	r := c.Resources
	if !r.Set.ReceivesByCounter(mode, r.cfg.Role) {
		return nil
	}
	if c.Counter, err = r.cfg.Context.(verbs.CompCounterCreator).CreateCompCounter(); err != nil {
		return err
	}
	return c.QP.(verbs.CompCounterAttacher).AttachCompCounter(c.Counter, verbs.CountRemoteWrites)
}

// MaxCount returns the largest value of a completion counter. The next one is 0.
func (r *Resources) MaxCount() uint64 { return r.maxCount }
