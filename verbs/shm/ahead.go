package shm

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// The owner answers who asks for a receive queue with those of the QPs after it
// too, if they are connected to the same context: a process with many QPs asks
// once for many of them, not once for each, which is a wait for another process.

// maxAhead is how many queues may come along.
const maxAhead = 31

// queue is a peer's receive queue, mapped here.
type queue struct {
	mem    []byte
	layout recvLayout
	bell   *bell
}

// neighbour tells whether the QP's queue may come along with that of q: it is of
// the same kind, for the same peer, and has not been handed out before.
func (q *qp) neighbour(next *qp) bool {
	return next.typ == q.typ && next.srq == q.srq && next.recvCQ == q.recvCQ && next.recv.layout == q.recv.layout &&
		atomic.LoadUint64(&next.entry.destID) == atomic.LoadUint64(&q.entry.destID) && !next.handed
}

// comingAlong returns the descriptors of the queues of the QPs after q, as far as
// they are neighbours; under the context's lock.
func (c *context) comingAlong(q *qp) (fds []int) {
	for i := numIndex(q.num) + 1; i < maxQP && len(fds) < maxAhead; i++ {
		next := c.qps[i]
		if next == nil || next.num != q.num+uint32(len(fds))+1 || !q.neighbour(next) {
			break
		}
		next.handed = true
		fds = append(fds, next.recv.file.FD())
	}
	return fds
}

// keepQueues keeps the receive queue of a QP that was asked for, and those that come along.
func (r *remote) keepQueues(num uint32, a answer) (err error) {
	q := queue{layout: recvLayout{n: a.n, maxSGE: a.sge}}
	if !q.layout.valid() {
		closeAll(a.fds)
		return errPeer
	}
	queues := a.fds[:1+a.ahead]
	if a.reply.bell != 0 {
		if q.bell, err = r.bell(a.reply.bell, a.fds[len(queues)]); err != nil {
			closeAll(queues)
			return err
		}
	}
	for i, fd := range queues[1:] {
		r.keepAhead(num+uint32(i)+1, q, fd) // if it fails it will be asked for, and fail, by itself
	}
	return r.keepAhead(num, q, queues[0])
}

// keepAhead keeps a queue, like q but in fd, unless it is there already.
func (r *remote) keepAhead(num uint32, q queue, fd int) (err error) {
	if q.mem, err = r.mapFD(fd, q.layout.size(), unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, there := r.ahead[num]; there || r.ahead == nil {
		return unix.Munmap(q.mem)
	}
	r.ahead[num] = q
	return nil
}

func (r *remote) hasAhead(num uint32) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, there := r.ahead[num]
	return there
}

// takeAhead returns the queue of a QP if it has come.
func (r *remote) takeAhead(num uint32) (queue, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q, ok := r.ahead[num]
	delete(r.ahead, num)
	return q, ok
}

// dropAhead gives back a queue that nobody used.
func (r *remote) dropAhead(num uint32) {
	if q, ok := r.takeAhead(num); ok {
		unix.Munmap(q.mem)
	}
}
