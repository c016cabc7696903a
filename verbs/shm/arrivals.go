package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs/internal/store"
)

// Rings in which the requesters of a context name the peers' QPs that have new records, for CQs that ask for names; see cq_names.go.
// There are several, so that CQs mostly have different ones. If they do not, a CQ also reads names of QPs that are not its own, and
// ignores them.

const (
	arrivalRings = 64
	arrivalSlots = 256 // a power of two
)

// arrivalRing holds the numbers of QPs that have new records: entry i is in slot i modulo arrivalSlots, with i+1 in its upper half.
type arrivalRing [arrivalSlots]uint64

// arrivals is a ring as its requesters see it.
type arrivals struct {
	mu   spinLock
	ring *arrivalRing
	next uint32 // number of the next entry; guarded by mu
}

// add names a QP whose new records are published.
func (a *arrivals) add(num uint32) {
	a.mu.Lock()
	i := a.next
	a.next++
	store.Release64(&a.ring[i%arrivalSlots], uint64(i+1)<<32|uint64(num))
	a.mu.Unlock()
}

// arrivalReader is a ring as a CQ of the peer sees it. The CQ's lock guards it.
type arrivalReader struct {
	peer *peerContext // of which QPs of the CQ have a reference, so that its directory stays mapped
	ring *arrivalRing
	next uint32 // number of the next entry
	qps  int    // of the CQ that are connected to the peer
}

// newArrivalReader returns a reader that begins with the entries that the ring still has.
func newArrivalReader(peer *peerContext, number uint32) *arrivalReader {
	r := &arrivalReader{peer: peer, ring: &peer.dir.arrivals[number-1]}
	if first := uint32(atomic.LoadUint64(&r.ring[0]) >> 32); first != 0 {
		r.next = first - 1
	}
	return r
}

// read returns the number of the QP of the next entry, if there is one. lost reports that entries were overwritten before they were
// read; the next read goes on with later ones.
func (r *arrivalReader) read() (num uint32, found, lost bool) {
	entry := atomic.LoadUint64(&r.ring[r.next%arrivalSlots])
	switch at := uint32(entry >> 32); {
	case at == r.next+1:
		r.next++
		return uint32(entry), true, false
	case at == r.next+1-arrivalSlots, at == 0 && r.next < arrivalSlots:
		return 0, false, false
	default:
		r.next = at - 1
		return 0, false, true
	}
}
