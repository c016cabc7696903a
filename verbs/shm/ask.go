package shm

import (
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// A requester asks the peer's context for memory at the first touch: for the receive
// queue of the QP that it is connected to, and for regions. A device needs no process to
// answer, so a process that is slow, stopped or short of descriptors must not end healthy
// connections: the request that needs the answer waits in the send queue, and no other QP
// is affected.

// inquiry is a question to a peer's context. What the answer brings is kept by the
// remote before the inquiry ends.
type inquiry struct {
	op      askOp
	arg     uint32
	serial  uint32
	result  syscall.Errno // of the peer, valid when ended is closed
	ended   chan struct{}
	stale   bool  // for a region: a note says that it is closed; guarded by the remote's mu
	waiting []*qp // whose engines are to be woken, guarded by the remote's mu
}

const (
	// answerLimit is how long a peer that is there may take to answer, at least.
	answerLimit = 5 * time.Second
	// answerLook is how often a request that waits for an answer looks after it.
	answerLook = 10 * time.Millisecond
	// answerSoon is how long PostSend waits itself, so that the first request of a
	// connection seldom takes the way through the send queue.
	answerSoon = 100 * time.Millisecond
)

func (in *inquiry) hasEnded() bool {
	select {
	case <-in.ended:
		return true
	default:
		return false
	}
}

// await waits for the answer, and is false if none has come in time.
func (in *inquiry) await(within time.Duration, lost, stop <-chan struct{}) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-in.ended:
		return true
	case <-lost:
	case <-stop:
	case <-timer.C:
	}
	return false
}

// short tells whether the error may pass: a want of descriptors or memory, or a region that
// was closed and may have come again.
func short(errno syscall.Errno) bool {
	switch errno {
	case syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.ETOOMANYREFS, syscall.EAGAIN:
		return true
	}
	return false
}

// ask asks the peer, unless the same question is under way.
func (r *remote) ask(op askOp, arg uint32) *inquiry {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, in := range r.inquiries {
		if in.op == op && in.arg == arg {
			return in
		}
	}
	r.serial++
	in := &inquiry{op: op, arg: arg, serial: r.serial, ended: make(chan struct{})}
	r.inquiries[in.serial] = in
	r.send(request{op: op, arg: arg, serial: in.serial})
	return in
}

// wakes has the QP's engine woken by the answer.
func (r *remote) wakes(q *qp, in *inquiry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(in.waiting, q) {
		in.waiting = append(in.waiting, q)
	}
}

// answered keeps what an answer brings and wakes who waits for it. It is false if nobody asked.
func (r *remote) answered(a answer) bool {
	r.mu.Lock()
	in := r.inquiries[a.serial]
	delete(r.inquiries, a.serial)
	r.mu.Unlock()
	if in == nil {
		closeAll(a.fds)
		return false
	}
	in.result = r.keepAnswer(in, a)
	close(in.ended)
	r.slow.Store(false)
	r.mu.Lock()
	waiting := in.waiting
	r.mu.Unlock()
	for _, q := range waiting {
		q.ctx.engine.wake(q)
	}
	return true
}

func (r *remote) keepAnswer(in *inquiry, a answer) syscall.Errno {
	if errno := a.check(in.op); errno != 0 {
		closeAll(a.fds)
		return errno
	}
	var err error
	switch in.op {
	case askDirectory:
		err = r.keepDirectory(a.fds[0])
	case askQP:
		err = r.keepQueues(in.arg, a)
	case askRegion:
		err = r.keepRegion(in, a.fds[0])
	}
	if err != nil {
		return errnoOf(err)
	}
	return 0
}

// check tells whether the answer has what the request is answered with.
func (a answer) check(op askOp) syscall.Errno {
	want := 1
	if op == askQP {
		want += int(a.ahead)
		if a.bell != 0 {
			want++
		}
	}
	if a.errno == 0 && len(a.fds) != want {
		return syscall.EPROTO
	}
	return syscall.Errno(a.errno)
}

// inquire asks the peer for what the QP's request lacks, under lock, and reports whether
// the peer has answered: a request that lacks it still goes on without.
func (q *qp) inquire(op askOp, arg uint32) bool {
	in := q.inquiry
	if in == nil || in.op != op || in.arg != arg {
		q.inquiry = q.remote.Load().ask(op, arg)
		return false
	}
	if !in.hasEnded() {
		return false
	}
	q.inquiry = nil // the next request asks again
	return !short(in.result)
}

// answerSoon waits a little for the answer that the request at hand needs.
func (q *qp) answerSoon() bool {
	r := q.remote.Load()
	if q.inquiry == nil || r.slow.Load() {
		return false
	}
	if !q.inquiry.await(answerSoon, r.lost, nil) {
		r.slow.Store(true)
		return false
	}
	return !short(q.inquiry.result)
}

// introduced reports whether the peer's receive queue is here, or cannot come.
func (q *qp) introduced() bool {
	r := q.remote.Load()
	return r == nil || r.dead.Load() || r.hasAhead(q.attr.DestQPNum) || q.inquire(askQP, q.attr.DestQPNum)
}

// regionsHere reports whether the peer's memory that the request of n bytes uses is here,
// or cannot come.
func (q *qp) regionsHere(p *peer, w *work, n uint64) bool {
	if opsSend>>w.op&1 == 0 {
		return q.regionHere(&p.target, w.rkey)
	}
	var buf [maxSGE]verbs.SGE
	sges, _ := p.receive(&buf)
	for i := 0; i < len(sges) && n > 0; i++ {
		s := &sges[i]
		if s.Length > 0 && !q.regionHere(&p.scatter, s.LKey) {
			return false
		}
		n -= min(n, uint64(s.Length))
	}
	return true
}

func (q *qp) regionHere(known *lastRegion, key uint32) bool {
	i, r := keyIndex(key), q.remote.Load()
	if i >= maxMR || key == 0 || atomic.LoadUint32(&r.dir.mrs[i].key) != key {
		return true // which is refused without asking
	}
	id := atomic.LoadUint32(&r.dir.mrs[i].region)
	return known.bytes != nil && known.id == id || r.region(id) != nil || q.inquire(askRegion, id)
}
