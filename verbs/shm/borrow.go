package shm

import "sync/atomic"

// The requester of a QP that takes from shared receive queues; see shared.go.

// borrow takes the next receive of a shared queue, and asks for one if there is none.
func (p *peer) borrow(srq uint32) outcome {
	if p.claim(srq, 1) {
		return done
	}
	want := wantOf(p.next, srq)
	again := atomic.LoadUint64(&p.header.want) == want
	if !again {
		atomic.StoreUint64(&p.header.want, want)
		if p.awaitReceive() && p.claim(srq, 1) {
			return done
		}
	}
	if p.none(srq) {
		return notReady
	}
	if again || p.notifier.armed() {
		p.requestLook()
	}
	return asked
}

// wantOf is the word that asks for receive i of the shared queue of the number. It is 0 for none.
func wantOf(i, srq uint32) uint64 { return uint64(i+1)<<32 | wants | uint64(srq) }

// wants is set in a word that asks, since the rest of it may be 0: the number of receives wraps, and
// requests of other types than XRC name no queue. It is above all numbers of SRQs.
const wants = 1 << 31

// none tells whether the owner said that it has none.
func (p *peer) none(srq uint32) bool { return atomic.LoadUint64(&p.header.none) == wantOf(p.next, srq) }

// claim takes receives that were lent, unless some are taken: so many at most. It tells whether
// the next one is now taken and of the queue.
func (p *peer) claim(srq, most uint32) bool {
	if p.claimed == 0 {
		w := atomic.LoadUint64(&p.header.lent)
		n := min(uint32(w>>32)-p.next, most, claimMost)
		if uint32(w) != p.next || n == 0 || !atomic.CompareAndSwapUint64(&p.header.lent, w, w>>32<<32|uint64(p.next+n)) {
			return false
		}
		p.claimed = n
	}
	if p.xrcd != 0 && atomic.LoadUint32(&p.wqe().srq) != srq {
		p.unclaim()
	}
	return p.claimed > 0
}

// claimMost is how many receives are taken at a time.
const claimMost = 16

// unclaim gives back what is taken and not used, unless the peer plays with the word.
func (p *peer) unclaim() {
	for range claimTries {
		w := atomic.LoadUint64(&p.header.lent)
		if atomic.CompareAndSwapUint64(&p.header.lent, w, w>>32<<32|uint64(p.next)) {
			break
		}
	}
	p.claimed = 0
}
