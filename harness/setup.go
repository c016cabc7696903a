package harness

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/harness/internal/setup"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// setUp makes QPs and memory, connects them, asks both devices about data order, and decides which
// modes are measured.
func (s *session) setUp() error {
	nodes, err := s.nearDevice(s.create)
	if err != nil {
		return err
	}
	s.setUpNodes = nodes
	a, err := s.resources.Connect()
	if err != nil {
		return err
	}
	if err := s.fit(a); err != nil {
		return setup.Mismatchf("%v", err)
	}
	return s.exchangePromises(a)
}

// create makes memory, queues and workers.
func (s *session) create() error {
	r, err := setup.New(s.setupConfig(), s.set, s.halt, s.peer)
	if err != nil {
		return s.refusal(err)
	}
	s.resources, s.set = r, r.Set
	w, err := loop.New(s.loopConfig(), r, s.halt)
	if err != nil {
		return &DeviceError{Err: fmt.Errorf("set up device %s: %w", s.cfg.Context.Device().Name(), err)}
	}
	s.workers = w
	return nil
}

// refusal returns the error of mode counter on a device without counters as a [RefusedError].
func (s *session) refusal(err error) error {
	var none *setup.NoCountersError
	if !errors.As(err, &none) {
		return err
	}
	return &RefusedError{Mode: option.ModeCounter, Side: none.Side, Device: s.cfg.Context.Device().Name(), NoCounters: none.Why}
}

// sidePlan returns the plan as this side's device can execute it: over UD every request is signaled where the
// device refuses others. Over SRD it is on all devices.
func (c *Config) sidePlan() option.Plan {
	p := c.Plan.Plan()
	if p.Transport == option.UD && setup.SignalsAll(c.Context) {
		p.CQMod = 1
	}
	return p
}

func (s *session) setupConfig() *setup.Config {
	c := s.cfg
	return &setup.Config{
		Role: c.Role, Context: c.Context, Port: c.Port, GIDIndex: c.GIDIndex, PeerIP: c.PeerIP, PKeyIndex: c.PKeyIndex,
		DLID: c.DLID, Vector: c.Vector, NUMANode: c.NUMANode, GPU: c.GPU, Hints: c.Hints,
		Order: func(modes int) []int { return queueOrder(uint64(s.set.Plan.Seed), c.RunsBefore+s.run, modes) },
	}
}

func (s *session) loopConfig() *loop.Config {
	return &loop.Config{Role: s.cfg.Role, Payload: s.cfg.Payload, KeepSamples: s.cfg.KeepSamples}
}

// tearDown destroys what setUp has made.
func (s *session) tearDown() {
	s.workers.Close()
	s.resources.Close()
	s.workers, s.resources = &loop.Workers{}, &setup.Resources{}
}

// fit cuts the plan's sizes to the longest message of both ports, where the transport has a limit
// that the plan does not know.
func (s *session) fit(a setup.Agreed) error {
	p := s.set.Plan
	if s.plan != nil { // later runs measure the sizes of the first run
		p = *s.plan
	}
	s.plan = &p
	switch {
	case !p.Limited():
		return nil
	case p.Transport == option.UD:
		return p.Fit(a.MTU.Bytes())
	}
	return p.Fit(int(a.Longest))
}

// promise returns this side's promise: the device's answer about data order and what else the peer
// has to know.
func (s *session) promise() (oob.Promise, error) {
	r := s.resources
	var orders setup.Orders
	var err error
	if r.GPU == nil { // the answers are about data that the CPU reads
		orders, err = r.AskDataOrder()
	}
	if err != nil {
		return oob.Promise{}, err
	}
	answer := result.Order{Query: orders.Call}
	if orders.Call != "" {
		answer.Answer = orders.Order.String()
	}
	if slices.ContainsFunc(s.set.Modes, r.OutOfOrder) && orders.Call != "" {
		answer.OutOfOrder = orders.OutOfOrder.String()
	}
	return oob.Promise{Side: s.side(answer), Order: orders.Order, MaxScatterToCQE: r.KeptInCQE,
		Boot: host.BootID(), CPUs: s.cfg.cpus(s.plan.Threads), Pinned: s.cfg.Pin, PathDifferences: r.OtherPath}, nil
}

