package shm_test

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestFlush covers ERR-2 and QPS-22: everything outstanding, once, in order.
func TestFlush(t *testing.T) {
	for _, device := range devices {
		t.Run(device, func(t *testing.T) {
			c := conf()
			c.device, c.rnrRetry = device, 7
			a, b := pair(t, c)
			for i := range 20 {
				a.mustRecv(t, recv{id: uint64(100 + i)})
				a.mustPost(t, send{id: uint64(i), op: verbs.OpSend, flags: verbs.SendFlags(i%2) * verbs.SendSignaled})
			}
			b.mustPost(t, send{op: verbs.OpSend}) // completes a's first receive
			a.to(t, verbs.QPErr, b)
			for i := range 20 {
				pollOne(t, a.sendCQ, uint64(i), verbs.WCWRFlushErr)
			}
			pollOne(t, a.recvCQ, 100, verbs.WCSuccess)
			for i := 1; i < 20; i++ {
				pollOne(t, a.recvCQ, uint64(100+i), verbs.WCWRFlushErr)
			}
			staysQuiet(t, a.sendCQ)
			pollNone(t, a.recvCQ)
			b.wantState(t, verbs.QPRTS)
		})
	}
}

// TestReset covers QPS-24 and QPS-30.
func TestReset(t *testing.T) {
	for _, via := range []verbs.QPState{verbs.QPRTS, verbs.QPSQD, verbs.QPErr} {
		t.Run("QPS-24 QPS-30 from "+via.String(), func(t *testing.T) {
			c := conf()
			c.rnrRetry, c.cap.MaxSendWR, c.cap.MaxRecvWR = 7, 8, 8
			a, b := pair(t, c)
			num := a.qp.QPNum()
			for range 5 {
				for i := range 8 {
					a.mustPost(t, send{id: uint64(i), op: verbs.OpSend, flags: verbs.SendSignaled})
					a.mustRecv(t, recv{id: uint64(i)})
				}
				if via != verbs.QPRTS {
					a.to(t, via, b)
				}
				a.to(t, verbs.QPReset, b)
				pollNone(t, a.sendCQ)
				pollNone(t, a.recvCQ)
				b.to(t, verbs.QPReset, a)
				connect(t, a, b)
				b.mustRecv(t, recv{id: 50})
				a.mustRecv(t, recv{id: 51})
				a.mustPost(t, send{id: 60, op: verbs.OpSend, flags: verbs.SendSignaled})
				b.mustPost(t, send{id: 61, op: verbs.OpSend, flags: verbs.SendSignaled})
				pollOne(t, a.sendCQ, 60, verbs.WCSuccess)
				pollOne(t, b.sendCQ, 61, verbs.WCSuccess)
				pollOne(t, a.recvCQ, 51, verbs.WCSuccess)
				pollOne(t, b.recvCQ, 50, verbs.WCSuccess)
			}
			if a.qp.QPNum() != num {
				t.Errorf("qp_num changed from %#x to %#x", num, a.qp.QPNum())
			}
		})
	}
}

// TestRecoverAfterFailure goes through many failures on one pair at once.
func TestRecoverAfterFailure(t *testing.T) {
	a, b := pair(t, conf())
	for range 200 {
		w := send{id: 1, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
		w.rkey++
		a.mustPost(t, w)
		pollOne(t, a.sendCQ, 1, verbs.WCRemAccessErr)
		a.to(t, verbs.QPReset, b)
		b.to(t, verbs.QPReset, a)
		connect(t, a, b)
		a.mustPost(t, send{id: 2, flags: verbs.SendSignaled}.toward(b, 0))
		pollOne(t, a.sendCQ, 2, verbs.WCSuccess)
	}
}

// TestRecoverAfterTimeout: the failure is found by the device's own thread.
func TestRecoverAfterTimeout(t *testing.T) {
	c := conf()
	c.timeout, c.retry = 1, 0
	a, b := pair(t, c)
	for range 200 {
		b.to(t, verbs.QPReset, a)
		a.mustPost(t, send{id: 1}.toward(b, 0))
		pollOne(t, a.sendCQ, 1, verbs.WCRetryExcErr)
		a.to(t, verbs.QPReset, b)
		connect(t, a, b)
		a.mustPost(t, send{id: 2, flags: verbs.SendSignaled}.toward(b, 0))
		pollOne(t, a.sendCQ, 2, verbs.WCSuccess)
	}
}

// TestQPNumbers covers QPS-36.
func TestQPNumbers(t *testing.T) {
	s := newSide(t, conf())
	seen := map[uint32]bool{s.qp.QPNum(): true}
	for range 300 {
		init := verbs.QPInitAttr{SendCQ: s.sendCQ, RecvCQ: s.recvCQ, Type: verbs.QPTypeRC}
		qp := must(s.pd.CreateQP(&init))(t)
		n := qp.QPNum()
		if seen[n] || n == 0 || n >= 1<<24 {
			t.Fatalf("qp_num %#x, used before: %v", n, seen[n])
		}
		seen[n] = true
		noError(t, qp.Close())
	}
}

// TestAccessChangedInRTS covers QPS-33.
func TestAccessChangedInRTS(t *testing.T) {
	a, b := pair(t, conf())
	a.warmUp(t, b)
	noError(t, b.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState|verbs.MaskAccessFlags))
	a.mustPost(t, send{id: 1}.toward(b, 0))
	pollOne(t, a.sendCQ, 1, verbs.WCRemInvReqErr)
}

// TestReadWithoutDepth covers RMA-14.
func TestReadWithoutDepth(t *testing.T) {
	c := conf()
	c.rdAtomic = 0
	a, b := pair(t, c)
	if _, err := a.post(readEight(t, a, b)); err == nil {
		t.Error("READ posted with max_rd_atomic 0")
	}
	a.wantState(t, verbs.QPRTS)
}

// TestManyReads covers RMA-11: more than may be outstanding, in order.
func TestManyReads(t *testing.T) {
	for _, device := range devices {
		t.Run("RMA-11/"+device, func(t *testing.T) {
			c := conf()
			c.device, c.rdAtomic, c.destRdAtomic = device, 2, 2
			a, b := pair(t, c)
			fill(b.mem, 5)
			for i := range 50 {
				a.mustPost(t, send{
					id: uint64(i), op: verbs.OpRDMARead, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(100*i, 100)},
				}.toward(b, 100*i))
			}
			for i := range 50 {
				pollOne(t, a.sendCQ, uint64(i), verbs.WCSuccess)
			}
			wantBytes(t, a.mem[:5000], string(b.mem[:5000]))
		})
	}
}
