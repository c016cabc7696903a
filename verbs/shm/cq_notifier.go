package shm

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// notifier raises a CQ's completion events. It consists of a word in the owner's directory, which
// has the arm state of the CQ, and the pipe of its channel. A thread that adds a completion, in
// this process or in a peer, reads the word and, if the CQ is armed, writes a token.
//
// Only the owner writes the word, and each process opens the pipe for itself. A peer that dies
// before it has written its token, or that writes garbage, therefore does not suppress the events
// of others: they read the armed word too, and write their own tokens. The first token for an
// arming becomes the event.
type notifier struct {
	cq           uint32
	armWord      *uint64
	fd           int
	lastNotified atomic.Uint64 // last arming for which this process wrote a token

	mu     sync.Mutex
	closed bool // fd is closed; guarded by mu

	lastTaken uint64 // owner only: last arming that became an event; guarded by the channel's mu
}

// Bits of the word: the arm state, and above it the number of the arming.
const (
	armNone      = 0
	armAny       = 1
	armSolicited = 2
	armMask      = 3
	armShift     = 2
)

// number returns the number by which peers know the CQ, or 0 without a channel.
func (n *notifier) number() uint32 {
	if n == nil {
		return 0
	}
	return n.cq
}

// arm arms the CQ for one event; a request for any completion overrides one for solicited
// completions. Each arming has a number, which distinguishes current tokens from stale ones.
func (n *notifier) arm(solicitedOnly bool) {
	for {
		w := atomic.LoadUint64(n.armWord)
		want := uint64(armAny)
		if solicitedOnly && w&armMask != armAny {
			want = armSolicited
		}
		if atomic.CompareAndSwapUint64(n.armWord, w, (w>>armShift+1)<<armShift|want) {
			return
		}
	}
}

// armed reports whether the CQ is armed, so that its owner may be asleep.
func (n *notifier) armed() bool { return n != nil && atomic.LoadUint64(n.armWord)&armMask != armNone }

// notify writes a token if the CQ is armed and this process has not written one for this arming.
// The caller has stored the completion with a full fence. So either the owner's poll after arming
// finds the completion, or this read finds the CQ armed.
func (n *notifier) notify(solicited bool) {
	w := atomic.LoadUint64(n.armWord)
	if a := w & armMask; a == armNone || a == armSolicited && !solicited {
		return
	}
	if armed := w >> armShift; n.lastNotified.Swap(armed) != armed && !n.send(armed) {
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
	for n.lastNotified.Load() == armed && !n.send(armed) {
		time.Sleep(time.Millisecond)
	}
}

// close prevents further writes.
func (n *notifier) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
}

// consume reports whether the token for an arming is an event, and if so disarms the CQ. The caller
// holds the channel's lock.
func (n *notifier) consume(armed uint64) bool {
	w := atomic.LoadUint64(n.armWord)
	if armed <= n.lastTaken || armed > w>>armShift {
		return false
	}
	n.lastTaken = armed
	if armed == w>>armShift {
		atomic.CompareAndSwapUint64(n.armWord, w, armed<<armShift|armNone) // unless the CQ was armed again
	}
	return true
}

// newNotifier returns the notifier of the CQ with the number on the channel.
func (ch *channel) newNotifier(num uint32) *notifier {
	e := &ch.ctx.dir.cqs[num%maxCQ]
	n := &notifier{cq: num, armWord: &e.armed, fd: ch.writeFD}
	n.lastTaken = atomic.LoadUint64(n.armWord) >> armShift // armings of the previous CQ in this slot
	atomic.StoreUint32(&e.fd, uint32(ch.writeFD))
	atomic.StoreUint64(&e.inode, ch.inode)
	atomic.StoreUint64(n.armWord, n.lastTaken<<armShift|armNone)
	return n
}
