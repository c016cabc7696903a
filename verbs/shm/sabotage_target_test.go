//go:build !race

package shm

import (
	"bytes"
	"errors"
	"math/rand"
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// sabotageTarget is a node whose QP is connected to a saboteur. It has a channel, a region in the
// middle of its memory, and on the same CQ a second QP with an honest peer.
type sabotageTarget struct {
	*node
	ch         verbs.CompChannel
	memory     []byte
	region     verbs.MR
	honestQP   *qp
	honestPeer *node
	received   int // completions of the honest connection
	stopped    *stoppedPeer

	succeeded, failed int // requests of the sabotaged connection
}

// targetOps are the opcodes on the sabotaged connection: few consume receives, of which the
// saboteur has a limited number.
var targetOps = []verbs.Opcode{
	verbs.OpRDMAWrite, verbs.OpRDMARead, verbs.OpRDMAWrite, verbs.OpRDMARead, verbs.OpRDMAWrite, verbs.OpRDMARead,
	verbs.OpRDMAWriteWithImm, verbs.OpSend,
}

const (
	targetPage        = 4096
	targetMessageSize = 64  // for requests of the sabotaged connection, at the start of the region
	honestOffset      = 128 // offset of the honest connection's data
	targetQueueDepth  = 15
	targetPollTime    = 300 * time.Microsecond // for a completion that may never arrive
)

func newSabotageTarget(t *testing.T) *sabotageTarget {
	t.Helper()
	p := &sabotageTarget{node: newNode(t), honestPeer: newNode(t)}
	var err error
	p.ch = p.newChannel(t)
	p.cq, err = p.ctx.CreateCQ(4*targetQueueDepth, p.ch, 0)
	check(t, err)
	buf, err := verbs.NewBuffer(3 * targetPage)
	check(t, err)
	t.Cleanup(func() { buf.Close() })
	p.memory = buf.Bytes()
	for i := range p.memory {
		p.memory[i] = initialByte(i)
	}
	pd := p.qp.pd
	p.region, err = pd.RegMR(p.memory[targetPage:2*targetPage], verbs.AccessLocalWrite|remoteAccessFlags)
	check(t, err)
	p.qp, p.honestQP = p.newQP(t, pd), p.newQP(t, pd)
	end := p.endpoint()
	end.QPNum = p.honestQP.num
	check(t, verbs.Connect(p.honestQP, verbs.Path{Port: 1}, qpAccessFlags, end, p.honestPeer.endpoint()))
	check(t, p.honestPeer.connect(end))
	return p
}

func initialByte(i int) byte { return byte(i*7 + i>>8) }

func (p *sabotageTarget) newQP(t *testing.T, pd *pd) *qp {
	t.Helper()
	q, err := pd.CreateQP(&verbs.QPInitAttr{
		SendCQ: p.cq, RecvCQ: p.cq, Type: verbs.QPTypeRC, SigAll: true,
		Cap: verbs.QPCap{MaxSendWR: targetQueueDepth, MaxRecvWR: targetQueueDepth, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	check(t, err)
	return q.(*qp)
}

func (p *sabotageTarget) sge(at, n int) *verbs.SGE {
	return &verbs.SGE{Addr: p.region.Addr() + uint64(at), Length: uint32(n), LKey: p.region.LKey()}
}

// runRound connects to the saboteur, and then receives, sends, sleeps and polls, with any result.
// wr_ids are the QP's number. The saboteur corrupts either few words, so that some requests
// succeed, or very many.
func (p *sabotageTarget) runRound(t *testing.T, rng *rand.Rand, s *saboteur, many bool) {
	t.Helper()
	check(t, p.qp.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
	check(t, p.connect(s.endpoint()))
	id := uint64(p.qp.num)
	for range 60 {
		if many {
			s.due.Add(500)
		} else {
			s.due.Add(rng.Int63n(2))
		}
		_, err := p.qp.PostRecv(&verbs.RecvWR{WRID: id, SGList: p.sge(0, targetMessageSize), NumSGE: 1})
		allowFull(t, err)
		wr := verbs.SendWR{WRID: id, Opcode: targetOps[rng.Intn(len(targetOps))], SGList: p.sge(0, rng.Intn(targetMessageSize)), NumSGE: 1}
		wr.SetRDMA(s.mr.Addr()+uint64(rng.Intn(100)), s.mr.RKey())
		_, err = p.qp.PostSend(&wr)
		allowFull(t, err)
		check(t, p.cq.ReqNotify(rng.Intn(2) == 0))
		before := p.succeeded + p.failed
		for end := time.Now().Add(targetPollTime); p.succeeded+p.failed == before && time.Now().Before(end); runtime.Gosched() {
			p.poll(t)
		}
		if cq, err := p.ch.GetEvent(0); err == nil {
			cq.AckEvents(1)
		} else if !errors.Is(err, verbs.ErrTimeout) {
			t.Fatal(err)
		}
	}
	_, _, err := p.qp.Query(verbs.MaskState)
	check(t, err)
}

func allowFull(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, enomem) {
		t.Fatal(err)
	}
}

// poll polls completions: of the sabotaged connection any status of posted requests, of the others
// only success.
func (p *sabotageTarget) poll(t *testing.T) {
	t.Helper()
	var wc [32]verbs.WC
	n, err := p.cq.Poll(wc[:])
	check(t, err)
	for _, c := range wc[:n] {
		switch {
		case c.WRID != uint64(c.QPNum):
			t.Fatalf("completion of a request that was not posted: %+v", c)
		case (c.QPNum == p.honestQP.num || c.QPNum == p.stopped.qp.num) && c.Status != verbs.WCSuccess:
			t.Fatalf("completion of an honest connection: %+v", c)
		case c.QPNum == p.stopped.qp.num:
			p.stopped.succeeded = true
		case c.QPNum == p.honestQP.num:
			p.received++
		case c.Status != verbs.WCSuccess:
			p.failed++
		case c.Opcode == verbs.WCRecv && c.ByteLen > targetMessageSize:
			t.Fatalf("message longer than its receive: %+v", c)
		default:
			p.succeeded++
		}
	}
}

// checkHonest checks that the honest connection works in both directions, and that no other memory
// has changed.
func (p *sabotageTarget) checkHonest(t *testing.T) {
	t.Helper()
	const n = 64 // bytes that node.postAndPoll sends
	id := uint64(p.honestQP.num)
	_, err := p.honestQP.PostRecv(&verbs.RecvWR{WRID: id, SGList: p.sge(honestOffset, n), NumSGE: 1})
	check(t, err)
	if s := p.honestPeer.postAndPoll(t, verbs.OpSend, 0, 0); s != verbs.WCSuccess {
		t.Fatalf("the honest peer's SEND: %s", s)
	}
	want := p.received + 2
	wr := verbs.SendWR{WRID: id, Opcode: verbs.OpRDMAWrite, SGList: p.sge(honestOffset+n, n), NumSGE: 1}
	wr.SetRDMA(p.honestPeer.mr.Addr()+n, p.honestPeer.mr.RKey())
	_, err = p.honestQP.PostSend(&wr)
	check(t, err)
	for range 100 {
		p.poll(t)
	}
	if p.received != want {
		t.Fatalf("%d completions of the honest connection, want %d", p.received, want)
	}
	w := p.honestPeer.qp.ctx.lookUpRegion(p.honestPeer.mr.LKey(), p.honestPeer.qp.pd, 0)
	mem := w.slice(p.honestPeer.mr.LKey(), p.honestPeer.mr.Addr()+n, n)
	if at := targetPage + honestOffset + n; !bytes.Equal(mem, p.memory[at:at+n]) {
		t.Fatal("the honest peer's memory differs from what was written")
	}
	for i, b := range p.memory {
		free := i >= targetPage && i < targetPage+honestOffset+n
		if !free && b != initialByte(i) {
			t.Fatalf("byte %d of the target's memory has changed", i)
		}
	}
}
