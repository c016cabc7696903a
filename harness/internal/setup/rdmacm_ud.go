package setup

import (
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// resolveAll takes QPs of UD to RTS. Each side requests the address of each of the other side's
// QPs, first the client, because a request does not contain the address of the requester's QP.
func (r *Resources) resolveAll(manager verbs.ConnManager) error {
	l, here, err := r.listenCM(manager, verbs.CMDatagrams)
	if err != nil {
		return err
	}
	defer l.Close()
	there, err := r.peer.Rendezvous(here)
	if err != nil {
		return err
	}
	ask := func() error {
		for i, conn := range r.conns() {
			if err := r.request(manager, verbs.CMDatagrams, conn, i, there); err != nil {
				return err
			}
			if err := r.activateFromCM(conn); err != nil {
				return err
			}
		}
		return nil
	}
	answer := func() error { return r.acceptAll(l, here.Token) }
	first, second := answer, ask
	if r.cfg.Role == testcase.Client {
		first, second = ask, answer
	}
	if err := first(); err != nil {
		return err
	}
	return second()
}

// acceptAll answers the requests for all QPs.
func (r *Resources) acceptAll(l verbs.CMListener, token uint64) error {
	for range r.conns() {
		c, conn, err := r.nextRequest(l, token)
		if err != nil {
			return err
		}
		defer c.Close() // once the peer has all answers
		if err := c.Accept(verbs.CMParam{QPNum: conn.QP.QPNum()}); err != nil {
			return &DeviceError{err}
		}
	}
	return nil
}

// activateFromCM takes a QP to RTS with the address of the peer's QP.
func (r *Resources) activateFromCM(c *Conn) error {
	to := c.cm.Datagrams()
	if to.QPNum != c.Peer.QPNum {
		return fmt.Errorf("rdma_cm resolved QP %#x, but the peer has QP %#x", to.QPNum, c.Peer.QPNum)
	}
	if err := verbs.ActivateCM(c.QP, c.cm, c.Local.PSN); err != nil {
		return &DeviceError{err}
	}
	if r.ah != nil {
		return nil
	}
	ah, err := r.pd.CreateAH(&to.AH)
	if err != nil {
		return &DeviceError{err}
	}
	r.ah, r.qkey = ah, to.QKey
	return nil
}
