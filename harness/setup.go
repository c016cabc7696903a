package harness

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/harness/internal/setup"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// deviceSetup holds what a run has made on a device.
type deviceSetup struct {
	*DevicePort
	resources *setup.Resources
	nodes     []int // NUMA nodes of the CPUs on which memory and queues were made
}

// setUp makes QPs and memory, connects them, asks both devices about data order, and decides which
// modes are measured.
func (s *session) setUp() error {
	if err := s.create(); err != nil {
		return err
	}
	a, err := s.connect()
	if err != nil {
		return err
	}
	if err := s.fit(a); err != nil {
		return setup.Mismatchf("%v", err)
	}
	return s.exchangePromises(a)
}

// create makes memory and queues on each device, and the workers.
func (s *session) create() error {
	var all []*setup.Resources
	for i := range s.cfg.Devices {
		d := deviceSetup{DevicePort: &s.cfg.Devices[i]}
		var err error
		if d.nodes, err = s.nearDevice(d.DevicePort, func() error { return s.createOn(&d) }); err != nil {
			return err
		}
		s.devices, all = append(s.devices, d), append(all, d.resources)
	}
	first := &s.devices[0]
	nodes, err := s.nearDevice(first.DevicePort, func() (err error) {
		s.workers, err = loop.New(s.loopConfig(), all, s.halt)
		return err
	})
	if err != nil {
		s.workers = &loop.Workers{}
		return &DeviceError{Err: fmt.Errorf("set up device %s: %w", first.Context.Device().Name(), err)}
	}
	first.nodes = addNew(first.nodes, nodes)
	return nil
}

// createOn makes memory and queues on a device.
func (s *session) createOn(d *deviceSetup) error {
	r, err := setup.New(s.setupConfig(d.DevicePort), s.set, s.halt, s.peer)
	if err != nil {
		return refusal(err, d.Context)
	}
	d.resources, s.set = r, r.Set
	return nil
}

// connect takes the QPs of all devices to RTS, and returns what all ports have in common.
func (s *session) connect() (all setup.Agreed, err error) {
	for i, d := range s.devices {
		a, err := d.resources.Connect()
		if err != nil {
			return all, err
		}
		if i == 0 {
			all = a
		}
		all = setup.Agreed{Longest: min(all.Longest, a.Longest), MTU: min(all.MTU, a.MTU), RdAtomic: min(all.RdAtomic, a.RdAtomic)}
	}
	return all, nil
}

// refusal returns the error of mode counter on a device without counters as a [RefusedError].
func refusal(err error, device verbs.Context) error {
	var none *setup.NoCountersError
	if !errors.As(err, &none) {
		return err
	}
	return &RefusedError{Mode: option.ModeCounter, Side: none.Side, Device: device.Device().Name(), NoCounters: none.Why}
}

// sidePlan returns the plan as this side's devices can execute it: over UD every request is signaled where a
// device refuses others. Over SRD it is on all devices.
func (c *Config) sidePlan() option.Plan {
	p := c.Plan.Plan()
	if p.Transport == option.UD && slices.ContainsFunc(c.Devices, func(d DevicePort) bool { return setup.SignalsAll(d.Context) }) {
		p.CQMod = 1
	}
	return p
}

func (s *session) setupConfig(d *DevicePort) *setup.Config {
	c := s.cfg
	return &setup.Config{
		Role: c.Role, Context: d.Context, Port: d.Port, GIDIndex: c.GIDIndex, PeerIP: c.PeerIP, PKeyIndex: c.PKeyIndex,
		DLID: c.DLID, Vector: c.Vector, NUMANode: c.NUMANode, GPU: c.GPU, Hints: c.Hints,
		Order: func(modes int) []int { return queueOrder(uint64(s.set.Plan.Seed), c.RunsBefore+s.run, modes) },
	}
}

func (s *session) loopConfig() *loop.Config {
	return &loop.Config{Role: s.cfg.Role, Payload: s.cfg.Payload, KeepSamples: s.cfg.KeepSamples, Run: s.cfg.RunsBefore + s.run - 1}
}

// tearDown destroys what setUp has made.
func (s *session) tearDown() {
	s.workers.Close()
	for _, d := range slices.Backward(s.devices) {
		d.resources.Close()
	}
	s.workers, s.devices = &loop.Workers{}, nil
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
	if err := checkPromise(theirs, s.plan.Devices); err != nil {
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
	s.cases = s.set.Resolve(s.decision.testModes(), s.plan.Sizes, testcase.Answers{Order: s.decision.order, OutOfOrder: s.offersOutOfOrder()})
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
	p.Inline, p.MTU = s.inline(), a.MTU.Bytes()
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

// offersOutOfOrder reports whether QPs of a device have out-of-order placement.
func (s *session) offersOutOfOrder() bool {
	return slices.ContainsFunc(s.devices, func(d deviceSetup) bool { return d.resources.OffersOutOfOrder() })
}

// inline returns the bytes of inline data that all devices grant.
func (s *session) inline() int {
	least := s.devices[0].resources.Inline
	for _, d := range s.devices {
		least = min(least, d.resources.Inline)
	}
	return least
}