// exchangePromises exchanges the devices' answers and decides which modes are measured.
func (s *session) exchangePromises(a setup.Agreed) error {
	mine, err := s.promise()
	if err != nil {
		return err
	}
	theirs, err := s.peer.Promise(mine) // also says that the peer's QPs are in RTS
	if err != nil {
		return err
	}
	if err := checkPromise(theirs); err != nil {
		return err
	}
	if s.decision, err = decide(s.set, s.plan, s.cfg.Role, mine, theirs); err != nil {
		return err
	}
	f := s.cfg.File
	if s.run == 1 {
		f.Local, f.Peer = mine.Side, theirs.Side
		s.place(mine, theirs)
	}
	if s.shared != affinity.NoCPU {
		s.decision.addOnOneCPU(s.set)
	}
	if s.run > 1 {
		return nil
	}
	s.cases = s.set.Resolve(s.decision.testModes(), s.plan.Sizes, testcase.Answers{Order: s.decision.order, OutOfOrder: s.resources.OffersOutOfOrder()})
	f.Parameters = s.parameters(a)
	f.Definitions = result.DefinitionsOf(s.plan)
	f.Warnings = append(f.Warnings, runWarnings(s.plan, s.decision, mine.Side, theirs.Side)...)
	f.Warnings = append(f.Warnings, routingWarnings(s.plan, s.cases, mine.Side, theirs.Side)...)
	f.Warnings = append(f.Warnings, pathWarnings(mine, theirs)...)
	return nil
}

// parameters returns the plan as it is executed.
func (s *session) parameters(a setup.Agreed) result.Parameters {
	r, p := result.Parameters{Plan: *s.plan}, *s.plan
	p.Inline, p.MTU = s.resources.Inline, a.MTU.Bytes()
	if p.Fetches() && !p.Transport.Unordered() {
		p.Outs = int(a.RdAtomic)
	}
	if first := &s.cases[0][0]; !first.PingPong {
		p.CQMod = int(first.SignalEvery) // of the first size; rows have their own
	}
	r.Decide(p)
	for i, w := range s.decision.modes {
		r.Relaxed = r.Relaxed || s.cases[i][0].Relaxed
		if m := w.mode.Completion; !slices.Contains(r.Modes, m) {
			r.Modes = append(r.Modes, m)
		}
	}
	return r
}

// tphOf returns the hints for files; nil if there are none.
func tphOf(hints *verbs.DMAHInitAttr) *result.TPH {
	if hints == nil {
		return nil
	}
	t := &result.TPH{Hint: int(hints.Hint)}
	if hints.Mask&verbs.DMAHCPU != 0 {
		cpu := int(hints.CPU)
		t.CPU = &cpu
		t.Memory = map[verbs.TPHMemType]string{verbs.TPHVolatile: result.TPHVolatile, verbs.TPHPersistent: result.TPHPersistent}[hints.Memory]
	}
	return t
}

// side returns the description of this side.
func (s *session) side(order result.Order) result.Side {
	side := s.cfg.File.Local
	c := clock.New()
	side.Clock, side.ClockNs, side.ClockStepNs = c.Source(), c.Overhead(), c.Step()
	side.ClockHz = c.Hz()
	side.Device = DescribeDevice(s.cfg.Context, s.cfg.Port, &s.resources.Port)
	side.Device.GID, side.Device.GIDIndex = s.resources.GID.GID.String(), s.resources.GID.Index
	if s.resources.GPU != nil {
		side.GPU = s.cfg.GPU.String() + ", " + s.resources.GPU.Name
	}
	side.TPH = tphOf(s.cfg.Hints)
	side.Order, side.Idle = order, IdleOf(os.DirFS("/"), s.cfg.preferredCPU())
	side.NUMA = numaOf(s.resources, s.setUpNodes)
	return side
}
