package shm

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// qpPairs are QPs of one context that are connected to QPs of another. The QPs of each side share a CQ, and those of the receiver
// may share an SRQ.
type qpPairs struct {
	from, to     []*qp
	srq          verbs.SRQ // nil: none
	sendCQ, cq   verbs.CQ
	source, into verbs.SGE
}

func newQPPairs(b *testing.B, n int, shared bool) *qpPairs {
	b.Helper()
	p := &qpPairs{}
	sender, receiver := newNode(b), newNode(b)
	p.source = verbs.SGE{Addr: sender.mr.Addr(), Length: 8, LKey: sender.mr.LKey()}
	p.into = verbs.SGE{Addr: receiver.mr.Addr(), Length: 8, LKey: receiver.mr.LKey()}
	var err error
	p.sendCQ, err = sender.ctx.CreateCQ(16*n, nil, 0)
	check(b, err)
	p.cq, err = receiver.ctx.CreateCQ(16*n, nil, 0)
	check(b, err)
	if shared {
		p.srq, err = receiver.qp.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 8 * n, MaxSGE: 1}})
		check(b, err)
	}
	create := func(v *node, cq verbs.CQ, srq verbs.SRQ) *qp {
		q, err := v.qp.pd.CreateQP(&verbs.QPInitAttr{SendCQ: cq, RecvCQ: cq, Type: verbs.QPTypeRC, SRQ: srq,
			Cap: verbs.QPCap{MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 1, MaxRecvSGE: 1}})
		check(b, err)
		return q.(*qp)
	}
	for range n {
		p.from, p.to = append(p.from, create(sender, p.sendCQ, nil)), append(p.to, create(receiver, p.cq, p.srq))
	}
	for i := range n {
		sender.qp, receiver.qp = p.from[i], p.to[i]
		check(b, sender.connect(receiver.endpoint()))
		check(b, receiver.connect(sender.endpoint()))
	}
	return p
}

// postReceive posts a receive of a QP, or of the SRQ.
func (p *qpPairs) postReceive(i int, wr *verbs.RecvWR) (err error) {
	if p.srq != nil {
		_, err = p.srq.PostRecv(wr)
		return err
	}
	_, err = p.to[i].PostRecv(wr)
	return err
}

// onQPs runs a benchmark with pairs of QPs, with receives of their own and on an SRQ.
func onQPs(b *testing.B, numbers []int, run func(b *testing.B, p *qpPairs)) {
	for _, n := range numbers {
		b.Run(fmt.Sprintf("%d_QPs", n), func(b *testing.B) { run(b, newQPPairs(b, n, false)) })
	}
	for _, n := range numbers {
		b.Run(fmt.Sprintf("%d_QPs_on_an_SRQ", n), func(b *testing.B) { run(b, newQPPairs(b, n, true)) })
	}
}

// BenchmarkEmptyPoll polls a CQ whose QPs all wait for a message.
func BenchmarkEmptyPoll(b *testing.B) {
	onQPs(b, []int{1, 64, 65, 1024, 4096}, func(b *testing.B, p *qpPairs) {
		for i := range p.to {
			check(b, p.postReceive(i, &verbs.RecvWR{SGList: &p.into, NumSGE: 1}))
		}
		var wc [1]verbs.WC
		for b.Loop() {
			if n, err := p.cq.Poll(wc[:]); n != 0 || err != nil {
				b.Fatal(n, err)
			}
		}
	})
}

// BenchmarkSendsOverQPs sends a message on each QP in turn, and polls the completions of eight at a time, in one thread.
func BenchmarkSendsOverQPs(b *testing.B) {
	onQPs(b, []int{1, 64, 65, 256, 1024}, func(b *testing.B, p *qpPairs) {
		receive := verbs.RecvWR{SGList: &p.into, NumSGE: 1}
		send := verbs.SendWR{Opcode: verbs.OpSend, SendFlags: verbs.SendSignaled, SGList: &p.source, NumSGE: 1}
		var wc [8]verbs.WC
		b.ReportAllocs()
		for i, sent := 0, 0; b.Loop(); i = (i + 1) % len(p.to) {
			if err := p.postReceive(i, &receive); err != nil {
				b.Fatal(err)
			}
			if _, err := p.from[i].PostSend(&send); err != nil {
				b.Fatal(err)
			}
			if sent++; sent < 8 {
				continue
			}
			for left := [2]int{sent, sent}; left != [2]int{}; {
				for i, cq := range []verbs.CQ{p.sendCQ, p.cq} {
					n, err := cq.Poll(wc[:left[i]])
					if err != nil {
						b.Fatal(err)
					}
					left[i] -= n
				}
			}
			sent = 0
		}
	})
}
