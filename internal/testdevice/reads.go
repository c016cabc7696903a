package testdevice

import (
	"sync"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// lateReads holds the delayed READs of a QP. A goroutine executes them in order, each after its
// delay. They are copies: the program may reuse its requests.
type lateReads struct {
	qp    verbs.QP
	wrs   []verbs.SendWR // a ring
	sges  []verbs.SGE    // the same number for each
	due   []int64
	ended chan struct{} // closed by the goroutine

	mu      sync.Mutex
	changed *sync.Cond
	count   uint64 // number of READs
	carried uint64 // number of READs that were executed or dropped
	posting bool   // the first one is being executed
	closing bool
	err     error // of a late post
}

func newLateReads(qp verbs.QP, capacity verbs.QPCap) (*lateReads, error) {
	n := max(capacity.MaxSendWR, 1)
	wrs, err := verbs.Make[verbs.SendWR](n)
	if err != nil {
		return nil, err
	}
	sges, err := verbs.Make[verbs.SGE](n * max(capacity.MaxSendSGE, 1))
	if err != nil {
		verbs.Free(wrs)
		return nil, err
	}
	r := &lateReads{qp: qp, wrs: wrs, sges: sges, due: make([]int64, n), ended: make(chan struct{})}
	r.changed = sync.NewCond(&r.mu)
	go r.carry()
	return r, nil
}

// add adds a READ.
func (r *lateReads) add(wr *verbs.SendWR, delay func(uint64, *verbs.SendWR) time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := uint64(len(r.wrs))
	if err := r.err; err != nil {
		r.err = nil
		return err
	}
	perRead := len(r.sges) / len(r.wrs)
	if r.count-r.carried == n || int(wr.NumSGE) > perRead {
		return &verbs.OpError{Verb: "post_send", Object: "late READs", Errno: syscall.ENOMEM, Detail: "the send queue has no room"}
	}
	i := int(r.count % n)
	sges := r.sges[i*perRead:][:perRead]
	copy(sges, elements(wr))
	r.wrs[i] = *wr
	r.wrs[i].Next, r.wrs[i].SGList = nil, &sges[0]
	r.due[i] = realNow() + int64(delay(r.count, wr))
	r.count++
	r.changed.Broadcast()
	return nil
}

// carry executes the READs.
func (r *lateReads) carry() {
	defer close(r.ended)
	for {
		n, due, ok := r.next()
		if !ok {
			return
		}
		waitUntil(due)
		if !r.start(n) {
			continue
		}
		_, err := r.qp.PostSend(&r.wrs[n%uint64(len(r.wrs))])
		r.mu.Lock()
		if err != nil {
			r.err = err
		}
		r.posting = false
		r.carried++
		r.changed.Broadcast()
		r.mu.Unlock()
	}
}

// next waits for a READ and returns its number; ok is false when the QP is being closed.
func (r *lateReads) next() (n uint64, due int64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.count == r.carried && !r.closing {
		r.changed.Wait()
	}
	return r.carried, r.due[r.carried%uint64(len(r.wrs))], !r.closing
}

// start reports whether a READ is still to be executed: it was not dropped.
func (r *lateReads) start(n uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.posting = r.carried == n && !r.closing
	return r.posting
}

// drain waits until all READs are executed.
func (r *lateReads) drain() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.count != r.carried {
		r.changed.Wait()
	}
	err := r.err
	r.err = nil
	return err
}

// drop drops the delayed READs.
func (r *lateReads) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.posting {
		r.changed.Wait()
	}
	r.carried, r.err = r.count, nil
	r.changed.Broadcast()
}

// close drops the READs and ends the goroutine.
func (r *lateReads) close() error {
	r.drop()
	r.mu.Lock()
	r.closing = true
	r.changed.Broadcast()
	r.mu.Unlock()
	<-r.ended
	if err := verbs.Free(r.sges); err != nil {
		return err
	}
	return verbs.Free(r.wrs)
}
