package harness

import (
	"cmp"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// queue is the client's device in front of a server that serves one message after another, on virtual time: the answer to
// message k is held back until the service of all messages before it and of itself has ended.
type queue struct {
	verbs.Context
	now     atomic.Int64
	tick    int64 // by which the time advances with each reading of the clock and each poll
	service testdevice.Delay
	recvCQ  verbs.CQ
	posted  []int64 // times of the messages
	ended   []int64 // and of the ends of their services
	taken   int     // answers that were polled
}

func (q *queue) clock() *clock.Clock {
	return clock.Func(func() int64 { return q.now.Add(q.tick) })
}

type (
	queuePD struct {
		verbs.PD
		*queue
	}
	queueQP struct {
		verbs.QP
		*queue
	}
	queueCQ struct {
		verbs.CQ
		*queue
	}
)

func (q *queue) CreateCQ(cqe int, ch verbs.CompChannel, vector int) (verbs.CQ, error) {
	cq, err := q.Context.CreateCQ(cqe, ch, vector)
	return queueCQ{cq, q}, err
}

func (q *queue) AllocPD() (verbs.PD, error) {
	pd, err := q.Context.AllocPD()
	return queuePD{pd, q}, err
}

func (p queuePD) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	plain := *init
	p.recvCQ = init.RecvCQ.(queueCQ).CQ
	plain.SendCQ, plain.RecvCQ = init.SendCQ.(queueCQ).CQ, p.recvCQ
	qp, err := p.PD.CreateQP(&plain)
	init.Cap, init.MaxScatterToCQE = plain.Cap, plain.MaxScatterToCQE
	return queueQP{qp, p.queue}, err
}

const queueSize = 24 // of messages; nothing else that is posted has it

func (p queueQP) PostSend(wr *verbs.SendWR) (*verbs.SendWR, error) {
	if testdevice.Length(wr) == queueSize {
		now, begin := p.now.Load(), int64(0)
		if n := len(p.ended); n > 0 {
			begin = p.ended[n-1]
		}
		p.ended = append(p.ended, max(begin, now)+int64(p.service(uint64(len(p.posted)))))
		p.posted = append(p.posted, now)
	}
	return p.QP.PostSend(wr)
}

func (c queueCQ) Poll(wcs []verbs.WC) (int, error) { return c.PollSpin(wcs, 1) }

func (c queueCQ) PollSpin(wcs []verbs.WC, spins int) (int, error) {
	if c.CQ != c.recvCQ || c.taken == len(c.posted) {
		return c.CQ.PollSpin(wcs, spins)
	}
	if c.now.Add(c.tick) < c.ended[c.taken] { // also where the loop does not read the clock
		return 0, nil
	}
	for { // in real time the answer may arrive later
		n, err := c.CQ.Poll(wcs[:1])
		if n > 0 || err != nil {
			c.taken += n
			return n, err
		}
		runtime.Gosched()
	}
}

// onQueue runs a latency test with a rate on a queue, and returns the row and the queue.
func onQueue(t *testing.T, interval time.Duration, arrivals option.Arrivals, n uint64, window int, q *queue) *result.Row {
	t.Helper()
	p := testPlan(option.OpSend, option.KindLatency, queueSize, n)
	p.Completion, p.TxDepth, p.Arrivals = option.ModePoll, window, arrivals
	p.RateLimit, p.RateUnits = 1e9/float64(interval), option.RateMessages
	files, errs := pair{
		device: "shm_whole", plan: p,
		wrap: func(side int, c verbs.Context) verbs.Context {
			if side == 0 {
				q.Context = c
				return q
			}
			return c
		},
		clock: func(side int) *clock.Clock {
			if side == 0 {
				return q.clock()
			}
			return clock.New()
		},
	}.run(t)
	if err := cmp.Or(errs[0], errs[1]); err != nil {
		t.Fatal(err)
	}
	return onlyRow(t, files[0])
}
