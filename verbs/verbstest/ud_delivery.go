package verbstest

import (
	"fmt"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// qkeyViolation sends a message with a wrong Q_Key and checks that it is lost,
// and that the port counts it.
func qkeyViolation(e *env) {
	l := e.lane()
	before := e.port(l.b.ctx).QKeyViolCntr
	w := l.message(1, 8)
	w.qkey ^= 1
	if l.arrives(w) {
		e.Error("it arrived")
	}
	e.eventually("the port counts it", func() bool { return e.port(l.b.ctx).QKeyViolCntr != before })
	if got := e.port(l.b.ctx).QKeyViolCntr; got != before+1 {
		e.Errorf("qkey_viol_cntr %d after %d", got, before)
	}
	l.a.isIn(verbs.QPRTS)
	l.b.isIn(verbs.QPRTS)
}

func wrongQKey(e *env) { qkeyViolation(e) }

const topBit = 1 << 31

func sendersQKey(e *env) {
	l := e.lane()
	w := l.message(1, 8)
	w.qkey = topBit | 0x55
	agree(e, "Q13", "arrives", l.arrives(w), true, false)
}

func privilegedQKey(e *env) {
	l := e.lane()
	set := func() error { return l.b.qp.Modify(&verbs.QPAttr{QKey: topBit | 5}, verbs.MaskQKey) }
	e.refused("as anybody", e.withoutNetRaw(set), syscall.EPERM)
	if got := l.b.query().QKey; got != l.b.conf.qkey {
		e.Errorf("the Q_Key is %#x, not %#x any more", got, l.b.conf.qkey)
	}
	if e.hasNetRaw() {
		e.ok(set())
		if got := l.b.query().QKey; got != topBit|5 {
			e.Errorf("the Q_Key is %#x", got)
		}
	}
	e.ok(e.withoutNetRaw(func() error { return l.b.qp.Modify(&verbs.QPAttr{QKey: 5}, verbs.MaskQKey) }))
}

func lostMessages(e *env) {
	l := e.lane()
	gone := e.sideOn(l.b.ctx, l.b.conf)
	w := l.message(1, 8).by(l.ah, gone)
	e.close(gone.qp)
	if l.arrives(w) {
		e.Error("a message to a QP that is gone came to another")
	}
	// What goes to a second QP by the same way comes later than what is lost here.
	second := e.sideOn(l.b.ctx, l.b.conf)
	second.enter(verbs.QPRTS, l.a)
	l.post(l.message(1, 8))
	l.post(l.message(2, 8))
	second.room(3, 8)
	l.post(l.message(3, 8).by(l.ah, second))
	second.recvCQ.gives(3, verbs.WCSuccess)
	l.b.recvCQ.empty()
	if !l.arrives(l.message(4, 8)) {
		e.Error("later messages are lost")
	}
}

func fullMTU(e *env) {
	l := e.lane()
	mtu := e.port(l.a.ctx).ActiveMTU.Bytes()
	for _, n := range []int{mtu - 1, mtu} {
		if wc := l.carries(n); wc.ByteLen != uint32(verbs.GRHSize+n) {
			e.Errorf("a message of %d bytes: byte_len %d", n, wc.ByteLen)
		}
	}
}

func aboveMTU(e *env) {
	mtu := e.port(e.open()).ActiveMTU.Bytes()
	for _, n := range []int{mtu + 1, 3 * mtu} {
		l := e.lane()
		fill(l.a.mem[:n], 1)
		l.b.room(1, 4*mtu)
		l.a.post(l.message(1, n))
		switch wc := l.a.sendCQ.of(1); wc.Status {
		case verbs.WCLocLenErr:
			l.b.recvCQ.staysEmpty()
		case verbs.WCSuccess:
			l.post(l.marker(2))
			if wc := l.b.recvCQ.gives(1, verbs.WCSuccess); wc.Flags&verbs.WCWithImm == 0 {
				e.Errorf("%d bytes of %d arrived", wc.ByteLen-verbs.GRHSize, n)
			}
		default:
			e.Errorf("%d bytes end in %s", n, wc.Status)
		}
		if touched(l.b.mem[verbs.GRHSize:][:4*mtu]) {
			e.Errorf("a part of %d bytes arrived", n)
		}
	}
}

// tooShortForMessage: devices may drop the message and keep the receive, or end the QP.
func tooShortForMessage(e *env) {
	l := e.lane()
	l.b.room(1, 8)
	l.post(l.message(1, 9))
	l.post(l.marker(2))
	got := "as specified"
	switch wc := l.b.recvCQ.of(1); {
	case wc.Status == verbs.WCSuccess && wc.Flags&verbs.WCWithImm != 0:
	case wc.Status == verbs.WCLocLenErr:
		l.b.comesTo(verbs.QPErr)
	default:
		got = fmt.Sprintf("%s with %d bytes", wc.Status, wc.ByteLen)
		if wc.Status == verbs.WCLocQPOpErr {
			l.b.comesTo(verbs.QPErr)
			got = "LOC_QP_OP_ERR, QP in ERR"
		}
	}
	agree(e, "Q25", "9 bytes into 8", got, "as specified", "LOC_QP_OP_ERR, QP in ERR")
}

func badMessage(e *env) {
	l := e.lane()
	w := l.message(1, 8)
	w.sges[0].LKey ^= 0x100
	l.b.room(1, 8)
	l.a.post(w)
	l.a.failsHere(1, verbs.WCLocProtErr, wrongKey)
	state := verbs.QPSQE
	if e.quirk("Q07") {
		state = verbs.QPErr
	}
	l.a.comesTo(state)
	l.a.post(l.message(2, 8))
	l.a.sendCQ.gives(2, verbs.WCWRFlushErr)
	l.b.recvCQ.staysEmpty()
}

func manyPeers(e *env) {
	l := e.lane()
	for range 3 {
		other := e.side(l.b.conf)
		other.enter(verbs.QPRTS, l.a)
		(&lane{env: e, a: l.a, b: other, ah: l.a.handle(other)}).carries(16)
	}
	l.carries(16)
	fresh := e.side(l.a.conf)
	fresh.enter(verbs.QPInit, l.b)
	for _, bit := range []verbs.QPAttrMask{verbs.MaskAV, verbs.MaskDestQPN} {
		attr := &verbs.QPAttr{State: verbs.QPRTR, AH: fresh.addressOf(l.b), DestQPNum: l.b.qp.QPNum()}
		e.refused("RTR with "+bit.String(), fresh.qp.Modify(attr, verbs.MaskState|bit), syscall.EINVAL)
	}
	fresh.isIn(verbs.QPInit)
}

func deafToRC(e *env) {
	rc, ud := e.side(conf().impatient()), e.side(conf().of(verbs.QPTypeUD))
	ud.enter(verbs.QPRTS, rc)
	ud.room(1, 8)
	rc.enter(verbs.QPRTS, ud)
	rc.unanswered()
	ud.recvCQ.empty()
	ud.isIn(verbs.QPRTS)
}
