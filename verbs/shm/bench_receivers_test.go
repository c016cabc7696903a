package shm

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// qpPairs are QPs of one context that are connected to QPs of another. The QPs of each side share a CQ.
type qpPairs struct {
	from, to     []*qp
	sendCQ, cq   verbs.CQ
	source, into verbs.SGE
}

func newQPPairs(b *testing.B, n int) *qpPairs {
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
	create := func(v *node, cq verbs.CQ) *qp {
		q, err := v.qp.pd.CreateQP(&verbs.QPInitAttr{SendCQ: cq, RecvCQ: cq, Type: verbs.QPTypeRC,
			Cap: verbs.QPCap{MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 1, MaxRecvSGE: 1}})
		check(b, err)
		return q.(*qp)
	}
	for range n {
		p.from, p.to = append(p.from, create(sender, p.sendCQ)), append(p.to, create(receiver, p.cq))
	}
	for i := range n {
		sender.qp, receiver.qp = p.from[i], p.to[i]
		check(b, sender.connect(receiver.endpoint()))
		check(b, receiver.connect(sender.endpoint()))
	}
	return p
}

// BenchmarkEmptyPoll polls a CQ whose QPs all wait for a message.
func BenchmarkEmptyPoll(b *testing.B) {
	for _, n := range []int{1, 64, 65, 1024, 4096} {
		b.Run(fmt.Sprintf("%d_QPs", n), func(b *testing.B) {
			p := newQPPairs(b, n)
			for _, q := range p.to {
				_, err := q.PostRecv(&verbs.RecvWR{SGList: &p.into, NumSGE: 1})
				check(b, err)
			}
			var wc [1]verbs.WC
			for b.Loop() {
				if n, err := p.cq.Poll(wc[:]); n != 0 || err != nil {
					b.Fatal(n, err)
				}
			}
		})
	}
}

// BenchmarkSendsOverQPs sends a message on each QP in turn, and polls the completions of eight at a time, in one thread.
func BenchmarkSendsOverQPs(b *testing.B) {
	for _, n := range []int{1, 64, 65, 256, 1024} {
		b.Run(fmt.Sprintf("%d_QPs", n), func(b *testing.B) {
			p := newQPPairs(b, n)
			receive := verbs.RecvWR{SGList: &p.into, NumSGE: 1}
			send := verbs.SendWR{Opcode: verbs.OpSend, SendFlags: verbs.SendSignaled, SGList: &p.source, NumSGE: 1}
			var wc [8]verbs.WC
			b.ReportAllocs()
			for i, sent := 0, 0; b.Loop(); i = (i + 1) % n {
				if _, err := p.to[i].PostRecv(&receive); err != nil {
					b.Fatal(err)
				}
				if _, err := p.from[i].PostSend(&send); err != nil {
					b.Fatal(err)
				}
				if sent++; sent < 8 {
					continue
				}
				for _, cq := range []verbs.CQ{p.sendCQ, p.cq} {
					for left := sent; left > 0; {
						n, err := cq.Poll(wc[:left])
						if err != nil {
							b.Fatal(err)
						}
						left -= n
					}
				}
				sent = 0
			}
		})
	}
}
