package harness

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// rig is what a side makes of its device for a run: queues, memory, lanes.
type rig struct {
	cfg      *Config
	plan     *Plan
	port     verbs.PortAttr
	gids     []verbs.GIDEntry // to choose from
	gid      verbs.GIDEntry   // chosen; index -1: none is needed
	offer    offer
	layout   layout
	pd       verbs.PD
	channel  verbs.CompChannel // nil if no mode needs events
	sendCQ   verbs.CQ
	recvCQ   verbs.CQ
	srq      verbs.SRQ // in place of the QPs' receive queues where nothing is received, nil if there is none
	buf      *verbs.Buffer
	mr       verbs.MR
	relaxed  verbs.MR // the same memory with relaxed ordering, nil if no row may use it
	lanes    []*lane
	requests requests
	inline   int // granted bytes
}

const rights = verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead

func newRig(cfg *Config) (*rig, error) {
	r := &rig{cfg: cfg, plan: &cfg.Plan}
	if err := r.build(); err != nil {
		r.close()
		return nil, &DeviceError{fmt.Errorf("set up device %s: %w", cfg.Context.Device().Name(), err)}
	}
	return r, nil
}

func (r *rig) build() (err error) {
	c := r.cfg.Context
	r.layout = newLayout(r.plan)
	if r.port, err = c.QueryPort(r.cfg.Port); err != nil {
		return err
	}
	if r.gids, err = findGIDs(c, r.cfg.Port, r.cfg.GIDIndex, r.port); err != nil {
		return err
	}
	if r.offer, err = r.newOffer(); err != nil {
		return err
	}
	if r.pd, err = c.AllocPD(); err != nil {
		return err
	}
	if r.plan.Compare || r.plan.Completion == ModeEvent {
		if r.channel, err = c.CreateCompChannel(); err != nil {
			return err
		}
	}
	if r.sendCQ, err = c.CreateCQ(r.sendEntries(), r.channel, 0); err != nil {
		return err
	}
	if r.recvCQ, err = c.CreateCQ(r.recvDepth()*r.plan.QPs, r.channel, 0); err != nil {
		return err
	}
	if r.buf, err = verbs.NewBuffer(r.layout.bytes()); err != nil {
		return err
	}
	if r.mr, err = r.pd.RegMR(r.buf.Bytes(), rights); err != nil {
		return err
	}
	if r.plan.relaxes(r.plan.Completion) {
		if r.relaxed, err = r.pd.RegMR(r.buf.Bytes(), rights|verbs.AccessRelaxedOrdering); err != nil {
			return err
		}
	}
	if err := r.makeRequests(); err != nil {
		return err
	}
	r.shareReceives()
	return r.createQPs()
}

// shareReceives makes one empty receive queue for all QPs where no message takes a
// receive, since one of its own costs each QP a page at the least. A device without
// shared receive queues has QPs with their own.
func (r *rig) shareReceives() {
	if r.plan.QPs == 1 || r.plan.takesReceives() {
		return
	}
	if q, err := r.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 1, MaxSGE: 1}}); err == nil {
		r.srq = q
	}
}

// sendDepth leaves room for credits and the last, signaled request beside the
// messages; recvDepth is what the largest ring or the option asks for, if messages
// take receives at all.
func (r *rig) sendDepth() int {
	depth := r.plan.txDepth()
	if r.plan.Kind == result.KindLatency {
		depth = max(depth, 2*latSlots)
	}
	return depth + r.plan.creditDepth() + 1
}

func (r *rig) recvDepth() int {
	if !r.plan.takesReceives() {
		return 1
	}
	depth := min(r.plan.rxDepth(), MaxDepth)
	for _, size := range r.plan.Sizes {
		depth = max(depth, slots(r.plan, size))
	}
	return depth
}

// sendEntries is the size of the send CQ: a completion for each request, so that
// even their failure does not overflow it. Where the device has no such CQ, those
// of requests that ask for one: a message in each so many, the last one, a quarter
// of the credits.
func (r *rig) sendEntries() int {
	p, asked := r.plan, 0
	all := r.sendDepth() * p.QPs
	a, err := r.cfg.Context.QueryDevice()
	if err != nil || all <= a.MaxCQE || p.Kind == result.KindLatency {
		return all
	}
	for _, size := range p.Sizes {
		asked = max(asked, p.txDepth()/min(p.moderation(size), p.txDepth())+2)
	}
	return max(a.MaxCQE, (asked+4+2)*p.QPs)
}

