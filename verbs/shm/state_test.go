package shm_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// inState makes a connected pair of which a is in the state; b is in RTS.
func inState(t *testing.T, c config, state verbs.QPState) (a, b *side) {
	t.Helper()
	a, b = newSide(t, c), newSide(t, c)
	path := map[verbs.QPState][]verbs.QPState{
		verbs.QPReset: nil,
		verbs.QPInit:  {verbs.QPInit},
		verbs.QPRTR:   {verbs.QPInit, verbs.QPRTR},
		verbs.QPRTS:   {verbs.QPInit, verbs.QPRTR, verbs.QPRTS},
		verbs.QPSQD:   {verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD},
		verbs.QPErr:   {verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPErr},
	}
	for _, s := range path[verbs.QPRTS] {
		b.to(t, s, a)
	}
	for _, s := range path[state] {
		a.to(t, s, b)
	}
	return a, b
}

var states = []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD, verbs.QPErr}

// TestMoves covers QPS-1, QPS-2, QPS-5, QPS-6, QPS-7 and QPS-35: every move with
// its full mask succeeds or leaves the state as it is.
func TestMoves(t *testing.T) {
	for _, from := range states {
		for _, to := range append(states, verbs.QPSQE, 7) {
			t.Run(fmt.Sprintf("%s to %s", from, to), func(t *testing.T) {
				a, b := inState(t, conf(), from)
				a.wantState(t, from)
				attr, mask := a.move(t, to, b)
				if from == to || from == verbs.QPSQD {
					mask = verbs.MaskState // the attributes of the first move are not allowed again
				}
				want := from
				if verbs.CheckModify(verbs.QPTypeRC, from, to, mask) == "" {
					want = to
					noError(t, a.qp.Modify(attr, mask))
				} else {
					wantErrno(t, a.qp.Modify(attr, mask), syscall.EINVAL)
				}
				a.wantState(t, want)
				noError(t, a.qp.Close())
			})
		}
	}
}

// TestMissingAndExtraBits covers QPS-3 and QPS-4 through the device.
func TestMissingAndExtraBits(t *testing.T) {
	for from, to := range map[verbs.QPState]verbs.QPState{
		verbs.QPReset: verbs.QPInit, verbs.QPInit: verbs.QPRTR, verbs.QPRTR: verbs.QPRTS,
	} {
		a, b := inState(t, conf(), from)
		attr, mask := a.move(t, to, b)
		before, _, err := a.qp.Query(0)
		noError(t, err)
		for bit := verbs.QPAttrMask(2); bit <= verbs.MaskDestQPN; bit <<= 1 {
			if mask&bit == 0 {
				continue
			}
			t.Run(fmt.Sprintf("QPS-3 %s to %s without %s", from, to, bit), func(t *testing.T) {
				wantErrno(t, a.qp.Modify(attr, mask&^bit), syscall.EINVAL)
				if after, _, _ := a.qp.Query(0); after != before {
					t.Errorf("attributes changed from %+v to %+v", before, after)
				}
			})
		}
		t.Run(fmt.Sprintf("QPS-4 %s to %s with more", from, to), func(t *testing.T) {
			for _, extra := range []verbs.QPAttrMask{verbs.MaskQKey, verbs.MaskCap, verbs.MaskEnSQDNotify} {
				wantErrno(t, a.qp.Modify(attr, mask|extra), syscall.EINVAL)
			}
			for _, unknown := range []verbs.QPAttrMask{1 << 21, 1 << 25, 1 << 31} {
				wantErrno(t, a.qp.Modify(attr, mask|unknown), verbs.ErrNotSupported)
			}
			a.wantState(t, from)
		})
	}
}

