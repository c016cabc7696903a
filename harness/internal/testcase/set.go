package testcase

import (
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// Set holds what follows from a plan before the devices have answered about data order: the modes
// that QPs are made for, the layout of memory and the sizes of queues. Memory and queues are large
// enough for every test case that the plan can lead to. A set never changes.
type Set struct {
	Plan     option.Plan // with the sizes that the user gave
	Modes    []Mode      // planned modes, in the order of their QPs
	Possible []Case      // cases of all planned modes and sizes, without a data order
	Layout   Layout
	Queues   QueueSizes
}

// NewSet returns the set of a resolved plan, for devices with completion counters.
func NewSet(p option.Plan) *Set { return newSet(p, true) }

// WithoutCounters returns the set of the same plan if a receiver's device has no completion counters.
func (s *Set) WithoutCounters() *Set { return newSet(s.Plan, false) }

func newSet(p option.Plan, counters bool) *Set {
	s := &Set{Plan: p, Modes: planned(&p, counters)}
	for _, m := range s.Modes {
		for _, size := range possibleSizes(&p) {
			s.Possible = append(s.Possible, newCase(&p, m, size))
		}
	}
	s.Queues = newQueueSizes(&p, s.Possible)
	s.Layout = newLayout(&p, s.Possible, len(s.Modes), s.Queues.Credits)
	return s
}

// Answers holds what both devices together have answered.
type Answers struct {
	Order      verbs.Order // promised data order
	OutOfOrder bool        // there are QPs with out-of-order placement
}

// Case returns the test case of a size in a completion mode, with the devices' answers.
func (s *Set) Case(m Mode, size int, a Answers) Case {
	c := newCase(&s.Plan, m, size)
	c.Order = a.Order
	c.decideOrder(a.OutOfOrder)
	return c
}

// Resolve returns the test cases of a run, by measured mode and by size, once the devices' answers and the
// sizes are known.
func (s *Set) Resolve(modes []Mode, sizes []int, a Answers) [][]Case {
	all := make([][]Case, len(modes))
	for i, m := range modes {
		for _, size := range sizes {
			all[i] = append(all[i], s.Case(m, size, a))
		}
	}
	return all
}

// possibleSizes returns the plan's sizes and, if the ports may limit them, those that may replace them.
func possibleSizes(p *option.Plan) []int {
	if !p.Limited() {
		return p.Sizes
	}
	longest := slices.Max(p.Sizes)
	if p.Transport == option.UD {
		longest = verbs.MTU4096.Bytes()
	}
	all := append(slices.Clone(p.Sizes), option.AllSizes()...)
	return slices.DeleteFunc(all, func(size int) bool { return size > longest })
}

// Datagrams reports whether each request names its destination, as over UD and SRD. Over these, the
// completion of one empty WRITE cannot signal the completion of all requests: UD has no WRITE, and SRD
// has no order.
func (s *Set) Datagrams() bool { return s.Plan.Transport == option.UD || s.Unordered() }

// EmptyWrites reports whether the completion of an empty WRITE may signal that of all earlier requests. A
// QP of perftest refuses WRITEs unless the test is of them.
func (s *Set) EmptyWrites() bool { return !s.Datagrams() && s.Plan.Perftest == nil }

// Unordered reports whether requests overtake each other, as over SRD.
func (s *Set) Unordered() bool { return s.Plan.Transport.Unordered() }

// UsesReceives reports whether any message takes a posted receive.
func (s *Set) UsesReceives() bool {
	return slices.ContainsFunc(s.Possible, func(c Case) bool { return c.UsesReceives })
}

// Relaxed reports whether any message is in memory with relaxed ordering.
func (s *Set) Relaxed() bool {
	return slices.ContainsFunc(s.Possible, func(c Case) bool { return c.Relaxed })
}

// OutOfOrder reports whether the QPs of a mode have out-of-order placement, if both devices offer it.
func (s *Set) OutOfOrder(m Mode) bool { return s.first(m).OutOfOrder }

// WantsOutOfOrder reports whether the QPs of any mode have out-of-order placement, if both devices offer
// it.
func (s *Set) WantsOutOfOrder() bool { return slices.ContainsFunc(s.Modes, s.OutOfOrder) }

// NeedsOutOfOrder reports whether the plan has a row on QPs with out-of-order placement.
func (s *Set) NeedsOutOfOrder() bool { return slices.Contains(s.Plan.Also, option.VariantOOO) }

// Signaled returns the largest number of signaled messages that a QP has outstanding.
func (s *Set) Signaled() int {
	n := 0
	for _, c := range s.Possible {
		n = max(n, int(c.Depth/c.SignalEvery)+2)
	}
	return n
}

// ReceivesByCounter reports whether a side detects messages of a mode by a completion counter.
func (s *Set) ReceivesByCounter(m Mode, r Role) bool {
	c := s.first(m)
	return c.ByCounter && c.Receivers.Has(r)
}

// UsesCounters reports whether a side detects messages of any mode by completion counters.
func (s *Set) UsesCounters(r Role) bool {
	return slices.ContainsFunc(s.Modes, func(m Mode) bool { return s.ReceivesByCounter(m, r) })
}

// PingPong reports whether messages are answered one by one.
func (s *Set) PingPong() bool { return s.Plan.Kind == option.KindLatency }

// ReceivesInMemory reports whether a side polls memory for the data of posted receives.
func (s *Set) ReceivesInMemory(m Mode, r Role) bool {
	c := s.first(m)
	return c.PollsMemory && c.UsesReceives && !c.Paired && c.Receivers.Has(r)
}

// MemoryPollers returns the sides that poll memory in mode data.
func (s *Set) MemoryPollers() Sides {
	c := s.first(Mode{Completion: option.ModeData})
	if c.Fetches {
		return c.Senders
	}
	return c.Receivers
}

func (s *Set) first(m Mode) Case { return newCase(&s.Plan, m, s.Plan.Sizes[0]) }

// RequiresCounter reports whether the run is refused if mode counter is not possible.
func (s *Set) RequiresCounter() bool { return s.Plan.Completion == option.ModeCounter }

// RequiresData reports whether the run is refused if mode data is not possible.
func (s *Set) RequiresData() bool { return s.Plan.Completion == option.ModeData || s.OnlyData() }

// OnlyData reports whether the peer polls memory without asking its device, and has no other mode.
func (s *Set) OnlyData() bool { return s.Plan.Perftest != nil && s.Plan.NoData() == "" }

// NeededOrder returns the weakest promise with which mode data detects messages of all sizes.
func (s *Set) NeededOrder(sizes []int) verbs.Order {
	if s.OnlyData() && slices.Max(sizes) > verbs.BlockSize { // only the last block has a marker
		return verbs.OrderWhole
	}
	return verbs.OrderBlocks
}

// PrefersData reports whether the run uses mode data if it is possible.
func (s *Set) PrefersData() bool { return s.Plan.Completion == option.ModeAuto }
