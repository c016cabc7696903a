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

// prey is a victim whose QP is connected to a saboteur, with a channel, a region in
// the middle of its memory, and on the same CQ a second QP whose peer is honest.
type prey struct {
	*victim
	ch     verbs.CompChannel
	memory []byte
	region verbs.MR
	other  *qp
	honest *victim
	came   int // completions of the honest connection
	halted *halted

	succeeded, failed int // requests of the spoiled one
}

// preyOps are what the spoiled connection sends: few of it takes receives, which the
// saboteur runs out of.
var preyOps = []verbs.Opcode{
	verbs.OpRDMAWrite, verbs.OpRDMARead, verbs.OpRDMAWrite, verbs.OpRDMARead, verbs.OpRDMAWrite, verbs.OpRDMARead,
	verbs.OpRDMAWriteWithImm, verbs.OpSend,
}

const (
	preyPage  = 4096
	preyRoom  = 64  // of the spoiled connection's requests, at the start of the region
	preyOther = 128 // the honest connection's data is from here on
	preyQueue = 15
	preyWait  = 300 * time.Microsecond // for a completion that may never come
)

func newPrey(t *testing.T) *prey {
	t.Helper()
	p := &prey{victim: newVictim(t), honest: newVictim(t)}
	var err error
	p.ch, err = p.ctx.CreateCompChannel()
	check(t, err)
	p.cq, err = p.ctx.CreateCQ(4*preyQueue, p.ch, 0)
	check(t, err)
	buf, err := verbs.NewBuffer(3 * preyPage)
	check(t, err)
	t.Cleanup(func() { buf.Close() })
	p.memory = buf.Bytes()
	for i := range p.memory {
		p.memory[i] = untouched(i)
	}
	pd := p.qp.pd
	p.region, err = pd.RegMR(p.memory[preyPage:2*preyPage], verbs.AccessLocalWrite|remoteRights)
	check(t, err)
	p.qp, p.other = p.newQP(t, pd), p.newQP(t, pd)
	end := p.endpoint()
	end.QPNum = p.other.num
	check(t, verbs.Connect(p.other, verbs.Path{Port: 1}, knownRights, end, p.honest.endpoint()))
	check(t, p.honest.connect(end))
	return p
}

func untouched(i int) byte { return byte(i*7 + i>>8) }

func (p *prey) newQP(t *testing.T, pd *pd) *qp {
	t.Helper()
	q, err := pd.CreateQP(&verbs.QPInitAttr{
		SendCQ: p.cq, RecvCQ: p.cq, Type: verbs.QPTypeRC, SigAll: true,
		Cap: verbs.QPCap{MaxSendWR: preyQueue, MaxRecvWR: preyQueue, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	check(t, err)
	return q.(*qp)
}

func (p *prey) sge(at, n int) *verbs.SGE {
	return &verbs.SGE{Addr: p.region.Addr() + uint64(at), Length: uint32(n), LKey: p.region.LKey()}
}

// suffer connects to the saboteur, and then receives, sends, sleeps and polls,
// whatever comes of it. Requests of a QP carry its number. There are either few
// strikes, so that some work is done in between, or very many.
func (p *prey) suffer(t *testing.T, rng *rand.Rand, s *saboteur, many bool) {
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
		_, err := p.qp.PostRecv(&verbs.RecvWR{WRID: id, SGList: p.sge(0, preyRoom), NumSGE: 1})
		fullAtMost(t, err)
		wr := verbs.SendWR{WRID: id, Opcode: preyOps[rng.Intn(len(preyOps))], SGList: p.sge(0, rng.Intn(preyRoom)), NumSGE: 1}
		wr.SetRDMA(s.mr.Addr()+uint64(rng.Intn(100)), s.mr.RKey())
		_, err = p.qp.PostSend(&wr)
		fullAtMost(t, err)
		check(t, p.cq.ReqNotify(rng.Intn(2) == 0))
		before := p.succeeded + p.failed
		for end := time.Now().Add(preyWait); p.succeeded+p.failed == before && time.Now().Before(end); runtime.Gosched() {
			p.drain(t)
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

func fullAtMost(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, enomem) {
		t.Fatal(err)
	}
}

// drain polls what there is: of the spoiled connection anything that was posted, of
// the other one nothing but success.
func (p *prey) drain(t *testing.T) {
	t.Helper()
	var wc [32]verbs.WC
	n, err := p.cq.Poll(wc[:])
	check(t, err)
	for _, c := range wc[:n] {
		switch {
		case c.WRID != uint64(c.QPNum):
			t.Fatalf("completion of a request that nobody posted: %+v", c)
		case (c.QPNum == p.other.num || c.QPNum == p.halted.qp.num) && c.Status != verbs.WCSuccess:
			t.Fatalf("an honest connection: %+v", c)
		case c.QPNum == p.halted.qp.num:
			p.halted.succeeded = true
		case c.QPNum == p.other.num:
			p.came++
		case c.Status != verbs.WCSuccess:
			p.failed++
		case c.Opcode == verbs.WCRecv && c.ByteLen > preyRoom:
			t.Fatalf("a message longer than its receive: %+v", c)
		default:
			p.succeeded++
		}
	}
}

// lives checks that the other connection works in both directions, and that no
// memory has changed that nobody may write.
func (p *prey) lives(t *testing.T) {
	t.Helper()
	const n = 64 // bytes that victim.outcome sends
	id := uint64(p.other.num)
	_, err := p.other.PostRecv(&verbs.RecvWR{WRID: id, SGList: p.sge(preyOther, n), NumSGE: 1})
	check(t, err)
	if s := p.honest.outcome(t, verbs.OpSend, 0, 0); s != verbs.WCSuccess {
		t.Fatalf("the honest peer's SEND: %s", s)
	}
	want := p.came + 2
	wr := verbs.SendWR{WRID: id, Opcode: verbs.OpRDMAWrite, SGList: p.sge(preyOther+n, n), NumSGE: 1}
	wr.SetRDMA(p.honest.mr.Addr()+n, p.honest.mr.RKey())
	_, err = p.other.PostSend(&wr)
	check(t, err)
	for range 100 {
		p.drain(t)
	}
	if p.came != want {
		t.Fatalf("%d completions of the other connection, want %d", p.came, want)
	}
	w := p.honest.qp.ctx.window(p.honest.mr.LKey(), p.honest.qp.pd, 0)
	mem := w.at(p.honest.mr.LKey(), p.honest.mr.Addr()+n, n)
	if at := preyPage + preyOther + n; !bytes.Equal(mem, p.memory[at:at+n]) {
		t.Fatal("the honest peer's memory is not what was written there")
	}
	for i, b := range p.memory {
		free := i >= preyPage && i < preyPage+preyOther+n
		if !free && b != untouched(i) {
			t.Fatalf("byte %d of the victim's memory has changed", i)
		}
	}
}