// TestValues covers QPS-8 to QPS-12 and QPS-32: one bad value in an otherwise good move.
func TestValues(t *testing.T) {
	cases := []struct {
		name  string
		from  verbs.QPState
		to    verbs.QPState
		spoil func(a *verbs.QPAttr, mask *verbs.QPAttrMask)
	}{
		{"QPS-9 port 0", verbs.QPReset, verbs.QPInit, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.PortNum = 0 }},
		{"QPS-9 port 2", verbs.QPReset, verbs.QPInit, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.PortNum = 2 }},
		{"QPS-12 pkey_index", verbs.QPReset, verbs.QPInit, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.PKeyIndex = 1 }},
		{"QPS-12 access flags", verbs.QPReset, verbs.QPInit, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.AccessFlags = 0x8000 }},
		{"QPS-9 ah port", verbs.QPInit, verbs.QPRTR, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.AH.PortNum = 0 }},
		{"QPS-10 no GRH", verbs.QPInit, verbs.QPRTR, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.AH.IsGlobal = false }},
		{"QPS-10 sgid_index", verbs.QPInit, verbs.QPRTR, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.AH.GRH.SGIDIndex = 1 }},
		{"QPS-12 path_mtu 0", verbs.QPInit, verbs.QPRTR, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.PathMTU = 0 }},
		{"QPS-11 path_mtu 6", verbs.QPInit, verbs.QPRTR, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.PathMTU = 6 }},
		{"QPS-12 max_dest_rd_atomic", verbs.QPInit, verbs.QPRTR, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.MaxDestRdAtomic = 129 }},
		{"QPS-12 min_rnr_timer", verbs.QPInit, verbs.QPRTR, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.MinRNRTimer = 32 }},
		{"QPS-32 ALT_PATH", verbs.QPInit, verbs.QPRTR, func(_ *verbs.QPAttr, m *verbs.QPAttrMask) { *m |= verbs.MaskAltPath }},
		{"QPS-11 timeout", verbs.QPRTR, verbs.QPRTS, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.Timeout = 32 }},
		{"QPS-12 retry_cnt", verbs.QPRTR, verbs.QPRTS, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.RetryCnt = 8 }},
		{"QPS-12 rnr_retry", verbs.QPRTR, verbs.QPRTS, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.RNRRetry = 8 }},
		{"QPS-11 max_rd_atomic", verbs.QPRTR, verbs.QPRTS, func(a *verbs.QPAttr, _ *verbs.QPAttrMask) { a.MaxRdAtomic = 129 }},
		{"QPS-8 cur_qp_state INIT", verbs.QPRTR, verbs.QPRTS, func(a *verbs.QPAttr, m *verbs.QPAttrMask) {
			*m |= verbs.MaskCurState
			a.CurState = verbs.QPInit
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a, b := inState(t, conf(), c.from)
			attr, mask := a.move(t, c.to, b)
			c.spoil(attr, &mask)
			wantErrno(t, a.qp.Modify(attr, mask), syscall.EINVAL)
			a.wantState(t, c.from)
		})
	}
	t.Run("QPS-8 cur_qp_state RTS", func(t *testing.T) {
		a, _ := inState(t, conf(), verbs.QPRTS)
		noError(t, a.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS, CurState: verbs.QPRTS}, verbs.MaskState|verbs.MaskCurState))
	})
	t.Run("E-12 no such peer", func(t *testing.T) {
		a, b := inState(t, conf(), verbs.QPInit)
		attr, mask := a.move(t, verbs.QPRTR, b)
		attr.AH.GRH.DGID[15] ^= 2
		wantErrno(t, a.qp.Modify(attr, mask), syscall.ETIMEDOUT)
		a.wantState(t, verbs.QPInit)
		a.to(t, verbs.QPRTR, b)
	})
}

// TestPostByState covers QPS-14 and QPS-17 to QPS-21.
func TestPostByState(t *testing.T) {
	for _, state := range states {
		t.Run("QPS-17 QPS-20 post_send in "+state.String(), func(t *testing.T) {
			a, b := inState(t, conf(), state)
			bad, err := a.post(send{id: 1}.toward(b, 0))
			switch state {
			case verbs.QPReset, verbs.QPInit, verbs.QPRTR:
				wantErrno(t, err, syscall.EINVAL)
				if bad != 0 {
					t.Errorf("bad_wr is %d", bad)
				}
			case verbs.QPErr:
				noError(t, err)
				pollOne(t, a.sendCQ, 1, verbs.WCWRFlushErr)
			default:
				noError(t, err)
			}
			pollNone(t, a.sendCQ)
		})
		t.Run("QPS-18 QPS-21 post_recv in "+state.String(), func(t *testing.T) {
			a, _ := inState(t, conf(), state)
			bad, err := a.postRecv(recv{id: 1})
			switch state {
			case verbs.QPReset:
				wantErrno(t, err, syscall.EINVAL)
				if bad != 0 {
					t.Errorf("bad_wr is %d", bad)
				}
			case verbs.QPErr:
				noError(t, err)
				pollOne(t, a.recvCQ, 1, verbs.WCWRFlushErr)
			default:
				noError(t, err)
			}
			pollNone(t, a.recvCQ)
		})
	}
	t.Run("QPS-13 QPS-14 QPS-18 a QP in RTR receives", func(t *testing.T) {
		a, b := inState(t, conf(), verbs.QPInit)
		a.mustRecv(t, recv{id: 5})
		a.to(t, verbs.QPRTR, b)
		b.mustPost(t, send{op: verbs.OpSend, flags: verbs.SendSignaled}, send{flags: verbs.SendSignaled}.toward(a, 0))
		poll(t, b.sendCQ, 2)
		pollOne(t, a.recvCQ, 5, verbs.WCSuccess)
	})
	t.Run("QPS-19 QPS-26 SQD holds sends and goes on receiving", func(t *testing.T) {
		a, b := inState(t, conf(), verbs.QPSQD)
		a.mustRecv(t, recv{id: 5})
		a.mustPost(t, send{id: 1, flags: verbs.SendSignaled}.toward(b, 0), send{id: 2, flags: verbs.SendSignaled}.toward(b, 0))
		b.mustPost(t, send{op: verbs.OpSend, flags: verbs.SendSignaled})
		pollOne(t, a.recvCQ, 5, verbs.WCSuccess)
		staysQuiet(t, a.sendCQ)
		noError(t, a.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
		pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
		pollOne(t, a.sendCQ, 2, verbs.WCSuccess)
	})
}
