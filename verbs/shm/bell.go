package shm

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// bell is how the event of a CQ is raised: a word in the directory of the CQ's owner,
// which says whether the CQ is armed, and a socket that leads to its channel. Whoever adds a
// completion, in this process or a peer's, looks at the word and sends a token.
//
// Nobody but the owner writes the word, and each peer has a socket of its own. So a
// peer that dies before it has sent its token, or sends what it likes, takes no event from others:
// they find the CQ armed too, and send theirs. The first one is the event.
type bell struct {
	cq   uint32
	word *uint64
	fd   int
	rung atomic.Uint64 // the last arming that this process sent a token for

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

// arm asks for one event; the stronger of two arms wins. Each arming has a number, so that a
// token for one that had its event is known from one that is due.
func (b *bell) arm(solicitedOnly bool) {
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

// armed tells whether somebody may sleep for the bell.
func (b *bell) armed() bool { return b != nil && atomic.LoadUint64(b.word)&armMask != armNone }

// ring sends a token if the CQ is armed and this process has not done so. The completion
// must be visible before: the caller stores it with a full fence, so that either the
// owner's look after arming sees the completion or this look sees the arm.
func (b *bell) ring(solicited bool) {
	w := atomic.LoadUint64(b.word)
	if a := w & armMask; a == armNone || a == armSolicited && !solicited {
		return
	}
	if armed := w >> armShift; b.rung.Swap(armed) != armed {
		b.send(armed)
	}
}

// send sends the token, later if the owner has not read many others.
func (b *bell) send(armed uint64) {
	if sendToken(b.fd, token{cq: b.cq, armed: armed}) == unix.EAGAIN {
		go b.insist(armed)
	}
}

// insist sends the token as soon as there is room, unless a later one has been sent for.
func (b *bell) insist(armed uint64) {
	for b.rung.Load() == armed && b.full(armed) {
		time.Sleep(time.Millisecond)
	}
}

// full sends the token, or is true if there is no room.
func (b *bell) full(armed uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.gone && sendToken(b.fd, token{cq: b.cq, armed: armed}) == unix.EAGAIN
}

// end makes sure that nothing more is sent.
func (b *bell) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = true
}

// take tells whether the token for an arming is an event, and disarms then; under the
// channel's lock.
func (b *bell) take(armed uint64) bool {
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

// newBell makes the bell of a CQ on the channel.
func (ch *channel) newBell() (*bell, error) {
	c := ch.ctx
	c.mu.Lock()
	defer c.mu.Unlock()
	for range maxCQ {
		c.nextCQ++
		if !c.bells[c.nextCQ%maxCQ] {
			break
		}
	}
	if c.bells[c.nextCQ%maxCQ] {
		return nil, c.err("create_cq", enomem, "all CQs are in use")
	}
	c.bells[c.nextCQ%maxCQ] = true
	b := &bell{cq: c.nextCQ, word: &c.dir.cqs[c.nextCQ%maxCQ].armed, fd: ch.own.out}
	b.taken = atomic.LoadUint64(b.word) >> armShift // by the CQ that had the place before
	b.rung.Store(b.taken)
	atomic.StoreUint64(b.word, b.taken<<armShift|armNone)
	return b, nil
}

// free gives the CQ's place in the directory back.
func (c *context) free(b *bell) {
	b.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.bells, b.cq%maxCQ)
}

// bell returns the peer's bell of the CQ, whose socket came with a QP.
func (r *remote) bell(cq uint32, fd int) (*bell, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.bells[cq]
	switch {
	case known != nil:
	case r.bells == nil || !isDoor(fd):
		unix.Close(fd)
		return nil, errPeer
	default:
		known = &bell{cq: cq, word: &r.dir.cqs[cq%maxCQ].armed, fd: fd}
		r.bells[cq] = known
		return known, nil
	}
	unix.Close(fd)
	return known, nil
}

// isDoor tells whether a descriptor that a peer sent is what it should be: a send to other
// sockets can block although it is told not to.
func isDoor(fd int) bool {
	domain, err1 := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	kind, err2 := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return err1 == nil && err2 == nil && domain == unix.AF_UNIX && kind == unix.SOCK_SEQPACKET
}
