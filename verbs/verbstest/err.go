package verbstest

import "github.com/ibperf/ibperf/verbs"

var errStatements = []statement{
	{"ERR-1", "SUCCESS: a legal request", everythingSucceeds},
	{"ERR-2", "WR_FLUSH_ERR: what is outstanding when the QP goes to ERR", flush},
	{"ERR-3", "LOC_QP_OP_ERR: an operation that RC lacks, if it can be posted", operationOfOthers},
	{"ERR-4", "LOC_PROT_ERR: a local key that is wrong, or of another domain", localKey},
	{"ERR-5", "LOC_PROT_ERR: a local range or right that is not given", localRange},
	{"ERR-6", "LOC_LEN_ERR: a message longer than the port allows", tooLongIsLocal},
	{"ERR-7", "REM_INV_REQ_ERR, LOC_LEN_ERR at the peer: a receive that is too short", shortReceive},
	{"ERR-8", "REM_OP_ERR, LOC_PROT_ERR at the peer: a receive whose memory cannot be used", badReceive},
	{"ERR-9", "REM_INV_REQ_ERR: an operation that the peer's QP does not allow", deniedByQP},
	{"ERR-10", "REM_INV_REQ_ERR: a READ from a QP with depth 0", noDepth},
	{"ERR-11", "REM_ACCESS_ERR: a remote key, range or right that is not given", remoteKey},
	{"ERR-12", "REM_ACCESS_ERR with immediate data: the peer's receive fails too", remoteKeyImm},
	{"ERR-13", "RNR_RETRY_EXC_ERR: no receive; the peer is unharmed", noReceive},
	{"ERR-14", "RETRY_EXC_ERR: a peer that does not answer", silentPeers},
	{"ERR-15", "a failure among unsignaled requests: nothing before it, flushes behind it", amongUnsignaled},
	{"ERR-18", "rnr_retry 7 is for ever", rnrForEver},
	{"ERR-19", "retry_cnt 7 is seven retries", sevenRetries},
	{"ERR-20", "timeout 0 is for ever", timeoutForEver},
	{"ERR-21", "a retry waits as long as the peer's RNR timer says", rnrTimer},
	{"ERR-22", "after a failure everything is flushed once, in order", flushedAfterFailure},
	{"ERR-23", "statuses of other transports and of broken devices never come", unreachable},
	{"ERR-25", "every status has a name and a cause", statusNames},
	{"ERR-26", "whatever the device, a failure is of the side that caused it", causes},
}

// failure is a way to make a request fail.
type failure struct {
	name    string
	conf    func(c *config)       // nil: as it is
	receive func(b *side) recv    // nil: one of 64 bytes
	request func(a, b *side) send // id and flags are set
}

// statuses are what quirks make of a status.
type statuses []instead[verbs.WCStatus]

// expected is what both sides see of a failure.
type expected struct {
	a, b             verbs.WCStatus // of the request, and of the first receive; 0: it stays posted
	quirksA, quirksB statuses
	late             bool // requests behind it may be carried out before it fails
}

// fail runs the cases. The request is unsignaled, others are posted behind it,
// and the peer has three receives.
func (e *env) fail(x expected, cases ...failure) {
	for _, f := range cases {
		e.sub(f.name, func(e *env) {
			c := conf()
			if f.conf != nil {
				f.conf(&c)
			}
			a, b := e.pair(c)
			fill(a.mem, 1)
			first := recv{sges: []verbs.SGE{b.sge(0, 64)}}
			if f.receive != nil {
				first = f.receive(b)
			}
			first.id = 100
			b.recv(first, recv{id: 101}, recv{id: 102})
			w := f.request(a, b)
			w.id = 7
			a.post(w, send{id: 8, op: opSend}, send{id: 9}.toward(b, 0))
			agreeByAny(e, "the request", a.sendCQ.of(7).Status, x.a, x.quirksA...)
			a.sendCQ.gives(8, verbs.WCWRFlushErr)
			a.sendCQ.gives(9, verbs.WCWRFlushErr)
			a.comesTo(verbs.QPErr)
			x.peer(e, b)
			a.sendCQ.empty()
			if w.op == opWrite && touched(b.mem[:128]) {
				e.Error("a refused WRITE placed bytes")
			}
		})
	}
}

// peer checks what the peer sees.
func (x expected) peer(e *env, b *side) {
	e.Helper()
	if x.b == 0 {
		if !x.late {
			b.recvCQ.empty()
		}
		b.isIn(verbs.QPRTS)
		return
	}
	agreeByAny(e, "the receive", b.recvCQ.of(100).Status, x.b, x.quirksB...)
	b.recvCQ.gives(101, verbs.WCWRFlushErr)
	b.recvCQ.gives(102, verbs.WCWRFlushErr)
	b.comesTo(verbs.QPErr)
}

func everythingSucceeds(e *env) {
	for _, tr := range transfers {
		m := e.mover(tr, conf())
		m.move(8, 0, 0)
		m.a.isIn(verbs.QPRTS)
		m.b.isIn(verbs.QPRTS)
	}
}

func amongUnsignaled(e *env) {
	a, b := e.pair(conf())
	w := send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
	list := []send{w, w, w, w}
	for i := range list {
		list[i].id = uint64(i)
	}
	list[1].rkey ^= 0x100
	a.post(list...)
	a.sendCQ.gives(1, verbs.WCRemAccessErr)
	a.sendCQ.gives(2, verbs.WCWRFlushErr)
	a.sendCQ.gives(3, verbs.WCWRFlushErr)
	a.sendCQ.staysEmpty()
}

func flushedAfterFailure(e *env) {
	a, b := e.pair(conf())
	list := a.numbered(0, 20, b)
	list[0].rkey ^= 0x100
	a.post(list...)
	a.sendCQ.gives(0, verbs.WCRemAccessErr)
	for i := 1; i < len(list); i++ {
		a.sendCQ.gives(uint64(i), verbs.WCWRFlushErr)
	}
	a.sendCQ.staysEmpty()
}

func statusNames(e *env) {
	names := map[string]verbs.WCStatus{}
	for s := verbs.WCSuccess; s < 30; s++ {
		if other, twice := names[s.String()]; s.String() == "" || s.Cause() == "" || twice {
			e.Errorf("status %d: %q, %q, like %d: %v", uint32(s), s, s.Cause(), uint32(other), twice)
		}
		names[s.String()] = s
	}
}
