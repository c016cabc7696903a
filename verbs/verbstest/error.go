package verbstest

import (
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

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
	{"ERR-18", "rnr_retry 7 is infinite", infiniteRNRRetries},
	{"ERR-19", "retry_cnt 7 is seven retries", sevenRetries},
	{"ERR-20", "timeout 0 is infinite", infiniteTimeout},
	{"ERR-21", "a retry waits as long as the peer's RNR timer says", rnrTimer},
	{"ERR-22", "after a failure everything is flushed once, in order", flushedAfterFailure},
	{"ERR-23", "statuses of other transports and of broken devices do not occur", unreachable},
	{"ERR-25", "every status has a name and a cause", statusNames},
	{"ERR-26", "on every device a failure is of the side that caused it", causes},
}

// failure is a request that fails, with what it needs.
type failure struct {
	name    string
	conf    func(c *config)       // changes the configuration; may be nil
	receive func(b *side) recv    // nil: one of 64 bytes
	request func(a, b *side) send // id and flags are set
}

// statuses are the statuses that devices with quirks have instead.
type statuses []deviation[verbs.WCStatus]

// failureStatuses holds the specified statuses of a failure at both sides, and those by quirks.
type failureStatuses struct {
	a, b             verbs.WCStatus // of the request, and of the first receive; 0: the receive stays posted
	quirksA, quirksB statuses
	late             bool // later requests may be executed before the failure
}

// fail runs the cases. The request is unsignaled and followed by others, and the peer has three
// receives.
func (e *env) fail(x failureStatuses, cases ...failure) {
	for _, f := range cases {
		e.sub(f.name, func(e *env) {
			c := conf()
			if f.conf != nil {
				f.conf(&c)
			}
			a, b := e.pair(c)
			fixture.Fill(a.Mem, 1)
			first := recv{SGEs: []verbs.SGE{b.SGE(0, 64)}}
			if f.receive != nil {
				first = f.receive(b)
			}
			first.ID = 100
			b.PostRecv(first, recv{ID: 101}, recv{ID: 102})
			w := f.request(a, b)
			w.ID = 7
			a.Post(w, send{ID: 8, Op: opSend}, send{ID: 9}.Toward(b, 0))
			checkValueQuirks(e, "the request", a.SendCQ.WaitFor(7).Status, x.a, x.quirksA...)
			a.SendCQ.Expect(8, verbs.WCWRFlushErr)
			a.SendCQ.Expect(9, verbs.WCWRFlushErr)
			a.Reaches(verbs.QPErr)
			x.peer(e, b)
			a.SendCQ.ExpectEmpty()
			if w.Op == opWrite && touched(b.Mem[:128]) {
				e.Error("a refused WRITE stored bytes")
			}
		})
	}
}

// peer checks the peer's completions.
func (x failureStatuses) peer(e *env, b *side) {
	e.Helper()
	if x.b == 0 {
		if !x.late {
			b.RecvCQ.ExpectEmpty()
		}
		b.IsIn(verbs.QPRTS)
		return
	}
	checkValueQuirks(e, "the receive", b.RecvCQ.WaitFor(100).Status, x.b, x.quirksB...)
	b.RecvCQ.Expect(101, verbs.WCWRFlushErr)
	b.RecvCQ.Expect(102, verbs.WCWRFlushErr)
	b.Reaches(verbs.QPErr)
}

func everythingSucceeds(e *env) {
	for _, tr := range transfers {
		m := e.mover(tr, conf())
		m.move(8, 0, 0)
		m.a.IsIn(verbs.QPRTS)
		m.b.IsIn(verbs.QPRTS)
	}
}

func amongUnsignaled(e *env) {
	a, b := e.pair(conf())
	w := send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
	list := []send{w, w, w, w}
	for i := range list {
		list[i].ID = uint64(i)
	}
	list[1].RKey ^= 0x100
	a.Post(list...)
	a.SendCQ.Expect(1, verbs.WCRemAccessErr)
	a.SendCQ.Expect(2, verbs.WCWRFlushErr)
	a.SendCQ.Expect(3, verbs.WCWRFlushErr)
	a.SendCQ.StaysEmpty()
}

func flushedAfterFailure(e *env) {
	a, b := e.pair(conf())
	list := a.numbered(0, 20, b)
	list[0].RKey ^= 0x100
	a.Post(list...)
	a.SendCQ.Expect(0, verbs.WCRemAccessErr)
	for i := 1; i < len(list); i++ {
		a.SendCQ.Expect(uint64(i), verbs.WCWRFlushErr)
	}
	a.SendCQ.StaysEmpty()
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
