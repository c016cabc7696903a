package setup

import (
	"fmt"
	"math/rand/v2"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// endpoints returns what the peer must know of each QP, mode by mode.
func (r *Resources) endpoints() ([]oob.Endpoint, error) {
	rd := uint8(1)
	if a, err := r.cfg.Context.QueryDevice(); err == nil {
		rd = uint8(max(1, r.Set.Outstanding(min(a.MaxQPRdAtomic, a.MaxQPInitRdAtom, option.MaxOuts))))
	}
	mtu := r.Port.ActiveMTU
	if want := r.Set.Plan.MTU; want > 0 {
		for mtu > verbs.MTU256 && mtu.Bytes() > want {
			mtu--
		}
	}
	var out []oob.Endpoint
	for _, c := range r.conns() {
		recvQP, srq, err := c.xrcNumbers()
		if err != nil {
			return nil, err
		}
		out = append(out, oob.Endpoint{
			Endpoint: verbs.Endpoint{
				QPNum: c.QP.QPNum(), PSN: rand.Uint32() & 0xffffff, GID: r.GID.GID, LID: r.Port.LID, MTU: mtu, RdAtomic: rd,
			},
			Addr: r.Addr(r.Set.Layout.Known(c.Index)), RKey: c.Region().Plain.RKey(), RelaxedRKey: c.Region().relaxedRKey(),
			Credits: r.Addr(r.Set.Layout.CreditsIn(c.Queues.Position, c.Index)), CreditsRKey: r.creditsRKey(),
			RecvQP: recvQP, SRQ: srq,
		})
	}
	return out, nil
}

// Endpoints returns what each side knows of the QPs of this side and of the peer, mode by mode, once they are connected.
func (r *Resources) Endpoints() (local, peer []oob.Endpoint) {
	for _, c := range r.conns() {
		local, peer = append(local, c.Local), append(peer, c.Peer)
	}
	return local, peer
}

func checkEndpoints(mine, theirs []oob.Endpoint) error {
	if len(theirs) != len(mine) {
		return fmt.Errorf("the peer has %d QPs and the plan %d", len(theirs), len(mine))
	}
	return nil
}

// path returns the path of the packets of a QP.
func (r *Resources) path(conn int) verbs.Path {
	p := verbs.Path{
		Port: r.cfg.Port, GIDIndex: max(r.GID.Index, 0), TrafficClass: uint8(r.Set.Plan.TClass), SL: uint8(r.Set.Plan.SL),
		PKeyIndex: uint16(r.cfg.PKeyIndex), Retries: r.retries(),
	}
	if labels := r.Set.Plan.FlowLabels; len(labels) > 0 {
		p.FlowLabel = uint32(labels[conn%len(labels)])
	}
	return p
}

// retries returns the timeouts and retry counts of QPs.
func (r *Resources) retries() *verbs.Retries {
	all := verbs.DefaultRetries()
	all.Timeout, all.RetryCnt = uint8(r.Set.Plan.QPTimeout), uint8(r.Set.Plan.RetryCount)
	return &all
}

// creditsRKey returns the key for credits if it differs from that for messages, else 0.
func (r *Resources) creditsRKey() uint32 {
	if credits := r.Common.Plain.RKey(); credits != r.regionFor(0).Plain.RKey() {
		return credits
	}
	return 0
}

// Agreed holds what the ports and QPs of both sides have in common.
type Agreed struct {
	Longest  uint32 // message, in bytes
	MTU      verbs.MTU
	RdAtomic uint8 // outstanding READs and atomic operations of a QP
}

// Connect agrees on GIDs, exchanges endpoints and takes all QPs to RTS.
func (r *Resources) Connect() (a Agreed, err error) {
	if r.Set.Plan.RDMACM {
		r.GID.Index = -1 // rdma_cm chooses
	} else if r.GID, err = agreeGID(r.offer, r.theirOffer, r.gids); err != nil {
		return a, err
	}
	mine, err := r.endpoints()
	if err != nil {
		return a, err
	}
	theirs, err := r.peer.Endpoints(mine)
	if err != nil {
		return a, err
	}
	connect := r.connectAll
	if r.Set.Plan.RDMACM {
		connect = r.connectCM
	}
	if err := connect(mine, theirs); err != nil {
		return a, err
	}
	here, there := &mine[0], &theirs[0]
	return Agreed{
		Longest: min(r.offer.Longest, r.theirOffer.Longest), MTU: min(here.MTU, there.MTU), RdAtomic: min(here.RdAtomic, there.RdAtomic),
	}, nil
}

// connectAll takes all QPs to RTS without rdma_cm.
func (r *Resources) connectAll(mine, theirs []oob.Endpoint) error {
	if err := checkEndpoints(mine, theirs); err != nil {
		return err
	}
	for i, c := range r.conns() {
		if lid := r.cfg.DLID; lid > 0 {
			theirs[i].LID = uint16(lid)
		}
		c.Local, c.Peer = mine[i], theirs[i]
		if err := r.connectOne(c, &mine[i], &theirs[i]); err != nil {
			return &DeviceError{fmt.Errorf("connect QP %d of %d: %w", i+1, len(mine), err)}
		}
	}
	return nil
}
