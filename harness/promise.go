package harness

import (
	"os"
	"slices"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/setup"
	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// promise returns this side's promise: the weakest answer of its devices about data order, and what else the peer
// has to know.
func (s *session) promise() (all oob.Promise, err error) {
	for i, d := range s.devices {
		p, err := s.promiseOf(&d)
		if err != nil {
			return all, err
		}
		if i == 0 {
			all = p
			continue
		}
		if p.Order < all.Order {
			all.Order, all.Side.Order = p.Order, p.Side.Order
		}
		all.MaxScatterToCQE = max(all.MaxScatterToCQE, p.MaxScatterToCQE)
		all.MoreCPUs = append(all.MoreCPUs, p.CPUs)
		all.Side.More = append(all.Side.More, result.MoreDevice{Device: p.Side.Device, NUMA: p.Side.NUMA, Tuning: s.tuningOf(i)})
	}
	return all, nil
}

// tuningOf returns what the caller knows about the tuning of a further device.
func (s *session) tuningOf(device int) *result.Tuning {
	if more := s.cfg.File.Local.More; device <= len(more) {
		return more[device-1].Tuning
	}
	return nil
}

// promiseOf returns the promise with one device.
func (s *session) promiseOf(d *deviceSetup) (oob.Promise, error) {
	r := d.resources
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
	return oob.Promise{Side: s.side(d, answer), Order: orders.Order, MaxScatterToCQE: r.KeptInCQE,
		Boot: host.BootID(), CPUs: s.cfg.cpus(d.DevicePort, s.plan.AllThreads()), Pinned: s.cfg.Pin, PathDifferences: r.OtherPath}, nil
}

// side returns the description of this side with one device.
func (s *session) side(d *deviceSetup, order result.Order) result.Side {
	side := s.cfg.File.Local
	c := clock.New()
	side.Clock, side.ClockNs, side.ClockStepNs = c.Source(), c.Overhead(), c.Step()
	side.ClockHz = c.Hz()
	side.Device = DescribeDevice(d.Context, d.Port, &d.resources.Port)
	side.Device.GID, side.Device.GIDIndex = d.resources.GID.GID.String(), d.resources.GID.Index
	if d.resources.GPU != nil {
		side.GPU = s.cfg.GPU.String() + ", " + d.resources.GPU.Name
	}
	side.TPH = tphOf(s.cfg.Hints)
	side.Order, side.Idle = order, IdleOf(os.DirFS("/"), s.cfg.preferredCPU(d.DevicePort))
	side.NUMA, side.More = numaOf(d), nil
	return side
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
