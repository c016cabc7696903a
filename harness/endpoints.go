package harness

import (
	"fmt"
	"math/rand/v2"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// endpoints returns what the peer must know of each QP, way by way.
func (r *rig) endpoints() ([]oob.Endpoint, error) {
	rd := uint8(1)
	if a, err := r.cfg.Context.QueryDevice(); err == nil {
		rd = uint8(max(1, outstanding(r.plan, min(a.MaxQPRdAtomic, a.MaxQPInitRdAtom, option.MaxOuts))))
	}
	mtu := r.port.ActiveMTU
	if want := r.plan.MTU; want > 0 {
		for mtu > verbs.MTU256 && mtu.Bytes() > want {
			mtu--
		}
	}
	var out []oob.Endpoint
	for _, l := range r.lanes() {
		recvQP, srq, err := l.xrc()
		if err != nil {
			return nil, err
		}
		out = append(out, oob.Endpoint{
			Endpoint: verbs.Endpoint{
				QPNum: l.qp.QPNum(), PSN: rand.Uint32() & 0xffffff, GID: r.gid.GID, LID: r.port.LID, MTU: mtu, RdAtomic: rd,
			},
			Addr: r.addr(r.layout.tx(l.index)), RKey: r.of(l.index).plain.RKey(), RelaxedRKey: r.of(l.index).relaxedRKey(),
			Credits: r.addr(r.layout.creditsIn(l.worker.group.index, l.index)), CreditsRKey: r.creditsRKey(),
			RecvQP: recvQP, SRQ: srq,
		})
	}
	return out, nil
}

func checkEndpoints(mine, theirs []oob.Endpoint) error {
	if len(theirs) != len(mine) {
		return fmt.Errorf("the peer has %d QPs where %d are planned", len(theirs), len(mine))
	}
	return nil
}

// path is how packets of a QP leave this side.
func (r *rig) path(lane int) verbs.Path {
	p := verbs.Path{
		Port: r.cfg.Port, GIDIndex: max(r.gid.Index, 0), TrafficClass: uint8(r.plan.TClass), SL: uint8(r.plan.SL),
		PKeyIndex: uint16(r.cfg.PKeyIndex), Retries: r.retries(),
	}
	if labels := r.plan.FlowLabels; len(labels) > 0 {
		p.FlowLabel = uint32(labels[lane%len(labels)])
	}
	return p
}

// retries says when a QP gives a request up.
func (r *rig) retries() *verbs.Retries {
	all := verbs.DefaultRetries()
	all.Timeout, all.RetryCnt = uint8(r.plan.QPTimeout), uint8(r.plan.RetryCount)
	return &all
}

// creditsRKey is the key of credits where it is not that of messages, else 0.
func (r *rig) creditsRKey() uint32 {
	if r.private == nil {
		return 0
	}
	return r.common.plain.RKey()
}

// connect takes all QPs to RTS and tells the lanes where the peer's memory is.
func (r *rig) connect(mine, theirs []oob.Endpoint) error {
	if err := checkEndpoints(mine, theirs); err != nil {
		return err
	}
	for i, l := range r.lanes() {
		if lid := r.cfg.DLID; lid > 0 {
			theirs[i].LID = uint16(lid)
		}
		l.peer = theirs[i]
		if err := r.connectOne(l, &mine[i], &theirs[i]); err != nil {
			return &DeviceError{fmt.Errorf("connect QP %d of %d: %w", i+1, len(mine), err)}
		}
	}
	return nil
}
