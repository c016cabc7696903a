package shm

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// notifier is how the event of a CQ is raised: a word in the directory of the CQ's owner,
// which says whether the CQ is armed, and the pipe of its channel. Whoever adds a
// completion, in this process or a peer's, looks at the word and writes a token.
//
// Nobody but the owner writes the word, and each peer opens the pipe for itself. So a
// peer that dies before it has written its token, or writes what it likes, takes no event from
// others: they find the CQ armed too, and write theirs. The first one is the event.
type notifier struct {
	cq       uint32
	word     *uint64
	fd       int
	notified atomic.Uint64 // the last arming that this process wrote a token for

	mu   sync.Mutex
	gone bool // fd is closed, guarded by mu

	taken uint64 // the last arming that an event came of; the owner's, guarded by the channel's mu
}

// Bits of the word: what the CQ is armed for, and above them the number of the arming.
const (
	armNone      = 0
	armAny       = 1
	armSolicited = 2
	armMask      = 3
	armShift     = 2
)

// number is how peers know the CQ; 0 if it has no channel.
func (b *notifier) number() uint32 {
	if b == nil {
		return 0
	}
	return b.cq
}

// arm asks for one event; the stronger of two arms wins. Each arming has a number, so that a
// token for one that had its event is known from one that is due.
func (b *notifier) arm(solicitedOnly bool) {
	for {
		w := atomic.LoadUint64(b.word)
		want := uint64(armAny)
		if solicitedOnly && w&armMask != armAny {
			want = armSolicited
		}
		if atomic.CompareAndSwapUint64(b.word, w, (w>>armShift+1)<<armShift|want) {
			return
		}
	}
}

// armed tells whether somebody may sleep for the notifier.
func (b *notifier) armed() bool { return b != nil && atomic.LoadUint64(b.word)&armMask != armNone }

// notify writes a token if the CQ is armed and this process has not done so. The completion
// must be visible before: the caller stores it with a full fence, so that either the
// owner's look after arming sees the completion or this look sees the arm.
func (b *notifier) notify(solicited bool) {
	w := atomic.LoadUint64(b.word)
	if a := w & armMask; a == armNone || a == armSolicited && !solicited {
		return
	}
	if armed := w >> armShift; b.notified.Swap(armed) != armed && !b.send(armed) {
		go b.insist(armed)
	}
}

// send writes the token. It is false if the pipe is full.
func (b *notifier) send(armed uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.gone || writeToken(b.fd, token{cq: b.cq, mark: tokenMark, armed: armed}) != unix.EAGAIN
}

// insist writes the token as soon as there is room, unless a later one has been written.
func (b *notifier) insist(armed uint64) {
	for b.notified.Load() == armed && !b.send(armed) {
		time.Sleep(time.Millisecond)
	}
}

// end makes sure that nothing more is written.
func (b *notifier) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = true
}

// take tells whether the token for an arming is an event, and disarms then; under the
// channel's lock.
func (b *notifier) take(armed uint64) bool {
	w := atomic.LoadUint64(b.word)
	if armed <= b.taken || armed > w>>armShift {
		return false
	}
	b.taken = armed
	if armed == w>>armShift {
		atomic.CompareAndSwapUint64(b.word, w, armed<<armShift|armNone) // unless it is armed again by now
	}
	return true
}

// newNotifier makes the notifier of the CQ of the number on the channel.
func (ch *channel) newNotifier(num uint32) *notifier {
	e := &ch.ctx.dir.cqs[num%maxCQ]
	b := &notifier{cq: num, word: &e.armed, fd: ch.out}
	b.taken = atomic.LoadUint64(b.word) >> armShift // by the CQ that had the place before
	atomic.StoreUint32(&e.fd, uint32(ch.out))
	atomic.StoreUint64(&e.inode, ch.inode)
	atomic.StoreUint64(b.word, b.taken<<armShift|armNone)
	return b
}