// createQPs makes the QPs with the most inline data, up to what is wanted, that
// the device grants; devices do not tell their limit beforehand.
func (r *rig) createQPs() error {
	want := []int{r.plan.Inline}
	if r.plan.Inline < 0 {
		want = []int{defaultInline(r.plan.Op), 128, 64, 0}
	}
	for len(r.lanes) < r.plan.QPs {
		r.inline = want[0]
		qp, err := r.pd.CreateQP(&verbs.QPInitAttr{
			SendCQ: r.sendCQ, RecvCQ: r.recvCQ, SRQ: r.srq, Type: verbs.QPTypeRC,
			Cap: verbs.QPCap{
				MaxSendWR: r.sendDepth(), MaxRecvWR: r.recvDepth(),
				MaxSendSGE: 1, MaxRecvSGE: 1, MaxInlineData: r.inline,
			},
		})
		refused := errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOMEM)
		if refused && len(want) > 1 {
			want = want[1:]
			continue
		}
		if err != nil {
			return fmt.Errorf("with %d bytes of inline data, %d sends and %d receives: %w", r.inline, r.sendDepth(), r.recvDepth(), err)
		}
		r.lanes = append(r.lanes, newLane(r, len(r.lanes), qp))
	}
	return nil
}

// defaultInline is perftest's default of the latency tests.
func defaultInline(op Op) int {
	switch op {
	case OpWrite:
		return 220
	case OpSend:
		return 236
	}
	return 0
}

// endpoint is what the peer must know of a lane.
type endpoint struct {
	verbs.Endpoint
	Addr uint64 `json:"addr"` // of the lane's memory
	RKey uint32 `json:"rkey"`

	RelaxedRKey uint32 `json:"relaxed_rkey"` // of the same memory, where rows may use it with relaxed ordering
}

func (r *rig) endpoints() []endpoint {
	rd := uint8(1)
	if a, err := r.cfg.Context.QueryDevice(); err == nil {
		rd = uint8(max(1, min(a.MaxQPRdAtomic, a.MaxQPInitRdAtom, 16)))
	}
	mtu := r.port.ActiveMTU
	if want := r.plan.MTU; want > 0 {
		for mtu > verbs.MTU256 && mtu.Bytes() > want {
			mtu--
		}
	}
	var relaxedKey uint32
	if r.relaxed != nil {
		relaxedKey = r.relaxed.RKey()
	}
	var out []endpoint
	for i, l := range r.lanes {
		out = append(out, endpoint{
			Endpoint: verbs.Endpoint{
				QPNum: l.qp.QPNum(), PSN: rand.Uint32() & 0xffffff, GID: r.gid.GID, LID: r.port.LID, MTU: mtu, RdAtomic: rd,
			},
			Addr: r.mr.Addr() + uint64(i*r.layout.lane), RKey: r.mr.RKey(), RelaxedRKey: relaxedKey,
		})
	}
	return out
}

func checkEndpoints(mine, theirs []endpoint) error {
	if len(theirs) != len(mine) {
		return fmt.Errorf("the peer has %d QPs where %d are planned", len(theirs), len(mine))
	}
	return nil
}

// connect takes all QPs to RTS and tells the lanes where the peer's memory is.
func (r *rig) connect(mine, theirs []endpoint) error {
	if err := checkEndpoints(mine, theirs); err != nil {
		return err
	}
	for i, l := range r.lanes {
		if err := verbs.Connect(l.qp, r.cfg.Port, max(r.gid.Index, 0), rights, mine[i].Endpoint, theirs[i].Endpoint); err != nil {
			return &DeviceError{fmt.Errorf("connect QP %d of %d: %w", i+1, len(mine), err)}
		}
		l.peer = theirs[i]
	}
	return nil
}

// answer asks the device about data order, which is answered in RTS.
func (r *rig) answer() (answer, error) {
	order, call := verbs.OrderWhole, ""
	for _, l := range r.lanes { // the promise is each QP's own
		o, c, err := verbs.AskOrder(l.qp, askedOpcode(r.plan.Op))
		if err != nil {
			return answer{}, &DeviceError{err}
		}
		order, call = min(order, o), c
	}
	side := r.cfg.File.Local
	dev := r.cfg.Context.Device()
	side.Device.Name, side.Device.Backend, side.Device.Software = dev.Name(), dev.Backend(), dev.Software()
	c := clock.New()
	side.Clock, side.ClockNs = c.Source(), c.Overhead()
	side.Device.Port, side.Device.LinkLayer = r.cfg.Port, r.port.LinkLayer.String()
	side.Device.GID, side.Device.GIDIndex = r.gid.GID.String(), r.gid.Index
	if a, err := r.cfg.Context.QueryDevice(); err == nil {
		side.Device.Firmware = a.FirmwareVersion
	}
	side.Order = result.Order{Query: call, Answer: order.String()}
	return answer{side, order}, nil
}

// close destroys everything, users before what they use.
func (r *rig) close() {
	for _, l := range slices.Backward(r.lanes) {
		l.close()
	}
	for _, c := range []interface{ Close() error }{r.relaxed, r.mr, r.srq, r.sendCQ, r.recvCQ, r.channel, r.pd} {
		if c != nil {
			c.Close()
		}
	}
	if r.buf != nil {
		r.buf.Close()
	}
	r.requests.free()
}
