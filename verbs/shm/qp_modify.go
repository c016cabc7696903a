package shm

import (
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

func (q *qp) Modify(a *verbs.QPAttr, mask verbs.QPAttrMask) error {
	q.modify.Lock()
	defer q.modify.Unlock()
	if q.closed.Load() {
		return q.err("modify_qp", ebadf, closedText)
	}
	from := verbs.QPState(q.state.Load())
	to := from
	take(mask&verbs.MaskState, &to, a.State)
	if mask == 0 {
		return nil
	}
	if err := q.checkModify(from, to, a, mask); err != nil {
		return err
	}
	switch {
	case to == verbs.QPReset:
		return q.reset()
	case to == verbs.QPErr:
		q.failLocked()
		return nil
	case to == verbs.QPRTR && q.connected():
		if err := q.connect(a); err != nil {
			return err
		}
	}
	q.lock()
	if from != verbs.QPSQD {
		q.attr.EnSQDNotify = false
	}
	q.set(a, mask)
	q.setState(to)
	if to == verbs.QPSQD {
		q.draining = true
		q.endDrain()
	}
	q.unlock()
	if from == verbs.QPSQD {
		q.ctx.engine.schedule(q, true)
	}
	return nil
}

// checkModify returns an error if the transition or its attributes are invalid.
func (q *qp) checkModify(from, to verbs.QPState, a *verbs.QPAttr, mask verbs.QPAttrMask) error {
	why := verbs.CheckModify(q.typ, from, to, mask)
	switch {
	case mask >= verbs.MaskDestQPN<<1:
		return q.err("modify_qp", verbs.ErrNotSupported, mask.String())
	case why != "":
	case from == verbs.QPSQD && to == verbs.QPRTS && q.isDraining():
		why = "the send queue is still draining: wait until sq_draining is false"
	case from == verbs.QPSQD && mask&verbs.MaskAV != 0 && idOf(a.AH.GRH.DGID) != q.peerCtx.Load().id:
		why = "the address vector in SQD must lead to the same device: reset the QP to connect it to another"
	case mask&verbs.MaskCurState != 0 && a.CurState != from:
		why = fmt.Sprintf("cur_qp_state %s: the QP is in %s", a.CurState, from)
	case mask&verbs.MaskQKey != 0 && a.QKey&ownQKey != 0 && !hasNetRaw():
		return q.err("modify_qp", unix.EPERM, fmt.Sprintf("qkey %#x: a Q_Key with the top bit set needs CAP_NET_RAW", a.QKey))
	default:
		if why = checkAttr(a, mask); why == "" {
			return nil
		}
		why = fmt.Sprintf("%s %s to %s: %s", q.typ, from, to, why)
	}
	return q.err("modify_qp", einval, why)
}

// checkAttr returns what is wrong with the attributes in the mask, or "".
func checkAttr(a *verbs.QPAttr, mask verbs.QPAttrMask) string {
	has := func(m verbs.QPAttrMask) bool { return mask&m != 0 }
	switch {
	case has(verbs.MaskPort) && a.PortNum != 1:
		return fmt.Sprintf("port_num %d: the device has port 1", a.PortNum)
	case has(verbs.MaskPKeyIndex) && a.PKeyIndex != 0:
		return fmt.Sprintf("pkey_index %d: the table has one entry", a.PKeyIndex)
	case has(verbs.MaskAccessFlags) && a.AccessFlags&^qpAccessFlags != 0:
		return "qp_access_flags " + a.AccessFlags.String() + ": not all are supported"
	case has(verbs.MaskAltPath):
		return "alt_path: the device has one port and no path migration"
	case has(verbs.MaskPathMigState) && a.PathMigState != verbs.MigMigrated:
		return fmt.Sprintf("path_mig_state %s: the device has no path migration", a.PathMigState)
	case has(verbs.MaskPathMTU) && a.PathMTU.Bytes() == 0:
		return fmt.Sprintf("path_mtu %d is not an MTU", a.PathMTU)
	case has(verbs.MaskAV) && !a.AH.IsGlobal:
		return "is_global 0: the port requires a GRH"
	case has(verbs.MaskAV) && (a.AH.PortNum != 1 || a.AH.GRH.SGIDIndex != 0):
		return "the address vector must have port 1 and sgid_index 0"
	}
	for _, n := range []struct {
		mask         verbs.QPAttrMask
		name         string
		value, limit uint8
	}{
		{verbs.MaskTimeout, "timeout", a.Timeout, 31},
		{verbs.MaskRetryCnt, "retry_cnt", a.RetryCnt, 7},
		{verbs.MaskRNRRetry, "rnr_retry", a.RNRRetry, 7},
		{verbs.MaskMinRNRTimer, "min_rnr_timer", a.MinRNRTimer, 31},
		{verbs.MaskMaxRdAtomic, "max_rd_atomic", a.MaxRdAtomic, maxRdAtom},
		{verbs.MaskMaxDestRdAtomic, "max_dest_rd_atomic", a.MaxDestRdAtomic, maxRdAtom},
	} {
		if has(n.mask) && n.value > n.limit {
			return fmt.Sprintf("%s %d: 0 to %d", n.name, n.value, n.limit)
		}
	}
	return ""
}

// set stores the attributes in the mask and publishes those that peers use.
func (q *qp) set(a *verbs.QPAttr, mask verbs.QPAttrMask) {
	m, e := &q.attr, q.entry
	take(mask&verbs.MaskPKeyIndex, &m.PKeyIndex, a.PKeyIndex)
	take(mask&verbs.MaskPort, &m.PortNum, a.PortNum)
	take(mask&verbs.MaskAccessFlags, &m.AccessFlags, a.AccessFlags)
	take(mask&verbs.MaskQKey, &m.QKey, a.QKey)
	take(mask&verbs.MaskEnSQDNotify, &m.EnSQDNotify, a.EnSQDNotify)
	take(mask&verbs.MaskAV, &m.AH, a.AH)
	take(mask&verbs.MaskPathMTU, &m.PathMTU, a.PathMTU)
	take(mask&verbs.MaskDestQPN, &m.DestQPNum, a.DestQPNum)
	take(mask&verbs.MaskRQPSN, &m.RQPSN, a.RQPSN&psnMask)
	take(mask&verbs.MaskSQPSN, &m.SQPSN, a.SQPSN&psnMask)
	take(mask&verbs.MaskTimeout, &m.Timeout, a.Timeout)
	take(mask&verbs.MaskRetryCnt, &m.RetryCnt, a.RetryCnt)
	take(mask&verbs.MaskRNRRetry, &m.RNRRetry, a.RNRRetry)
	take(mask&verbs.MaskMaxRdAtomic, &m.MaxRdAtomic, a.MaxRdAtomic)
	take(mask&verbs.MaskMaxDestRdAtomic, &m.MaxDestRdAtomic, a.MaxDestRdAtomic)
	take(mask&verbs.MaskMinRNRTimer, &m.MinRNRTimer, a.MinRNRTimer)
	atomic.StoreUint32(&e.access, uint32(m.AccessFlags))
	atomic.StoreUint32(&e.destRdAtom, uint32(m.MaxDestRdAtomic))
	atomic.StoreUint32(&e.minRNRTimer, uint32(m.MinRNRTimer))
}

// take copies one attribute if the mask has it.
func take[T any](in verbs.QPAttrMask, to *T, from T) {
	if in != 0 {
		*to = from
	}
}

const psnMask = 1<<24 - 1

// connect finds the peer's context and publishes the connection before the state becomes RTR. If
// the peer's QP does not exist yet, the first request finds it.
func (q *qp) connect(a *verbs.QPAttr) error {
	id := idOf(a.AH.GRH.DGID)
	r, err := q.ctx.peerContextOf(id)
	if err != nil {
		return q.err("modify_qp", etimedout, unreachable(a.AH.GRH.DGID, err))
	}
	q.peerCtx.Store(r)
	switch {
	case q.completesReceives():
		q.recvCQ.connectReceiver(q, r)
	case q.srq != nil:
		q.recvCQ.connectSRQReceiver(q, r)
	}
	q.linkDown = q.ctx.drawLinkDown()
	e := q.entry
	atomic.StoreUint64(&e.destID, id)
	atomic.StoreUint32(&e.destNum, a.DestQPNum)
	atomic.StoreUint32(&e.rqPSN, a.RQPSN&psnMask)
	if atomic.AddUint32(&e.epoch, 1) == 0 {
		atomic.AddUint32(&e.epoch, 1) // 0 means none; see peerQP.epoch
	}
	return nil
}

// reset moves the QP to RESET. If a peer's requester may still store to the receive queue, the QP
// gets a new one.
func (q *qp) reset() error {
	q.disconnect(verbs.QPReset)
	if q.recvInUseByPeer {
		if err := q.recv.replaceMemory(); err != nil {
			q.recv.closed.Store(true)
			q.setState(verbs.QPErr)
			return q.err("modify_qp", enomem, "the peer's process has stopped within a request, and the QP cannot get a new receive queue: "+err.Error())
		}
		q.publishRecvQueue()
		q.recvInUseByPeer = false
	}
	q.recv.mu.Lock()
	q.recvCQ.mu.Lock()
	q.recv.reset()
	q.generation.Add(1)
	q.recvCQ.mu.Unlock()
	q.recv.mu.Unlock()
	q.commEstRaised = false
	q.sendDone.Store(0) // after purge: until then a polling thread may set it
	return nil
}
