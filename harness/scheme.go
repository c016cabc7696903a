package harness

import (
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// This file is the only one that asks for operation, mode and kind of a test. What
// follows from them is in the scheme.

// way is a way to measure a test: a row for each size, and QPs of its own.
type way struct {
	mode    option.Mode
	variant string // "", option.AlsoRelaxed, option.AlsoLook or option.AlsoControl
}

// String names the way as rows do.
func (w way) String() string {
	r := result.Row{Mode: string(w.mode), Variant: w.variant}
	return r.Name()
}

// scheme is one test resolved: a size, measured one way. It never changes.
type scheme struct {
	way    way
	size   int
	opcode verbs.Opcode

	// Who does what.
	exchange bool    // messages are answered one by one, else they stream
	fetch    bool    // READs and atomic operations: who posts is the one whom the data comes to
	atomic   bool    // each slot at the peer is a number that is worked on
	out, in  sides   // which sides send, or fetch, and which receive
	seen     bool    // the receiver learns of each message, consumes it and gives its slot back
	credits  bool    // ... and tells the sender so
	receives bool    // messages take posted receives
	lossy    bool    // what is lost is not repeated
	anyOrder bool    // messages overtake each other, and so do completions of requests
	numbered bool    // messages carry their number as immediate data
	placed   bool    // which receive a message takes is told by its completion
	lands    bool    // ... and so is where its data is
	grh      int     // bytes of header in front of a message in its receive
	measured sides   // whose clock counts
	at       string  // what that side is in a stream, as files name it
	factor   float64 // of recorded times

	// How arrival is detected, and what is done with a message then.
	memory bool        // by its markers in memory, else by its completion
	order  verbs.Order // which tells where the markers are
	look   bool        // beside that, the CQ is looked at every so often
	sleeps bool        // who finds nothing to do sleeps for a completion event
	stamp  bool        // the sender writes markers, whether or not they are looked at
	touch  option.Touch
	verify bool

	// The shape, the same for all modes of a comparison.
	offset  int     // bytes between an aligned 128-byte block and a message
	slots   int     // messages that a ring holds
	span    int     // of them in use
	depth   uint64  // messages that a QP may have on their way
	every   uint64  // a signaled request each so many
	recvs   int     // receives that are kept posted
	list    uint64  // messages of one post; 0: as many as there is room for
	refill  uint64  // receives of one post; 0: as many as are free
	burst   uint64  // messages that a sender with a limited rate sends at a time; 0: its rate is not limited
	apart   float64 // ns from one message to the next at that rate
	relaxed bool    // messages are in memory with relaxed ordering
	noClock bool    // no clock is read in the loop
}

// sides tells which sides something is true of.
type sides struct{ client, server bool }

func (s sides) has(r Role) bool { return r == Client && s.client || r == Server && s.server }

func (s sides) swapped() sides { return sides{client: s.server, server: s.client} }

var (
	theClient = sides{client: true}
	theServer = sides{server: true}
	bothSides = sides{true, true}
)

// resolve makes the scheme of a size and a way.
func resolve(p *option.Plan, w way, size int, order verbs.Order) scheme {
	s := scheme{
		way: w, size: size, opcode: opcodeOf(p), exchange: p.Kind == option.KindLatency, fetch: p.Fetches(), atomic: p.Atomic(),
		memory: w.mode == option.ModeData, order: order, look: w.variant == option.AlsoLook, sleeps: w.mode == option.ModeEvent,
		touch: p.Touch, verify: p.Verify, noClock: p.NoPeak, factor: 0.5, offset: p.Offset, lossy: p.Transport.Lossy(),
		anyOrder: p.Transport.Unordered(),
	}
	s.seen = s.exchange || p.Compare || p.Verify || s.memory || s.touch != option.TouchNone
	s.stamp = s.memory || p.Compare && !s.fetch
	if s.opcode == verbs.OpRDMAWrite && s.seen && !s.memory {
		s.opcode = verbs.OpRDMAWriteWithImm // whose receiver gets a completion
	}
	known := !s.lossy && (!s.anyOrder || s.exchange) // which message comes next
	if p.Op == option.OpSend && s.seen && !known {
		s.opcode = verbs.OpSendWithImm // which takes the number of the message
	}
	s.receives = takesReceives(s.opcode)
	s.numbered = !known && s.seen && !s.memory && !s.fetch
	s.placed = s.receives && (p.SRQ() || s.lossy || s.anyOrder)
	s.lands = s.placed && p.Op == option.OpSend
	if p.Transport == option.UD {
		s.offset, s.grh = verbs.GRHSize, verbs.GRHSize
	}
	s.relaxed = w.variant == option.AlsoRelaxed ||
		!p.Compare && p.Kind == option.KindBandwidth && !s.memory && !p.StrictPCIe
	s.assign(p)
	s.shape(p)
	return s
}

// assign tells the sides their parts.
func (s *scheme) assign(p *option.Plan) {
	s.out = theClient
	if p.Both || s.exchange && !s.fetch {
		s.out = bothSides
	}
	switch {
	case s.fetch:
	case s.exchange || p.Both && (s.seen || s.receives):
		s.in = bothSides
	case s.seen || s.receives:
		s.in = theServer
	}
	s.credits = s.seen && !s.fetch && !s.exchange && !(s.lands && (s.lossy || s.anyOrder))
	switch {
	case s.fetch:
		s.measured, s.at, s.factor = s.out, "requester", 1
	case s.exchange:
		s.measured = theClient
	case s.seen:
		s.measured, s.at = s.in, "receiver"
	default:
		s.measured, s.at = s.out, "sender"
	}
	if p.Reversed {
		s.out, s.in, s.measured = s.out.swapped(), s.in.swapped(), s.measured.swapped()
	}
}

// planned returns the ways that QPs are made for, before it is known whether the
// device promises what mode data needs.
func planned(p *option.Plan) []way {
	switch {
	case !p.Compare && p.Completion == option.ModeAuto && p.NoData() != "":
		return []way{{mode: option.ModePoll}}
	case !p.Compare && p.Completion == option.ModeAuto: // the first that is possible
		return []way{{mode: option.ModeData}, {mode: option.ModePoll}}
	case !p.Compare:
		return []way{{mode: p.Completion}}
	}
	ways := []way{{mode: option.ModeData}, {mode: option.ModePoll}, {mode: option.ModeEvent}}
	if p.NoData() != "" {
		ways = ways[1:]
	}
	for _, also := range slices.Compact(slices.Sorted(slices.Values(p.Also))) {
		switch also {
		case option.AlsoControl:
			if p.NoData() == "" {
				ways = append(ways, way{option.ModeData, also})
			}
			ways = append(ways, way{option.ModePoll, also})
		case option.AlsoLook:
			ways = append(ways, way{option.ModeData, also})
		case option.AlsoRelaxed:
			ways = append(ways, way{option.ModePoll, also})
		}
	}
	return ways
}

// candidates returns every scheme that the run may come to.
func candidates(p *option.Plan) []scheme {
	var all []scheme
	for _, w := range planned(p) {
		for _, size := range possibleSizes(p) {
			all = append(all, resolve(p, w, size, verbs.OrderNone))
		}
	}
	return all
}

// possibleSizes are the plan's, and those that may take their place once it is known how long
// a message may be.
func possibleSizes(p *option.Plan) []int {
	if !p.Limited() {
		return p.Sizes
	}
	most := slices.Max(p.Sizes)
	if p.Transport == option.UD {
		most = verbs.MTU4096.Bytes()
	}
	all := append(slices.Clone(p.Sizes), option.AllSizes()...)
	return slices.DeleteFunc(all, func(size int) bool { return size > most })
}

// transport is what QPs are made and connected by.
func transport(p *option.Plan) verbs.QPType {
	return map[option.Transport]verbs.QPType{
		option.RC: verbs.QPTypeRC, option.UC: verbs.QPTypeUC, option.UD: verbs.QPTypeUD, option.XRC: verbs.QPTypeXRCSend,
		option.SRD: verbs.QPTypeSRD,
	}[p.Transport]
}

// base tells whether other ways are compared with this one.
func (w way) base() bool { return w == way{mode: option.ModePoll} }

// insistsOnData tells whether the run is nothing without mode data, wantsData whether it
// has it if it can.
func insistsOnData(p *option.Plan) bool { return p.Completion == option.ModeData }
func wantsData(p *option.Plan) bool     { return p.Completion == option.ModeAuto }

// exchanges tells whether messages are answered one by one.
func exchanges(p *option.Plan) bool { return p.Kind == option.KindLatency }

// asked is the operation that the promise is asked for.
func asked(p *option.Plan) verbs.Opcode { return opcodeOf(p) }

// inlines returns how much inline data is asked for, in the order of trying.
func inlines(p *option.Plan) []int {
	if p.Inline >= 0 {
		return []int{p.Inline}
	}
	if p.Transport == option.SRD && p.Op != option.OpSend {
		return []int{0} // a WRITE with inline data takes a QP that older devices do not have
	}
	return []int{defaultInline(p.Op), 128, 64, 32, 0}
}

// sleeps tells whether the way needs a completion channel.
func (w way) sleeps() bool { return w.mode == option.ModeEvent }

// pollsMemory tells whether the way looks for data in memory.
func (w way) pollsMemory() bool { return w.mode == option.ModeData }

// receivesInMemory tells whether a side looks there for data of posted receives.
func (w way) receivesInMemory(p *option.Plan, r Role) bool {
	s := resolve(p, w, p.Sizes[0], verbs.OrderNone)
	return s.memory && s.receives && s.in.has(r)
}

// pollers tells which sides look for data in memory in mode data.
func pollers(p *option.Plan) sides {
	s := resolve(p, way{mode: option.ModeData}, p.Sizes[0], verbs.OrderNone)
	if s.fetch {
		return s.out
	}
	return s.in
}

// opcodeOf is the operation on the wire, but for writes whose receiver gets a completion.
func opcodeOf(p *option.Plan) verbs.Opcode {
	switch {
	case p.WriteWithImm:
		return verbs.OpRDMAWriteWithImm
	case p.SendWithImm:
		return verbs.OpSendWithImm
	case p.Op == option.OpSend:
		return verbs.OpSend
	case p.Op == option.OpRead:
		return verbs.OpRDMARead
	case p.Op == option.OpAtomic && p.AtomicType == option.CmpAndSwap:
		return verbs.OpAtomicCmpAndSwp
	case p.Op == option.OpAtomic:
		return verbs.OpAtomicFetchAndAdd
	}
	return verbs.OpRDMAWrite
}

// outstanding is how many READs or atomic operations a QP may have outstanding, of a device
// that allows so many; of other tests it is one.
func outstanding(p *option.Plan, most int) int {
	switch {
	case !p.Fetches():
		return 1
	case p.Outs > 0:
		return min(p.Outs, most)
	}
	return most
}

// needsAtomics tells whether the test takes a device that has atomic operations.
func needsAtomics(p *option.Plan) bool { return p.Atomic() }

// sendOps are the operations of all messages, of credits, and of what uses receives up.
func sendOps(p *option.Plan) verbs.SendOps {
	ops := verbs.SendOpSend
	for _, s := range candidates(p) {
		if ops |= 1 << s.opcode; s.credits {
			ops |= verbs.SendOpRDMAWrite
		}
	}
	return ops
}

// takesReceives tells whether messages of the opcode need posted receives.
func takesReceives(op verbs.Opcode) bool {
	return op == verbs.OpSend || op == verbs.OpSendWithImm || op == verbs.OpRDMAWriteWithImm
}

// defaultInline is perftest's default of the latency tests.
func defaultInline(op option.Op) int {
	switch op {
	case option.OpWrite:
		return 220
	case option.OpSend:
		return 236
	}
	return 0
}

// checkWorkers refuses workers that have nothing to do, or that a loop cannot have.
func checkWorkers(p *option.Plan) error {
	switch {
	case p.Workers < 1 || p.Workers > p.QPs:
		return fmt.Errorf("%d workers share %d QPs: each needs one of its own", p.Workers, p.QPs)
	case exchanges(p) && (p.Workers != 1 || p.Both):
		return fmt.Errorf("a latency test has one worker on each side")
	}
	return nil
}
