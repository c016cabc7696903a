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
	if mask&verbs.MaskState != 0 {
		to = a.State
	}
	if mask == 0 {
		return nil
	}
	if err := q.checkModify(from, to, a, mask); err != nil {
		return err
	}
	switch {
	case to == verbs.QPReset:
		q.reset()
		return nil
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
		q.ctx.engine.queueUp(q, true)
	}
	return nil
}

// checkModify tells what is wrong with the move or its attributes.
func (q *qp) checkModify(from, to verbs.QPState, a *verbs.QPAttr, mask verbs.QPAttrMask) error {
	if mask >= verbs.MaskDestQPN<<1 {
		return q.err("modify_qp", verbs.ErrNotSupported, mask.String())
	}
	if why := verbs.CheckModify(q.typ, from, to, mask); why != "" {
		return q.err("modify_qp", einval, why)
	}
	if from == verbs.QPSQD && to == verbs.QPRTS && q.drains() {
		return q.err("modify_qp", einval, "the send queue is still draining: wait until sq_draining is false")
	}
	if from == verbs.QPSQD && mask&verbs.MaskAV != 0 && idOf(a.AH.GRH.DGID) != q.remote.Load().id {
		return q.err("modify_qp", einval, "the address vector in SQD must lead to the same device: reset the QP to connect it to another")
	}
	if mask&verbs.MaskCurState != 0 && a.CurState != from {
		return q.err("modify_qp", einval, fmt.Sprintf("cur_qp_state %s: the QP is in %s", a.CurState, from))
	}
	if !qkeyAllowed(a, mask) {
		return q.err("modify_qp", unix.EPERM, fmt.Sprintf("qkey %#x: one with the top bit needs CAP_NET_RAW", a.QKey))
	}
	if why := checkAttr(a, mask); why != "" {
		return q.err("modify_qp", einval, fmt.Sprintf("%s %s to %s: %s", q.typ, from, to, why))
	}
	return nil
}

// checkAttr checks the values of the attributes in the mask.
func checkAttr(a *verbs.QPAttr, mask verbs.QPAttrMask) string {
	has := func(m verbs.QPAttrMask) bool { return mask&m != 0 }
	switch {
	case has(verbs.MaskPort) && a.PortNum != 1:
		return fmt.Sprintf("port_num %d: the device has port 1", a.PortNum)
	case has(verbs.MaskPKeyIndex) && a.PKeyIndex != 0:
		return fmt.Sprintf("pkey_index %d: the table has one entry", a.PKeyIndex)
	case has(verbs.MaskAccessFlags) && a.AccessFlags&^knownRights != 0:
		return "qp_access_flags " + a.AccessFlags.String()
	case has(verbs.MaskAltPath):
		return "alt_path: the device has one port and no path migration"
	case has(verbs.MaskPathMigState) && a.PathMigState != verbs.MigMigrated:
		return fmt.Sprintf("path_mig_state %s: the device has no path migration", a.PathMigState)
	case has(verbs.MaskPathMTU) && a.PathMTU.Bytes() == 0:
		return fmt.Sprintf("path_mtu %d", a.PathMTU)
	case has(verbs.MaskAV) && !a.AH.IsGlobal:
		return "is_global 0: the port requires a GRH"
	case has(verbs.MaskAV) && (a.AH.PortNum != 1 || a.AH.GRH.SGIDIndex != 0):
		return "the address vector's port is 1 and its sgid_index 0"
	case has(verbs.MaskTimeout) && a.Timeout > 31:
		return fmt.Sprintf("timeout %d: 0 to 31", a.Timeout)
	case has(verbs.MaskRetryCnt) && a.RetryCnt > 7:
		return fmt.Sprintf("retry_cnt %d: 0 to 7", a.RetryCnt)
	case has(verbs.MaskRNRRetry) && a.RNRRetry > 7:
		return fmt.Sprintf("rnr_retry %d: 0 to 7", a.RNRRetry)
	case has(verbs.MaskMinRNRTimer) && a.MinRNRTimer > 31:
		return fmt.Sprintf("min_rnr_timer %d: 0 to 31", a.MinRNRTimer)
	case has(verbs.MaskMaxRdAtomic) && a.MaxRdAtomic > maxRdAtom:
		return fmt.Sprintf("max_rd_atomic %d: 0 to %d", a.MaxRdAtomic, maxRdAtom)
	case has(verbs.MaskMaxDestRdAtomic) && a.MaxDestRdAtomic > maxRdAtom:
		return fmt.Sprintf("max_dest_rd_atomic %d: 0 to %d", a.MaxDestRdAtomic, maxRdAtom)
	}
	return ""
}

