package verbstest

import (
	"github.com/ibperf/ibperf/verbs"
)

var wcStatements = []statement{
	{"WC-2", "wr_id and qp_num are right in failed and flushed completions", failedCompletions},
	{"WC-3", "the opcode names the operation, and distinguishes receives from sends", completionOpcodes},
	{"WC-4", "byte_len is the length of what was received or read", completionLengths},
	{"WC-5", "a receive has the flag for immediate data if, and only if, there is some", immFlag},
	{"WC-6", "a receive of UD has the flag for a GRH", grhFlag},
	{"WC-8", "on RoCE the LID fields are 0, and on UD src_qp is the sender's QP", noLIDs},
	{"WC-9", "no completion has the checksum flag on a device that checks none", noChecksums},
	{"WC-11", "a completion overwrites all valid fields of what was in its place", freshCompletion},
}

func failedCompletions(e *env) {
	a, b := e.pair(conf())
	b.PostRecv(recv{ID: 4}, recv{ID: 5})
	w := send{ID: 1, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
	w.RKey ^= 0x100
	a.Post(w, send{ID: 2, Op: opSend}, send{ID: 3, Op: opRead})
	for id, wc := range a.SendCQ.Next(3) {
		if wc.WRID != uint64(id+1) || wc.QPNum != a.QP.QPNum() || wc.Status == verbs.WCSuccess {
			e.Errorf("%+v", wc)
		}
	}
	for id, wc := range b.RecvCQ.Next(2) {
		if wc.WRID != uint64(id+4) || wc.QPNum != b.QP.QPNum() || wc.Status == verbs.WCSuccess {
			e.Errorf("%+v", wc)
		}
	}
}

// eachTransfer moves a message by every operation and passes the completions to look.
func (e *env) eachTransfer(look func(m *mover, sent, received verbs.WC)) {
	for _, tr := range transfers {
		m := e.mover(tr, conf())
		for _, size := range []int{1, 2000} {
			sent, received := m.move(size, 0, 0)
			look(m, sent, received)
		}
	}
}

func completionOpcodes(e *env) {
	e.eachTransfer(func(m *mover, sent, received verbs.WC) {
		if sent.Opcode != m.sent || received.Opcode != m.received {
			e.Errorf("%s: %s and %s, want %s and %s", m.op, sent.Opcode, received.Opcode, m.sent, m.received)
		}
		if sent.Opcode&verbs.WCRecv != 0 || m.receives && received.Opcode&verbs.WCRecv == 0 {
			e.Errorf("%s: %s and %s: the receive's bit is wrong", m.op, sent.Opcode, received.Opcode)
		}
	})
}

func completionLengths(e *env) {
	for _, tr := range transfers {
		m := e.mover(tr, conf())
		for _, size := range []int{0, 1, 1024, 5000} {
			sent, received := m.move(size, 0, 0)
			if tr.op == opRead && int(sent.ByteLen) != size || tr.receives && int(received.ByteLen) != size {
				e.Errorf("%s of %d bytes: byte_len %d and %d", tr.op, size, sent.ByteLen, received.ByteLen)
			}
		}
	}
}

func immFlag(e *env) {
	e.eachTransfer(func(m *mover, _, received verbs.WC) {
		if m.receives && (received.Flags&verbs.WCWithImm != 0) != m.imm {
			e.Errorf("%s: flags %#x", m.op, received.Flags)
		}
		if m.imm && received.Imm != imm {
			e.Errorf("%s: immediate data %v", m.op, received.Imm)
		}
	})
}

func noLIDs(e *env) {
	if link := e.port(e.open()).LinkLayer; link != verbs.LinkEthernet {
		e.Skipf("the link is %s, not Ethernet", link)
	}
	check := func(what string, wc verbs.WC) {
		if wc.SLID != 0 || wc.SL != 0 || wc.DLIDPathBits != 0 {
			e.Errorf("%s: slid %d, sl %d, dlid_path_bits %d", what, wc.SLID, wc.SL, wc.DLIDPathBits)
		}
	}
	e.eachTransfer(func(m *mover, sent, received verbs.WC) {
		check(m.op.String(), sent)
		check(m.op.String(), received)
	})
	l := e.udPair()
	wc := l.carries(8)
	check("UD", wc)
	if wc.SrcQP != l.a.QP.QPNum() {
		e.Errorf("src_qp %#x, sent by QP %#x", wc.SrcQP, l.a.QP.QPNum())
	}
}

func grhFlag(e *env) {
	l := e.udPair()
	for _, n := range []int{0, 8, 1000} {
		if wc := l.carries(n); wc.Flags&verbs.WCGRH == 0 {
			e.Errorf("a message of %d bytes: flags %#x", n, wc.Flags)
		}
	}
}

// Flags of devices that check IP checksums: IBV_DEVICE_UD_IP_CSUM and RC_IP_CSUM.
const checksCaps verbs.DeviceCapFlags = 1<<18 | 1<<25

func noChecksums(e *env) {
	if caps := e.device(e.open()).DeviceCapFlags & checksCaps; caps != 0 {
		e.Skipf("the device has %s", caps)
	}
	e.eachTransfer(func(m *mover, sent, received verbs.WC) {
		if (sent.Flags|received.Flags)&verbs.WCIPCsum != 0 {
			e.Errorf("%s: flags %#x and %#x", m.op, sent.Flags, received.Flags)
		}
	})
}

func freshCompletion(e *env) {
	rubbish := verbs.WC{
		WRID: 99, Status: verbs.WCFatalErr, Opcode: 77, VendorErr: 99, ByteLen: 99,
		Imm: [4]byte{9, 9, 9, 9}, QPNum: 99, Flags: 0xff, SLID: 99, SL: 99, DLIDPathBits: 99,
	}
	e.eachTransfer(func(m *mover, _, _ verbs.WC) {
		for _, q := range []*queue{m.a.SendCQ, m.b.RecvCQ} {
			for i := range q.WC {
				q.WC[i] = rubbish
			}
		}
		sent, received := m.move(3, 0, 0)
		if sent.QPNum != m.a.QP.QPNum() || sent.Opcode != m.sent || m.op == opRead && sent.ByteLen != 3 {
			e.Errorf("%s: %+v", m.op, sent)
		}
		if m.receives && (received.QPNum != m.b.QP.QPNum() || received.Opcode != m.received ||
			received.ByteLen != 3 || (received.Flags&verbs.WCWithImm != 0) != m.imm) {
			e.Errorf("%s: %+v", m.op, received)
		}
	})
}
