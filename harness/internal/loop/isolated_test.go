package loop

import (
	"testing"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// postPollQP completes requests in the call that posts them, or, if it is late, in the next poll.
type postPollQP struct {
	verbs.QP
	late       bool
	wrid       uint64
	begin, end uint64
}

func (q *postPollQP) PostPoll(wr *verbs.SendWR, _ verbs.CQ, wc []verbs.WC, _ int) (n int, begin, end uint64, err error) {
	q.wrid = wr.WRID
	if !q.late && len(wc) > 0 {
		wc[0] = verbs.WC{WRID: q.wrid}
		n = 1
	}
	return n, q.begin, q.end, nil
}

// lateCQ holds the completion of a late request.
type lateCQ struct {
	verbs.CQ
	of *postPollQP
}

func (q lateCQ) PollSpin(wc []verbs.WC, _ int) (int, error) {
	wc[0] = verbs.WC{WRID: q.of.wrid}
	return 1, nil
}

// TestSampleOfOneCall: where a device posts and polls in one call, a READ's sample is the time between the
// two readings in that call, or, if its completion came later, up to the reading after the poll that found it.
func TestSampleOfOneCall(t *testing.T) {
	c := clock.New()
	if c.Hz() == 0 {
		t.Skip("the clock is not the time stamp counter, which such calls read")
	}
	const ticks = 1 << 40
	for _, late := range []bool{false, true} {
		qp := &postPollQP{late: late, begin: 1 << 30, end: 1<<30 + ticks}
		w := &Worker{test: &testcase.Case{Fetches: true, Touch: option.TouchNone}, Clock: c, spare: c, sendCQ: lateCQ{of: qp}, sendWCs: make([]verbs.WC, 1), spins: 1, halt: halt.New()}
		f := &Flow{worker: w, qp: qp}
		wr := make([]verbs.SendWR, 1)
		f.out = sender{flow: f, qp: qp, sends: wr, ends: wr, slots: 1, every: 1, due: 1}
		w.flows = []*Flow{f}
		w.expectAny()
		w.chooseCalls()
		for n := range uint64(3) {
			before := c.Now()
			posted, arrived, err := w.pingPong.exchange(w.prepareNext(f))
			after := c.Now()
			if err != nil || f.out.sent != n+1 || f.out.finished != n+1 {
				t.Fatalf("late %v: error %v, %d READs posted and %d done, want %d", late, err, f.out.sent, f.out.finished, n+1)
			}
			if posted != c.At(qp.begin) {
				t.Errorf("late %v: posted at %d, want %d", late, posted, c.At(qp.begin))
			}
			if !late && arrived != c.At(qp.end) || late && (arrived < before || arrived > after) {
				t.Errorf("late %v: arrived at %d; the call ended at %d, and the exchange took from %d to %d", late, arrived, c.At(qp.end), before, after)
			}
		}
	}
}
