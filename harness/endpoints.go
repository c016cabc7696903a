package harness

import (
	"fmt"
	"math/rand/v2"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// endpoints returns what the peer must know of each QP, way by way.
func (r *rig) endpoints() []oob.Endpoint {
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
	var relaxedKey uint32
	if r.relaxed != nil {
		relaxedKey = r.relaxed.RKey()
	}
	var out []oob.Endpoint
	for _, l := range r.lanes() {
		out = append(out, oob.Endpoint{
			Endpoint: verbs.Endpoint{
				QPNum: l.qp.QPNum(), PSN: rand.Uint32() & 0xffffff, GID: r.gid.GID, LID: r.port.LID, MTU: mtu, RdAtomic: rd,
			},
			Addr: r.mr.Addr() + uint64(r.layout.tx(l.index)), RKey: r.mr.RKey(), RelaxedRKey: relaxedKey,
			Credits: r.mr.Addr() + uint64(r.layout.creditsIn(l.worker.group.index, l.index)),
		})
	}
	return out
}

func checkEndpoints(mine, theirs []oob.Endpoint) error {
	if len(theirs) != len(mine) {
		return fmt.Errorf("the peer has %d QPs where %d are planned", len(theirs), len(mine))
	}
	return nil
}

// path is how packets leave this side.
func (r *rig) path() verbs.Path {
	return verbs.Path{Port: r.cfg.Port, GIDIndex: max(r.gid.Index, 0), TrafficClass: uint8(r.plan.TClass)}
}

// connect takes all QPs to RTS and tells the lanes where the peer's memory is.
func (r *rig) connect(mine, theirs []oob.Endpoint) error {
	if err := checkEndpoints(mine, theirs); err != nil {
		return err
	}
	for i, l := range r.lanes() {
		if err := verbs.Connect(l.qp, r.path(), rights(r.plan), mine[i].Endpoint, theirs[i].Endpoint); err != nil {
			return &DeviceError{fmt.Errorf("connect QP %d of %d: %w", i+1, len(mine), err)}
		}
		l.peer = theirs[i]
	}
	return nil
}