// set takes over the attributes in the mask and shows peers what concerns them.
func (q *qp) set(a *verbs.QPAttr, mask verbs.QPAttrMask) {
	m, e := &q.attr, q.entry
	take := func(bit verbs.QPAttrMask, f func()) {
		if mask&bit != 0 {
			f()
		}
	}
	take(verbs.MaskPKeyIndex, func() { m.PKeyIndex = a.PKeyIndex })
	take(verbs.MaskPort, func() { m.PortNum = a.PortNum })
	take(verbs.MaskAccessFlags, func() {
		m.AccessFlags = a.AccessFlags
		atomic.StoreUint32(&e.access, uint32(a.AccessFlags))
	})
	take(verbs.MaskQKey, func() { m.QKey = a.QKey })
	take(verbs.MaskEnSQDNotify, func() { m.EnSQDNotify = a.EnSQDNotify })
	take(verbs.MaskAV, func() { m.AH = a.AH })
	take(verbs.MaskPathMTU, func() { m.PathMTU = a.PathMTU })
	take(verbs.MaskDestQPN, func() { m.DestQPNum = a.DestQPNum })
	take(verbs.MaskRQPSN, func() { m.RQPSN = a.RQPSN & psnMask })
	take(verbs.MaskSQPSN, func() { m.SQPSN = a.SQPSN & psnMask })
	take(verbs.MaskTimeout, func() { m.Timeout = a.Timeout })
	take(verbs.MaskRetryCnt, func() { m.RetryCnt = a.RetryCnt })
	take(verbs.MaskRNRRetry, func() { m.RNRRetry = a.RNRRetry })
	take(verbs.MaskMaxRdAtomic, func() { m.MaxRdAtomic = a.MaxRdAtomic })
	take(verbs.MaskMaxDestRdAtomic, func() {
		m.MaxDestRdAtomic = a.MaxDestRdAtomic
		atomic.StoreUint32(&e.destRdAtom, uint32(a.MaxDestRdAtomic))
	})
	take(verbs.MaskMinRNRTimer, func() {
		m.MinRNRTimer = a.MinRNRTimer
		atomic.StoreUint32(&e.minRNRTimer, uint32(a.MinRNRTimer))
	})
}

const psnMask = 1<<24 - 1

// connect finds the peer's context and shows it, before the state says RTR, to
// whom this QP answers. A peer that is there but has no such QP yet is found later.
func (q *qp) connect(a *verbs.QPAttr) error {
	id := idOf(a.AH.GRH.DGID)
	r, err := q.ctx.remoteOf(id)
	if err != nil {
		return q.err("modify_qp", etimedout, unreachable(a.AH.GRH.DGID, err))
	}
	q.remote.Store(r)
	q.down = q.ctx.comesDown()
	e := q.entry
	atomic.StoreUint64(&e.destID, id)
	atomic.StoreUint32(&e.destNum, a.DestQPNum)
	atomic.StoreUint32(&e.rqPSN, a.RQPSN&psnMask)
	atomic.AddUint32(&e.epoch, 1)
	return nil
}

// reset takes the QP to RESET: all work and all completions of it are gone.
func (q *qp) reset() {
	q.lock()
	q.setState(verbs.QPReset)
	q.pendHead, q.pendTail = 0, 0
	q.broken, q.draining, q.leaving = false, false, nil
	q.unlock()
	q.awaitPeerOut()
	if q.sharing() {
		q.reclaimReceives()
	}
	q.sendCQ.purge(q)
	q.recvCQ.purge(q)
	q.recv.mu.Lock()
	q.recvCQ.mu.Lock()
	q.recv.reset()
	q.life.Add(1)
	q.recvCQ.mu.Unlock()
	q.recv.mu.Unlock()
	q.disconnect()
	q.lock()
	q.attr, q.posted = verbs.QPAttr{}, 0
	q.reached = false
	q.sendDone.Store(0) // after purge: until then a thread that polls may set it
	q.unlock()
}
