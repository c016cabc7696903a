package setup

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/ibperf/ibperf/internal/gpu"

	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

// Config holds the device of a side and its own options.
type Config struct {
	Role      testcase.Role
	Context   verbs.Context
	Port      int // device port, from 1
	GIDIndex  int // -1: chosen by both sides together
	PeerIP    netip.Addr
	PKeyIndex int
	DLID      int // LID that the peer is addressed by; 0: the peer's own
	Vector    int // completion vector of the CQs
	NUMANode  *int
	GPU       gpu.Device            // holds the messages; the zero value: main memory does
	Hints     *verbs.DMAHInitAttr   // of PCIe requests to the messages; nil: none
	Order     func(modes int) []int // returns the order in which the queues of that number of modes are created
}

// Resources holds the device's objects of one run: memory, queues and connections.
type Resources struct {
	cfg  *Config
	Set  *testcase.Set
	halt *halt.Halt
	peer oob.Peer

	theirOffer oob.Offer

	Port  verbs.PortAttr
	gids  []verbs.GIDEntry // candidates
	GID   verbs.GIDEntry   // chosen one; index -1: none is needed
	offer oob.Offer
	pd    verbs.PD
	memory
	ah     verbs.AH    // to the peer's port, over UD and SRD
	qkey   uint32      // of the peer's QPs
	xrcd   verbs.XRCD  // over XRC
	srq    verbs.SRQ   // replaces the QPs' receive queues if no message takes a receive; else nil
	Queues [][]*Queues // by planned mode and thread

	maxCount    uint64        // largest value of a completion counter
	noCounters  error         // why the device has no completion counters of the peer's WRITEs
	order       []int         // planned modes in the order in which their queues were created
	sendOps     verbs.SendOps // that QPs are created for; 0: those of ibv_create_qp
	inlineKnown bool          // the first QP has determined Inline
	Inline      int           // granted bytes of inline data
	OtherPath   []string      // differences of the path that rdma_cm chose from the one asked for, in words
	KeptInCQE   int           // SENDs of up to this number of bytes are not in memory before the CQ is polled
}

// New opens and creates everything but the connections.
func New(cfg *Config, set *testcase.Set, h *halt.Halt, peer oob.Peer) (*Resources, error) {
	r := &Resources{cfg: cfg, Set: set, halt: h, peer: peer}
	if err := r.agreeThenBuild(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// agreeThenBuild exchanges offers, since the kind of QPs depends on both devices, and creates everything.
func (r *Resources) agreeThenBuild() (err error) {
	if err := r.queryPort(); err != nil {
		return r.deviceError(err)
	}
	if r.theirOffer, err = r.peer.Offer(r.offer); err != nil {
		return err
	}
	if err := r.checkOutOfOrder(); err != nil {
		return err
	}
	if err := r.agreeCounters(); err != nil {
		return err
	}
	if err := r.build(); err != nil {
		return r.deviceError(err)
	}
	return nil
}

func (r *Resources) deviceError(err error) error {
	return &DeviceError{fmt.Errorf("set up device %s: %w", r.DeviceName(), err)}
}

// queryPort queries what the offer consists of.
func (r *Resources) queryPort() (err error) {
	c := r.cfg.Context
	if r.Port, err = c.QueryPort(r.cfg.Port); err != nil {
		return err
	}
	if r.gids, err = findGIDs(c, r.cfg.Port, r.cfg.GIDIndex, r.Port); err != nil {
		return err
	}
	if err := r.checkAtomics(); err != nil {
		return err
	}
	if r.Set.Plan.IPv6 {
		r.gids = preferIPv6(r.gids)
	}
	if _, err := c.QueryPKey(r.cfg.Port, r.cfg.PKeyIndex); err != nil {
		return fmt.Errorf("P_Key index %d of port %d: %w", r.cfg.PKeyIndex, r.cfg.Port, err)
	}
	if r.offer, err = r.newOffer(); err != nil {
		return err
	}
	r.offerCounters()
	return nil
}

// build opens and creates everything.
func (r *Resources) build() (err error) {
	if r.pd, err = r.cfg.Context.AllocPD(); err != nil {
		return err
	}
	if err := r.register(); err != nil {
		return err
	}
	r.shareReceives()
	r.chooseOps()
	if err := r.openXRCD(); err != nil {
		return err
	}
	r.Queues = make([][]*Queues, len(r.Set.Modes))
	r.order = r.cfg.Order(len(r.Set.Modes))
	for position, mode := range r.order {
		if err := r.createQueues(mode, position); err != nil {
			return err
		}
	}
	return nil
}

// checkAtomics refuses a device without atomic operations if they are measured.
func (r *Resources) checkAtomics() error {
	if !r.Set.Plan.Atomic() {
		return nil
	}
	a, err := r.cfg.Context.QueryDevice()
	if err == nil && a.AtomicCap == verbs.AtomicNone {
		err = errors.New("ibv_query_device: atomic_cap is IBV_ATOMIC_NONE: the device has no atomic operations")
	}
	return err
}

// createQueues makes the queues of a mode, whose threads share its QPs evenly. The position decides where
// in memory its credits are.
func (r *Resources) createQueues(index, position int) error {
	left := r.Set.Plan.QPs
	for i := range r.Set.Plan.Threads {
		n := left / (r.Set.Plan.Threads - i)
		left -= n
		q := &Queues{Resources: r, mode: r.Set.Modes[index], Position: position}
		r.Queues[index] = append(r.Queues[index], q)
		if err := q.build(n, r.Set.Plan.QPs-left-n); err != nil {
			return err
		}
	}
	return nil
}

// Order returns the planned modes in the order in which their queues were created.
func (r *Resources) Order() []int { return r.order }

// conns returns the connections of all modes, mode by mode.
func (r *Resources) conns() (all []*Conn) {
	for _, threads := range r.Queues {
		for _, q := range threads {
			all = append(all, q.Conns...)
		}
	}
	return all
}

// shareReceives makes one empty shared receive queue for all QPs if no message takes a receive: a
// receive queue for each QP would take at least a page. A device without SRQs gets QPs with receive
// queues of their own.
func (r *Resources) shareReceives() {
	if r.Set.Plan.QPs == 1 || r.Set.UsesReceives() || r.Set.QPType() != verbs.QPTypeRC {
		return
	}
	if q, err := r.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 1, MaxSGE: 1}}); err == nil {
		r.srq = q
	}
}

// Close destroys everything, users before what they use.
func (r *Resources) Close() {
	for _, threads := range slices.Backward(r.Queues) {
		for _, q := range threads {
			q.close()
		}
	}
	r.memory.free()
	for _, c := range []interface{ Close() error }{r.ah, r.srq, r.xrcd, r.pd} {
		if c != nil {
			c.Close()
		}
	}
}

// DeviceName returns the name of the device.
func (r *Resources) DeviceName() string { return r.cfg.Context.Device().Name() }
