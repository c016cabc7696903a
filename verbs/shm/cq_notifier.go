package shm

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs/shm/internal/arming"
	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// notifier raises a CQ's completion events. It consists of a word in the owner's directory, see
// package arming, and the pipe of its channel, which each process opens for itself. A peer that dies
// before it has written its token, or that writes garbage, does not suppress the events of others:
// they read the armed word too, and write their own tokens.
type notifier struct {
	cq      uint32
	word    *arming.Word
	fd      int
	written arming.Written // by this process

	mu     lockorder.Mutex[lockorder.Notifier]
	closed bool // fd is closed; guarded by mu

	taken arming.Taken // owner only; guarded by the channel's mu
}

// number returns the number by which peers know the CQ, or 0 without a channel.
func (n *notifier) number() uint32 {
	if n == nil {
		return 0
	}
	return n.cq
}

// armed reports whether the CQ is armed, so that its owner may be asleep.
func (n *notifier) armed() bool { return n != nil && arming.Armed(n.word) }

// notify writes a token if the CQ is armed and this process has not written one for this arming.
// The caller has stored the completion with a full fence.
func (n *notifier) notify(solicited bool) {
	if armed, wants := arming.Wants(n.word, solicited); wants && n.written.First(armed) && !n.send(armed) {
		go n.sendLater(armed)
	}
}

// send writes the token, and reports whether the pipe had room for it.
func (n *notifier) send(armed uint64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.closed || writeToken(n.fd, token{cq: n.cq, mark: tokenMark, armed: armed}) != unix.EAGAIN
}

// sendLater writes the token when the pipe has room, unless a later one was written.
func (n *notifier) sendLater(armed uint64) {
	for n.written.IsLast(armed) && !n.send(armed) {
		time.Sleep(time.Millisecond)
	}
}

// close prevents further writes.
func (n *notifier) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
}

// newNotifier returns the notifier of the CQ with the number on the channel.
func (ch *channel) newNotifier(num uint32) *notifier {
	e := &ch.ctx.dir.cqs[num%maxCQ]
	n := &notifier{cq: num, word: &e.armed, fd: ch.writeFD}
	n.taken.Last = arming.Number(n.word) // armings of the previous CQ in this slot
	atomic.StoreUint32(&e.fd, uint32(ch.writeFD))
	atomic.StoreUint64(&e.inode, ch.inode)
	arming.Disarm(n.word)
	return n
}
