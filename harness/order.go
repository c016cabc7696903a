package harness

import (
	"fmt"

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
	order, call := verbs.OrderWhole, ""
	for _, g := range r.groups {
		if call != "" && !g.way.pollsMemory() {
			continue
		}
		for _, l := range g.lanes() { // the promise is each QP's own
			o, c, err := verbs.AskOrder(l.qp, asked(r.plan))
			if err != nil {
				return oob.Promise{}, &DeviceError{err}
			}
			order, call = min(order, o), c
		}
	}
	return oob.Promise{Side: r.side(result.Order{Query: call, Answer: order.String()}), Order: order,
		Boot: host.BootID(), CPUs: r.cfg.cpus(), Pinned: r.cfg.Pin}, nil
}

func checkPromise(p oob.Promise) error {
	if p.Order < verbs.OrderUnknown || p.Order > verbs.OrderWhole {
		return fmt.Errorf("the peer's answer about data order, %d, is not known", p.Order)
	}
	return nil
}

// newGate decides; role is this side's.
func newGate(p *option.Plan, role Role, mine, theirs oob.Promise) (gate, error) {
	g := gate{order: verbs.OrderWhole}
	polls := pollers(p)
	here, there := polls.has(role), polls.has(role.other())
	var refusal *RefusedError
	for _, s := range []struct {
		polls bool
		name  string
		oob.Promise
	}{{here, "this side", mine}, {there, "the peer", theirs}} {
		if !s.polls {
			continue
		}
		g.order = min(g.order, s.Order)
		if s.Order < verbs.OrderBlocks && refusal == nil {
			refusal = &RefusedError{Side: s.name, Device: s.Side.Device.Name, Query: s.Side.Order.Query, Answer: s.Order.String()}
		}
	}
	return g, g.choose(p, refusal)
}

func (r Role) other() Role {
	if r == Client {
		return Server
	}
	return Client
}

func (g *gate) choose(p *option.Plan, refusal *RefusedError) error {
	if refusal != nil && p.ForceData {
		g.forced, g.order = true, verbs.OrderNone
		g.note("forced-data", "data mode is forced and unsafe: %s answered %q on %s, device %s; its figures hold only if every message really ended last",
			refusal.Query, refusal.Answer, refusal.Side, refusal.Device)
		refusal = nil
	}
	if refusal != nil {
		g.order = verbs.OrderNone
		if insistsOnData(p) {
			return refusal
		}
		if wantsData(p) {
			g.note("data-not-run", "data mode was left out: %s answered %q on %s, device %s",
				refusal.Query, refusal.Answer, refusal.Side, refusal.Device)
		}
	}
	for i, w := range planned(p) {
		if w, possible := w.decided(refusal == nil); possible {
			g.ways = append(g.ways, gated{w, i})
		}
	}
	return nil
}

func (g *gate) note(id, format string, args ...any) {
	g.notes = append(g.notes, result.Warning{ID: id, Text: fmt.Sprintf(format, args...)})
}
