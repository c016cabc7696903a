package offers

import (
	"fmt"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// rig is what probes work with: an opened device with memory and a CQ.
type rig struct {
	t   *testing.T
	ctx verbs.Context
	gid verbs.GIDEntry
	pd  verbs.PD
	cq  verbs.CQ
	ch  verbs.CompChannel
	buf *verbs.Buffer
	mr  verbs.MR
	sge []verbs.SGE
	snd []verbs.SendWR
	rcv []verbs.RecvWR
	wc  []verbs.WC
}

const (
	local  = verbs.AccessLocalWrite
	remote = verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic
	qkey   = 0x1234
	words  = 8 // bytes of each message
	soon   = 10 * time.Second
)

func newRig(t *testing.T, dev verbs.Device) *rig {
	t.Helper()
	r := &rig{t: t}
	r.ctx = must(dev.Open())(t)
	t.Cleanup(func() { r.ctx.Close() })
	port := must(r.ctx.QueryPort(1))(t)
	var table []verbs.GIDEntry
	for i := range port.GIDTableLen {
		if e, err := r.ctx.QueryGID(1, i); err == nil {
			table = append(table, e)
		}
	}
	r.gid, _ = verbs.BestGID(table, 1)
	r.pd = must(r.ctx.AllocPD())(t)
	r.ch = must(r.ctx.CreateCompChannel())(t)
	r.cq = must(r.ctx.CreateCQ(64, r.ch, 0))(t)
	r.buf = must(verbs.NewBuffer(4096))(t)
	r.mr = must(r.pd.RegMR(r.buf.Bytes(), local|remote))(t)
	r.sge = must(verbs.Make[verbs.SGE](2))(t)
	r.snd = must(verbs.Make[verbs.SendWR](1))(t)
	r.rcv = must(verbs.Make[verbs.RecvWR](1))(t)
	r.wc = must(verbs.Make[verbs.WC](8))(t)
	return r
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// end is one or two QPs that messages go between, of one transport.
type end struct {
	typ      verbs.QPType // of the sender
	from, to verbs.QP
	srq      verbs.SRQ // receives are in; nil: in the QP
	ah       verbs.AH
}

// connect makes QPs of the transport and brings them to RTS. srq may be nil.
func (r *rig) connect(typ verbs.QPType, srq verbs.SRQ) (e *end, err error) {
	e = &end{typ: typ, srq: srq}
	if typ == verbs.QPTypeXRCSend {
		return e, r.connectXRC(e)
	}
	for _, q := range []*verbs.QP{&e.from, &e.to} {
		if *q, err = r.pd.CreateQP(r.init(typ, srq)); err != nil {
			return e, err
		}
	}
	if typ == verbs.QPTypeUD {
		if e.ah, err = r.pd.CreateAH(r.route()); err != nil {
			return e, err
		}
	}
	return e, r.bringUp(e)
}

func (r *rig) init(typ verbs.QPType, srq verbs.SRQ) *verbs.QPInitAttr {
	return &verbs.QPInitAttr{
		Type: typ, SendCQ: r.cq, RecvCQ: r.cq, SRQ: srq, SigAll: true,
		Cap: verbs.QPCap{MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1, MaxInlineData: words},
	}
}

func (r *rig) connectXRC(e *end) (err error) {
	domain, err := r.ctx.OpenXRCD(-1, 0x40) // O_CREAT
	if err != nil {
		return err
	}
	e.srq, err = r.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 4, MaxSGE: 1}, XRCD: domain, CQ: r.cq})
	if err != nil {
		return err
	}
	if e.to, err = domain.CreateRecvQP(); err != nil {
		return err
	}
	if e.from, err = r.pd.CreateQP(r.init(e.typ, nil)); err != nil {
		return err
	}
	return r.bringUp(e)
}

func (e *end) close() {
	for _, q := range []verbs.QP{e.from, e.to} {
		if q != nil {
			q.Close()
		}
	}
	if e.ah != nil {
		e.ah.Close()
	}
}

func (r *rig) route() *verbs.AHAttr {
	return &verbs.AHAttr{IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{
		DGID: r.gid.GID, SGIDIndex: uint8(r.gid.Index), HopLimit: 64,
	}}
}

// bringUp takes both QPs through the states, with what their transport requires.
func (r *rig) bringUp(e *end) error {
	for _, state := range []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS} {
		for _, q := range [][2]verbs.QP{{e.from, e.to}, {e.to, e.from}} {
			a := r.attributes(e.typ, state, q[1].QPNum())
			if err := q[0].Modify(&a, masks[e.typ][state]|verbs.MaskState); err != nil {
				return fmt.Errorf("to %s: %w", state, err)
			}
		}
	}
	return nil
}

func (r *rig) attributes(typ verbs.QPType, state verbs.QPState, peer uint32) verbs.QPAttr {
	access := local | remote
	if typ == verbs.QPTypeUC {
		access = local | verbs.AccessRemoteWrite
	}
	return verbs.QPAttr{
		State: state, PortNum: 1, AccessFlags: access, QKey: qkey, AH: *r.route(), PathMTU: verbs.MTU1024,
		DestQPNum: peer, MaxDestRdAtomic: 1, MaxRdAtomic: 1, MinRNRTimer: 1, Timeout: 14, RetryCnt: 2, RNRRetry: 2,
	}
}

const (
	maskInit = verbs.MaskPort | verbs.MaskPKeyIndex
	maskPath = verbs.MaskAV | verbs.MaskPathMTU | verbs.MaskDestQPN | verbs.MaskRQPSN
)

var reliable = map[verbs.QPState]verbs.QPAttrMask{
	verbs.QPInit: maskInit | verbs.MaskAccessFlags,
	verbs.QPRTR:  maskPath | verbs.MaskMaxDestRdAtomic | verbs.MaskMinRNRTimer,
	verbs.QPRTS:  verbs.MaskSQPSN | verbs.MaskTimeout | verbs.MaskRetryCnt | verbs.MaskRNRRetry | verbs.MaskMaxRdAtomic,
}

var masks = map[verbs.QPType]map[verbs.QPState]verbs.QPAttrMask{
	verbs.QPTypeRC:      reliable,
	verbs.QPTypeXRCSend: reliable, // both ends: what does not concern one is ignored
	verbs.QPTypeUC: {
		verbs.QPInit: maskInit | verbs.MaskAccessFlags, verbs.QPRTR: maskPath, verbs.QPRTS: verbs.MaskSQPSN,
	},
	verbs.QPTypeUD: {verbs.QPInit: maskInit | verbs.MaskQKey, verbs.QPRTS: verbs.MaskSQPSN},
}
