package harness

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// gate decides how memory may be polled, from what both devices promise. The
// promise is the polling side's: of both sides in a ping-pong, of the receiver
// of writes and sends, of the requester of reads.
type gate struct {
	ways   []gated
	order  verbs.Order // where the markers are
	forced bool        // memory is polled without a promise
	notes  []result.Warning
}

// gated is a way that is measured, and the group of its QPs.
type gated struct {
	way   way
	group int
}

// promise asks the device about data order, which is answered in RTS.
func (r *rig) promise() (oob.Promise, error) {
	order, call, answer := verbs.OrderUnknown, "", ""
	if r.plan.NoData() == "" {
		var err error
		if order, call, err = r.askOrder(); err != nil {
			return oob.Promise{}, err
		}
		answer = order.String()
	}
	return oob.Promise{Side: r.side(result.Order{Query: call, Answer: answer}), Order: order, Kept: r.kept,
		Boot: host.BootID(), CPUs: r.cfg.cpus(), Pinned: r.cfg.Pin, Unlike: r.otherPath}, nil
}

// askOrder returns the least that any QP promises, and the call that was made.
func (r *rig) askOrder() (order verbs.Order, call string, err error) {
	order = verbs.OrderWhole
	for _, g := range r.groups {
		if call != "" && !g.way.pollsMemory() {
			continue
		}
		for _, l := range g.lanes() { // the promise is each QP's own
			o, c, err := verbs.AskOrder(l.waits(asked(r.plan)), asked(r.plan))
			if err != nil {
				return order, c, &DeviceError{err}
			}
			order, call = min(order, o), c
		}
	}
	return order, call, nil
}

func checkPromise(p oob.Promise) error {
	if p.Order < verbs.OrderUnknown || p.Order > verbs.OrderWhole {
		return wrong("promise", "the answer about data order, %d, is not known", p.Order)
	}
	if err := p.Check(); err != nil {
		return &oob.MessageError{Step: "promise", Err: err}
	}
	if len(p.Unlike) > mostUnlike || slices.ContainsFunc(p.Unlike, func(text string) bool { return len(text) > maxReason }) {
		return fmt.Errorf("the peer tells %d times how its path is not as asked for", len(p.Unlike))
	}
	return nil
}

// newGate decides; role is this side's.
func newGate(p *option.Plan, role Role, mine, theirs oob.Promise) (gate, error) {
	g := gate{order: verbs.OrderWhole}
	if why := p.NoData(); why != "" {
		g.order = verbs.OrderNone
		if wantsData(p) {
			g.note("data-not-run", "data mode was left out: %s", why)
		}
		g.take(p, func(way) bool { return true })
		return g, nil
	}
	polls := pollers(p)
	here, there := polls.has(role), polls.has(role.other())
	var unordered, kept *RefusedError
	for _, s := range []struct {
		polls bool
		name  string
		oob.Promise
	}{{here, "this side", mine}, {there, "the peer", theirs}} {
		if !s.polls {
			continue
		}
		g.order = min(g.order, s.Order)
		device := s.Side.Device.Name
		if s.Order < verbs.OrderBlocks && unordered == nil {
			unordered = &RefusedError{Side: s.name, Device: device, Query: s.Side.Order.Query, Answer: s.Order.String()}
		}
		if shortest := slices.Min(p.Sizes); shortest <= s.Kept && kept == nil {
			kept = &RefusedError{Side: s.name, Device: device, Size: shortest, Kept: s.Kept}
		}
	}
	return g, g.choose(p, unordered, kept)
}

func (r Role) other() Role {
	if r == Client {
		return Server
	}
	return Client
}

// choose decides which ways are measured. What a CQE keeps back is not seen in memory by
// force either.
func (g *gate) choose(p *option.Plan, unordered, kept *RefusedError) error {
	if unordered != nil && kept == nil && p.ForceData {
		g.forced, g.order = true, verbs.OrderNone
		g.note("forced-data", "data mode is forced and unsafe: %s; its figures hold only if every message really ended last", unordered.why())
		unordered = nil
	}
	refusal := cmp.Or(kept, unordered)
	if refusal != nil {
		g.order = verbs.OrderNone
		if insistsOnData(p) {
			return refusal
		}
		if wantsData(p) {
			g.note("data-not-run", "data mode was left out: %s", refusal.why())
		}
	}
	g.take(p, func(w way) bool { return refusal == nil || !w.pollsMemory() })
	return nil
}

// take measures the planned ways that are possible: all of a comparison, else the first.
func (g *gate) take(p *option.Plan, possible func(way) bool) {
	for i, w := range planned(p) {
		if !possible(w) {
			continue
		}
		g.ways = append(g.ways, gated{w, i})
		if !p.Compare {
			return
		}
	}
}

func (g *gate) note(id, format string, args ...any) {
	g.notes = append(g.notes, result.Warning{ID: id, Text: fmt.Sprintf(format, args...)})
}
