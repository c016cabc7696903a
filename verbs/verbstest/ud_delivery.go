package verbstest

import (
	"fmt"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// qkeyViolation sends a message with a wrong Q_Key and checks that it is lost,
// and that the port counts it.
func qkeyViolation(e *env) {
	l := e.udPair()
	before := e.port(l.b.Ctx).QKeyViolCntr
	w := l.message(1, 8)
	w.QKey ^= 1
	if l.arrives(w) {
		e.Error("it arrived")
	}
	fixture.Eventually(e, "the port counts it", func() bool { return e.port(l.b.Ctx).QKeyViolCntr != before })
	if got := e.port(l.b.Ctx).QKeyViolCntr; got != before+1 {
		e.Errorf("qkey_viol_cntr %d after %d", got, before)
	}
	l.a.IsIn(verbs.QPRTS)
	l.b.IsIn(verbs.QPRTS)
}

func wrongQKey(e *env) { qkeyViolation(e) }

const topBit = 1 << 31

func sendersQKey(e *env) {
	l := e.udPair()
	w := l.message(1, 8)
	w.QKey = topBit | 0x55
	checkValue(e, "Q13", "arrives", l.arrives(w), true, false)
}

func privilegedQKey(e *env) {
	l := e.udPair()
	set := func() error { return l.b.QP.Modify(&verbs.QPAttr{QKey: topBit | 5}, verbs.MaskQKey) }
	e.refused("as anybody", e.withoutNetRaw(set), syscall.EPERM)
	if got := l.b.Query().QKey; got != l.b.Config.QKey {
		e.Errorf("the Q_Key is %#x, not %#x any more", got, l.b.Config.QKey)
	}
	if e.hasNetRaw() {
		e.ok(set())
		if got := l.b.Query().QKey; got != topBit|5 {
			e.Errorf("the Q_Key is %#x", got)
		}
	}
	e.ok(e.withoutNetRaw(func() error { return l.b.QP.Modify(&verbs.QPAttr{QKey: 5}, verbs.MaskQKey) }))
}

func lostMessages(e *env) {
	l := e.udPair()
	gone := e.sideOn(l.b.Ctx, l.b.Config)
	w := l.message(1, 8).ToUD(l.ah, gone)
	e.close(gone.QP)
	if l.arrives(w) {
		e.Error("a message to a QP that is gone came to another")
	}
	// A message to a second QP on the same path arrives after the lost one would have.
	second := e.sideOn(l.b.Ctx, l.b.Config)
	second.Enter(verbs.QPRTS, l.a)
	l.post(l.message(1, 8))
	l.post(l.message(2, 8))
	second.room(3, 8)
	l.post(l.message(3, 8).ToUD(l.ah, second))
	second.RecvCQ.Expect(3, verbs.WCSuccess)
	l.b.RecvCQ.ExpectEmpty()
	if !l.arrives(l.message(4, 8)) {
		e.Error("later messages are lost")
	}
}

func fullMTU(e *env) {
	l := e.udPair()
	mtu := e.port(l.a.Ctx).ActiveMTU.Bytes()
	for _, n := range []int{mtu - 1, mtu} {
		if wc := l.carries(n); wc.ByteLen != uint32(verbs.GRHSize+n) {
			e.Errorf("a message of %d bytes: byte_len %d", n, wc.ByteLen)
		}
	}
}

func aboveMTU(e *env) {
	mtu := e.port(e.open()).ActiveMTU.Bytes()
	for _, n := range []int{mtu + 1, 3 * mtu} {
		l := e.udPair()
		fixture.Fill(l.a.Mem[:n], 1)
		l.b.room(1, 4*mtu)
		l.a.Post(l.message(1, n))
		switch wc := l.a.SendCQ.WaitFor(1); wc.Status {
		case verbs.WCLocLenErr:
			l.b.RecvCQ.StaysEmpty()
		case verbs.WCSuccess:
			l.post(l.marker(2))
			if wc := l.b.RecvCQ.Expect(1, verbs.WCSuccess); wc.Flags&verbs.WCWithImm == 0 {
				e.Errorf("%d bytes of %d arrived", wc.ByteLen-verbs.GRHSize, n)
			}
		default:
			e.Errorf("%d bytes end in %s", n, wc.Status)
		}
		if touched(l.b.Mem[verbs.GRHSize:][:4*mtu]) {
			e.Errorf("a part of %d bytes arrived", n)
		}
	}
}

// tooShortForMessage: devices may drop the message and keep the receive, or end the QP.
func tooShortForMessage(e *env) {
	l := e.udPair()
	l.b.room(1, 8)
	l.post(l.message(1, 9))
	l.post(l.marker(2))
	got := "as specified"
	switch wc := l.b.RecvCQ.WaitFor(1); {
	case wc.Status == verbs.WCSuccess && wc.Flags&verbs.WCWithImm != 0:
	case wc.Status == verbs.WCLocLenErr:
		l.b.Reaches(verbs.QPErr)
	default:
		got = fmt.Sprintf("%s with %d bytes", wc.Status, wc.ByteLen)
		if wc.Status == verbs.WCLocQPOpErr {
			l.b.Reaches(verbs.QPErr)
			got = "LOC_QP_OP_ERR, QP in ERR"
		}
	}
	checkValue(e, "Q25", "9 bytes into 8", got, "as specified", "LOC_QP_OP_ERR, QP in ERR")
}

func badMessage(e *env) {
	l := e.udPair()
	w := l.message(1, 8)
	w.SGEs[0].LKey ^= 0x100
	l.b.room(1, 8)
	l.a.Post(w)
	l.a.failsLocally(1, verbs.WCLocProtErr, quirkLKeyStatus)
	state := verbs.QPSQE
	if e.hasQuirk("Q07") {
		state = verbs.QPErr
	}
	l.a.Reaches(state)
	l.a.Post(l.message(2, 8))
	l.a.SendCQ.Expect(2, verbs.WCWRFlushErr)
	l.b.RecvCQ.StaysEmpty()
}

func manyPeers(e *env) {
	l := e.udPair()
	for range 3 {
		other := e.side(l.b.Config)
		other.Enter(verbs.QPRTS, l.a)
		(&udPair{env: e, a: l.a, b: other, ah: l.a.handle(other)}).carries(16)
	}
	l.carries(16)
	fresh := e.side(l.a.Config)
	fresh.Enter(verbs.QPInit, l.b)
	for _, bit := range []verbs.QPAttrMask{verbs.MaskAV, verbs.MaskDestQPN} {
		attr := &verbs.QPAttr{State: verbs.QPRTR, AH: fresh.AddressOf(l.b), DestQPNum: l.b.QP.QPNum()}
		e.refused("RTR with "+bit.String(), fresh.QP.Modify(attr, verbs.MaskState|bit), syscall.EINVAL)
	}
	fresh.IsIn(verbs.QPInit)
}

func deafToRC(e *env) {
	rc, ud := e.side(conf().ShortTimeout()), e.side(conf().WithType(verbs.QPTypeUD))
	ud.Enter(verbs.QPRTS, rc)
	ud.room(1, 8)
	rc.Enter(verbs.QPRTS, ud)
	rc.timesOut()
	ud.RecvCQ.ExpectEmpty()
	ud.IsIn(verbs.QPRTS)
}
