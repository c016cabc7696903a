package verbstest

import (
	"runtime"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// queue is a CQ with memory to poll into.
type queue struct {
	verbs.CQ
	e  *env
	wc []verbs.WC
}

func (e *env) queue(ctx verbs.Context, cqe int, ch verbs.CompChannel) *queue {
	e.Helper()
	cq, err := ctx.CreateCQ(cqe, ch, 0)
	e.ok(err)
	return e.queueOf(cq)
}

func (e *env) queueOf(cq verbs.CQ) *queue {
	e.Helper()
	return &queue{own(e, cq, nil), e, array[verbs.WC](e, 4*depth)}
}

// next waits for n completions.
func (q *queue) next(n int) []verbs.WC {
	q.e.Helper()
	got, end := 0, time.Now().Add(patience)
	for got < n {
		k, err := q.Poll(q.wc[got:n])
		q.e.ok(err)
		if got += k; k == 0 {
			if time.Now().After(end) {
				q.e.Fatalf("%d of %d completions after %v", got, n, patience)
			}
			runtime.Gosched()
		}
	}
	return append([]verbs.WC(nil), q.wc[:n]...)
}

// of waits for the completion of the request.
func (q *queue) of(id uint64) verbs.WC {
	q.e.Helper()
	wc := q.next(1)[0]
	if wc.WRID != id {
		q.e.Fatalf("completion wr_id %d %s, want wr_id %d", wc.WRID, wc.Status, id)
	}
	return wc
}

// gives waits for the completion of the request with the status.
func (q *queue) gives(id uint64, status verbs.WCStatus) verbs.WC {
	q.e.Helper()
	wc := q.of(id)
	if wc.Status != status {
		q.e.Fatalf("completion wr_id %d %s, want %s", id, wc.Status, status)
	}
	return wc
}

// empty checks that no completion is there.
func (q *queue) empty() {
	q.e.Helper()
	if n, err := q.Poll(q.wc[:1]); n != 0 || err != nil {
		q.e.Fatalf("unexpected completion %+v, %v", q.wc[0], err)
	}
}

// staysEmpty checks that no completion comes for a while.
func (q *queue) staysEmpty() {
	q.e.Helper()
	for end := time.Now().Add(quiet); time.Now().Before(end); runtime.Gosched() {
		q.empty()
	}
}

// discard polls what is there, whatever it is.
func (q *queue) discard() {
	q.e.Helper()
	for n := 1; n > 0; {
		var err error
		n, err = q.Poll(q.wc)
		q.e.ok(err)
	}
}
