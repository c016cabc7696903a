package harness

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// rig is what a side makes of its device for a run: memory, queues and QPs.
type rig struct {
	cfg    *Config
	plan   *option.Plan
	halt   *halt
	port   verbs.PortAttr
	gids   []verbs.GIDEntry // to choose from
	gid    verbs.GIDEntry   // chosen; index -1: none is needed
	offer  oob.Offer
	layout layout
	queues queues
	pd     verbs.PD
	memory
	ah          verbs.AH   // of UD and SRD, to the peer's port
	qkey        uint32     // of the peer's QPs
	xrcd        verbs.XRCD // of XRC
	srq         verbs.SRQ  // in place of the QPs' receive queues where nothing is received, nil if there is none
	groups      []*group   // of all planned ways
	requests    requests
	recorders   []recorder // of the workers
	inlineKnown bool       // by the first QP
	inline      int        // granted bytes
	otherPath   []string   // what of the path that rdma_cm chose is not as this side was asked for, in words
	kept        int        // SENDs of up to so many bytes are not in memory before the CQ is polled
}

// group is the QPs that one way is measured with, in their workers.
type group struct {
	index   int // among the planned ways
	way     way
	workers []*worker
}

// rights is what the peer may do with the memory. EFA devices refuse rights to what they do not
// have, so over SRD they are those that the test takes.
func rights(p *option.Plan) verbs.Access {
	if p.Transport == option.SRD {
		return verbs.AccessLocalWrite | map[option.Op]verbs.Access{
			option.OpWrite: verbs.AccessRemoteWrite, option.OpRead: verbs.AccessRemoteRead,
		}[p.Op]
	}
	all := verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead
	if needsAtomics(p) {
		all |= verbs.AccessRemoteAtomic
	}
	return all
}

func newRig(cfg *Config, h *halt) (*rig, error) {
	r := &rig{cfg: cfg, plan: &cfg.Plan, halt: h, layout: newLayout(&cfg.Plan), queues: newQueues(&cfg.Plan)}
	if err := r.build(); err != nil {
		r.close()
		return nil, &DeviceError{fmt.Errorf("set up device %s: %w", cfg.Context.Device().Name(), err)}
	}
	return r, nil
}

func (r *rig) build() (err error) {
	c := r.cfg.Context
	if r.port, err = c.QueryPort(r.cfg.Port); err != nil {
		return err
	}
	if r.gids, err = findGIDs(c, r.cfg.Port, r.cfg.GIDIndex, r.port); err != nil {
		return err
	}
	if err := r.checkAtomics(); err != nil {
		return err
	}
	if r.plan.IPv6 {
		r.gids = preferIPv6(r.gids)
	}
	if _, err := c.QueryPKey(r.cfg.Port, r.cfg.PKeyIndex); err != nil {
		return fmt.Errorf("P_Key index %d of port %d: %w", r.cfg.PKeyIndex, r.cfg.Port, err)
	}
	if r.offer, err = r.newOffer(); err != nil {
		return err
	}
	if r.pd, err = c.AllocPD(); err != nil {
		return err
	}
	if err := r.register(); err != nil {
		return err
	}
	if err := r.makeRequests(); err != nil {
		return err
	}
	r.shareReceives()
	if err := r.openXRCD(); err != nil {
		return err
	}
	for range r.plan.Workers {
		own := newRecorder(&candidates(r.plan)[0])
		if own.samples != nil {
			own.samples.Keep(r.cfg.KeepSamples)
		}
		r.recorders = append(r.recorders, own)
	}
	for i, w := range planned(r.plan) {
		g := &group{index: i, way: w}
		r.groups = append(r.groups, g)
		if err := r.fill(g); err != nil {
			return err
		}
	}
	return nil
}

// checkAtomics refuses a device without atomic operations where they are measured.
func (r *rig) checkAtomics() error {
	if !needsAtomics(r.plan) {
		return nil
	}
	a, err := r.cfg.Context.QueryDevice()
	if err == nil && a.AtomicCap == verbs.AtomicNone {
		err = errors.New("ibv_query_device: atomic_cap is IBV_ATOMIC_NONE: the device has no atomic operations")
	}
	return err
}

// fill makes the workers of a way, which share its QPs evenly.
func (r *rig) fill(g *group) error {
	left := r.plan.QPs
	for i := range r.plan.Workers {
		n := left / (r.plan.Workers - i)
		left -= n
		w := &worker{rig: r, halt: r.halt, spare: clock.New(), group: g, recorder: r.recorders[i]}
		g.workers = append(g.workers, w)
		if err := w.build(n, r.plan.QPs-left-n); err != nil {
			return err
		}
	}
	return nil
}

// lanes returns all lanes of a group in their order.
func (g *group) lanes() (all []*lane) {
	for _, w := range g.workers {
		all = append(all, w.lanes...)
	}
	return all
}

// lanes returns the lanes of all groups, way by way.
func (r *rig) lanes() (all []*lane) {
	for _, g := range r.groups {
		all = append(all, g.lanes()...)
	}
	return all
}

// shareReceives makes one empty receive queue for all QPs where no message takes a
// receive, since one of its own costs each QP a page at the least. A device without
// shared receive queues has QPs with their own.
func (r *rig) shareReceives() {
	if r.plan.QPs == 1 || anyReceives(r.plan) || transport(r.plan) != verbs.QPTypeRC {
		return
	}
	if q, err := r.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 1, MaxSGE: 1}}); err == nil {
		r.srq = q
	}
}

// side describes this end of the run.
func (r *rig) side(order result.Order) result.Side {
	side := r.cfg.File.Local
	dev := r.cfg.Context.Device()
	side.Device.Name, side.Device.Backend, side.Device.Software = dev.Name(), dev.Backend(), dev.Software()
	c := clock.New()
	side.Clock, side.ClockNs, side.ClockStepNs = c.Source(), c.Overhead(), c.Step()
	side.ClockHz = c.Hz()
	side.Device.Port, side.Device.LinkLayer = r.cfg.Port, r.port.LinkLayer.String()
	side.Device.GID, side.Device.GIDIndex = r.gid.GID.String(), r.gid.Index
	if a, err := r.cfg.Context.QueryDevice(); err == nil {
		side.Device.Firmware = a.FirmwareVersion
	}
	side.Order = order
	return side
}

// close destroys everything, users before what they use.
func (r *rig) close() {
	for _, g := range slices.Backward(r.groups) {
		for _, w := range g.workers {
			w.close()
		}
	}
	r.memory.free()
	for _, c := range []interface{ Close() error }{r.ah, r.srq, r.xrcd, r.pd} {
		if c != nil {
			c.Close()
		}
	}
	r.requests.free()
}
