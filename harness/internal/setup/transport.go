package setup

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// Transports other than RC: UD and SRD need an address handle and a Q_Key; XRC needs an XRC domain,
// a second QP that receives, and a shared receive queue that every request names.

// qkey is perftest's Q_Key.
const qkey = 0x11111111

// openXRCD opens the XRC domain.
func (r *Resources) openXRCD() (err error) {
	if r.Set.QPType() == verbs.QPTypeXRCSend {
		r.xrcd, err = r.cfg.Context.OpenXRCD(-1, os.O_CREATE)
	}
	return err
}

// createSRQ makes the shared receive queue of n QPs, if they have one.
func (q *Queues) createSRQ(n int) (err error) {
	if r := q.Resources; r.Set.Plan.SRQ() {
		init := verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: r.Set.Queues.Recvs * n, MaxSGE: 1}}
		if r.xrcd != nil {
			init.XRCD, init.CQ = r.xrcd, q.RecvCQ
		}
		if q.SRQ, err = r.pd.CreateSRQ(&init); err != nil {
			return fmt.Errorf("a shared receive queue of %d: %w", init.Attr.MaxWR, err)
		}
	}
	return nil
}

// explainUnsupported adds the missing transport to the error of a call that the device does not
// support.
func (r *Resources) explainUnsupported(err error) error {
	if !errors.Is(err, verbs.ErrNotSupported) {
		return err
	}
	device := r.cfg.Context.Device().Name()
	switch t := r.Set.Plan.Transport; {
	case t == option.SRD:
		return fmt.Errorf("%w; SRD is a transport of EFA devices, of which some have no WRITE, or READ: see ib_caps -d %s", err, device)
	case t == option.RC && r.offersSRD():
		return fmt.Errorf("%w; device %s has no RC, try -c SRD", err, device)
	}
	return err
}

// offersSRD reports whether the device has QPs of SRD.
func (r *Resources) offersSRD() bool {
	cq, err := r.cfg.Context.CreateCQ(1, nil, 0)
	if err != nil {
		return false
	}
	defer cq.Close()
	qp, err := r.pd.CreateQP(&verbs.QPInitAttr{
		SendCQ: cq, RecvCQ: cq, Type: verbs.QPTypeSRD, Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	return err == nil && qp.Close() == nil
}

// checkLength returns an error for WRITEs and READs that are longer than the device supports over SRD.
func (q *Queues) checkLength(init *verbs.QPInitAttr) error {
	p, maxSize := &q.Resources.Set.Plan, init.MaxRDMASize
	if longest := slices.Max(p.Sizes); maxSize > 0 && !p.Limited() && longest > maxSize {
		return fmt.Errorf("--size %d: over SRD a WRITE or READ of device %s has %d bytes at most (efadv_query_device: max_rdma_size)",
			longest, q.Resources.cfg.Context.Device().Name(), maxSize)
	}
	return nil
}

// checkInline returns an error if the plan asks for more inline data than the device has granted. Some
// devices grant less without an error: mana none.
func (r *Resources) checkInline() error {
	if asked := r.Set.Plan.Inline; asked > r.Inline {
		return fmt.Errorf("--inline_size %d: device %s sends at most %d bytes inline: leave the option out, or give -I %d",
			asked, r.cfg.Context.Device().Name(), r.Inline, r.Inline)
	}
	return nil
}

// connectOne takes the QPs of a connection to RTS.
func (r *Resources) connectOne(c *Conn, mine, theirs *oob.Endpoint) error {
	path, access := r.path(c.Index), r.Set.Access()
	switch r.Set.QPType() {
	case verbs.QPTypeUC:
		return verbs.ConnectUC(c.QP, path, access, mine.Endpoint, theirs.Endpoint)
	case verbs.QPTypeUD, verbs.QPTypeSRD:
		return r.activate(c, path, mine, theirs)
	case verbs.QPTypeXRCSend:
		return connectXRC(c, path, access, mine, theirs)
	}
	return verbs.Connect(c.QP, path, access, mine.Endpoint, theirs.Endpoint)
}

// activate takes a QP of UD or SRD to RTS, and creates the address handle of all of them.
func (r *Resources) activate(c *Conn, path verbs.Path, mine, theirs *oob.Endpoint) error {
	if err := errors.Join(mine.Check(), theirs.Check()); err != nil {
		return err
	}
	if r.ah == nil {
		to := path.To(theirs.Endpoint)
		if r.Set.Plan.Multicast {
			group, err := r.groupOf(r.cfg.Role.Other(), theirs)
			if err != nil {
				return err
			}
			to.GRH.DGID = group
		}
		ah, err := r.pd.CreateAH(&to)
		if err != nil {
			return err
		}
		r.ah, r.qkey = ah, qkey
	}
	if err := verbs.Activate(c.QP, path, qkey, mine.PSN); err != nil || !r.Set.Plan.Multicast {
		return err
	}
	return c.joinGroup(mine)
}

// connectXRC connects each sending QP with the receiving QP of the other side.
func connectXRC(c *Conn, path verbs.Path, access verbs.Access, mine, theirs *oob.Endpoint) error {
	toRecv, fromSend := theirs.Endpoint, theirs.Endpoint
	toRecv.QPNum = theirs.RecvQP
	return errors.Join(
		verbs.Connect(c.QP, path, access, mine.Endpoint, toRecv),
		verbs.Connect(c.recvQP, path, access, mine.Endpoint, fromSend))
}
