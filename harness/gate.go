package harness

import (
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// gate decides how memory may be polled, from what both devices promise. The
// promise is the polling side's: of both sides in a ping-pong, of the receiver
// of writes and sends, of the requester of reads.
type gate struct {
	modes  []Mode
	order  verbs.Order // where the markers are
	forced bool        // memory is polled without a promise
	notes  []result.Warning
}

// answer is a side's device with its promise, for the gate and for its peer.
type answer struct {
	Side  result.Side `json:"side"`
	Order verbs.Order `json:"order"`
}

func (a answer) check() error {
	if a.Order < verbs.OrderUnknown || a.Order > verbs.OrderWhole {
		return fmt.Errorf("the peer's answer about data order, %d, is not known", a.Order)
	}
	return nil
}

// askedOpcode is the operation that the promise is asked for.
func askedOpcode(op Op) verbs.Opcode {
	switch op {
	case OpSend:
		return verbs.OpSend
	case OpRead:
		return verbs.OpRDMARead
	}
	return verbs.OpRDMAWrite
}

// pollers tells which sides spin on memory in data mode.
func pollers(p *Plan) (client, server bool) {
	switch {
	case p.Op == OpRead:
		return true, false
	case p.Kind == result.KindLatency:
		return true, true
	}
	return false, true
}

// newGate decides; role is this side's.
func newGate(p *Plan, role Role, mine, theirs answer) (gate, error) {
	g := gate{order: verbs.OrderWhole}
	client, server := pollers(p)
	here, there := client, server
	if role == Server {
		here, there = server, client
	}
	var refusal *RefusedError
	for _, s := range []struct {
		polls bool
		name  string
		answer
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

func (g *gate) choose(p *Plan, refusal *RefusedError) error {
	if refusal != nil && p.ForceData {
		g.forced, g.order = true, verbs.OrderNone
		g.notes = append(g.notes, result.Warning{ID: "forced-data", Text: fmt.Sprintf(
			"data mode is forced and unsafe: %s answered %q on %s, device %s; its figures hold only if every message really ended last",
			refusal.Query, refusal.Answer, refusal.Side, refusal.Device)})
		refusal = nil
	}
	switch {
	case p.Compare && refusal != nil:
		g.modes = []Mode{ModePoll, ModeEvent}
		g.notes = append(g.notes, result.Warning{ID: "data-not-run", Text: fmt.Sprintf(
			"data mode was left out: %s answered %q on %s, device %s", refusal.Query, refusal.Answer, refusal.Side, refusal.Device)})
	case p.Compare:
		g.modes = []Mode{ModeData, ModePoll, ModeEvent}
	case p.Completion == ModeData && refusal != nil:
		return refusal
	case p.Completion != ModeAuto:
		g.modes = []Mode{p.Completion}
	case refusal != nil:
		g.modes = []Mode{ModePoll}
	default:
		g.modes = []Mode{ModeData}
	}
	return nil
}

// opcode returns the operation that messages are sent with. Writes carry
// immediate data where the receiver has to see their completions.
func opcode(p *Plan, mode Mode) verbs.Opcode {
	switch {
	case p.Op == OpSend:
		return verbs.OpSend
	case p.Op == OpRead:
		return verbs.OpRDMARead
	case mode != ModeData && (p.Kind == result.KindLatency || p.Verify):
		return verbs.OpRDMAWriteWithImm
	}
	return verbs.OpRDMAWrite
}

// takesReceives tells whether the messages of any mode of the plan do.
func (p *Plan) takesReceives() bool {
	return slices.ContainsFunc([]Mode{ModeData, ModePoll, ModeEvent}, func(m Mode) bool { return takesReceives(opcode(p, m)) })
}

// takesReceives tells whether messages of the opcode need posted receives.
func takesReceives(op verbs.Opcode) bool {
	return op == verbs.OpSend || op == verbs.OpRDMAWriteWithImm
}
