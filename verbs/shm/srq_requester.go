package shm

import "sync/atomic"

// The requester whose peer is on an SRQ; see srq_supply.go.

// claimOrRequest claims the next receive of an SRQ, and asks for one if none is supplied.
func (p *peerQP) claimOrRequest(srq uint32) outcome {
	if p.claim(srq, 1) {
		return done
	}
	request := srqRequestFor(p.next, srq)
	alreadyAsked := atomic.LoadUint64(&p.header.srqRequest) == request
	if !alreadyAsked {
		atomic.StoreUint64(&p.header.srqRequest, request)
		p.name()
		if p.awaitReceive() && p.claim(srq, 1) {
			return done
		}
	}
	if p.srqIsEmpty(srq) {
		return rnrNAK
	}
	if alreadyAsked || p.notifier.armed() {
		p.ringDoorbell()
	}
	return awaitsSRQ
}

// srqRequestFor returns the word that asks for receive i from the SRQ with the number. It is never
// 0.
func srqRequestFor(i, srq uint32) uint64 { return uint64(i+1)<<32 | srqRequestBit | uint64(srq) }

// srqRequestBit is set in every request, since the rest of the word may be 0: the number of
// receives wraps, and only XRC requests name an SRQ. It is above all SRQ numbers.
const srqRequestBit = 1 << 31

// srqIsEmpty reports whether the owner has answered that the SRQ is empty.
func (p *peerQP) srqIsEmpty(srq uint32) bool {
	return atomic.LoadUint64(&p.header.srqEmpty) == srqRequestFor(p.next, srq)
}

// claim reports whether the next receive is claimed and belongs to the SRQ. If this requester holds
// no claim, it claims at most limit supplied receives.
func (p *peerQP) claim(srq, limit uint32) bool {
	if p.claimed == 0 {
		w := atomic.LoadUint64(&p.header.supplied)
		n := min(uint32(w>>32)-p.next, limit, maxClaimed)
		if uint32(w) != p.next || n == 0 || !atomic.CompareAndSwapUint64(&p.header.supplied, w, w>>32<<32|uint64(p.next+n)) {
			return false
		}
		p.claimed = n
	}
	if p.xrcd != 0 && atomic.LoadUint32(&p.wqe().srq) != srq {
		p.releaseClaim()
	}
	return p.claimed > 0
}

// maxClaimed limits the receives that are claimed at a time.
const maxClaimed = 16

// releaseClaim releases claimed and unused receives, unless the peer keeps changing the word.
func (p *peerQP) releaseClaim() {
	for range maxCASTries {
		w := atomic.LoadUint64(&p.header.supplied)
		if atomic.CompareAndSwapUint64(&p.header.supplied, w, w>>32<<32|uint64(p.next)) {
			break
		}
	}
	p.claimed = 0
}
