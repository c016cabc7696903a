package shm

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// node is a context with a QP in INIT, a CQ and a region.
type node struct {
	ctx *context
	qp  *qp
	cq  verbs.CQ
	mr  verbs.MR

	channels []*channel // closed after the context
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newNode(t testing.TB) *node {
	t.Helper()
	return newNodeOf(t, verbs.QPTypeRC)
}

func newNodeOf(t testing.TB, typ verbs.QPType) *node {
	t.Helper()
	ctx, err := open(listed[0])
	check(t, err)
	v := &node{ctx: ctx}
	t.Cleanup(v.close)
	pd, _ := ctx.AllocPD()
	buf, err := verbs.NewBuffer(4096)
	check(t, err)
	t.Cleanup(func() { buf.Close() })
	v.mr, err = pd.RegMR(buf.Bytes(), verbs.AccessLocalWrite|verbs.AccessMWBind|verbs.AccessRemoteWrite|verbs.AccessRemoteRead)
	check(t, err)
	v.cq, _ = ctx.CreateCQ(64, nil, 0)
	q, err := pd.CreateQP(&verbs.QPInitAttr{
		SendCQ: v.cq, RecvCQ: v.cq, Type: typ,
		Cap: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	check(t, err)
	v.qp = q.(*qp)
	return v
}

// newChannel returns a completion channel that is closed after the context, whatever uses it.
func (v *node) newChannel(t testing.TB) *channel {
	t.Helper()
	ch, err := v.ctx.CreateCompChannel()
	check(t, err)
	v.channels = append(v.channels, ch.(*channel))
	return ch.(*channel)
}

func (v *node) close() {
	v.ctx.Close()
	for _, ch := range v.channels {
		ch.events.Close()
		unix.Close(ch.writeFD)
	}
}

func (v *node) endpoint() verbs.Endpoint {
	return verbs.Endpoint{QPNum: v.qp.num, GID: gidOf(v.ctx.id), MTU: verbs.MTU1024, RdAtomic: 4}
}

// connect takes the node's QP to RTS with a timeout of 1 ms.
func (v *node) connect(to verbs.Endpoint) error {
	connect := verbs.Connect
	if v.qp.typ == verbs.QPTypeUC {
		connect = verbs.ConnectUC
	}
	err := connect(v.qp, verbs.Path{Port: 1}, remoteAccessFlags|verbs.AccessLocalWrite, v.endpoint(), to)
	v.qp.lock()
	v.qp.attr.Timeout, v.qp.attr.RetryCnt = 8, 1
	v.qp.unlock()
	return err
}

// bindWindow binds a window of type 2 to the node's memory by the QP, and returns its key.
func (v *node) bindWindow(t testing.TB, q *qp) uint32 {
	t.Helper()
	m := v.mr.(*mr)
	w, err := m.pd.AllocMW(verbs.MWType2)
	check(t, err)
	var wr verbs.SendWR
	wr.SetBindMW(w, w.RKey(), verbs.MWBindInfo{MR: m, Addr: m.addr, Length: 64, Access: verbs.AccessRemoteWrite})
	if !q.bind(&wr) {
		t.Fatal("the window was not bound")
	}
	return w.RKey()
}

// postAndPoll posts one request to the peer's memory at addr and returns its status.
func (v *node) postAndPoll(t *testing.T, op verbs.Opcode, addr uint64, key uint32) verbs.WCStatus {
	t.Helper()
	sge := verbs.SGE{Addr: v.mr.Addr(), Length: 64, LKey: v.mr.LKey()}
	wr := verbs.SendWR{Opcode: op, SendFlags: verbs.SendSignaled, SGList: &sge, NumSGE: 1}
	wr.SetRDMA(addr, key)
	_, err := v.qp.PostSend(&wr)
	check(t, err)
	return v.nextCompletion(t).Status
}

func (v *node) nextCompletion(t *testing.T) verbs.WC {
	t.Helper()
	var wc [1]verbs.WC
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		if n, err := v.cq.Poll(wc[:]); n == 1 || err != nil {
			check(t, err)
			return wc[0]
		}
	}
	t.Fatal("no completion")
	return wc[0]
}

// checkWorks checks that the context still works, with new nodes.
func (v *node) checkWorks(t *testing.T) {
	t.Helper()
	a, b := newNode(t), newNode(t)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	if s := a.postAndPoll(t, verbs.OpRDMAWrite, b.mr.Addr(), b.mr.RKey()); s != verbs.WCSuccess {
		t.Errorf("a WRITE between new nodes ended with %s", s)
	}
	p, err := v.ctx.QueryGID(1, 0)
	check(t, err)
	r, err := a.ctx.peerContextOf(idOf(p.GID))
	check(t, err)
	a.ctx.release(r)
}
