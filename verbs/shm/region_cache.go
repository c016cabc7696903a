package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/quiesce"
)

// A request is checked against some forty words of both sides: states, keys, rights, bounds. They
// change rarely. The side that changes one counts the change in its directory before it waits for
// requesters to leave. A requester that finds both counts unchanged, after its word became odd, may
// therefore rely on what it has looked up before. It compares the counts before each request and
// each chunk.

// requesterCache holds what the requester has looked up. The QP's lock guards it.
type requesterCache struct {
	ownChanges, peerChanges uint64 // change counts before the lookup
	ownCounter, peerCounter *uint64

	state    verbs.QPState
	peer     *peerQP // nil: not reached yet
	fastPath bool    // the fast path may execute requests
	local    [localKinds]cachedRegion
	remote   [remoteKinds]cachedRegion
}

// Indexes of the cached regions: the regions used last, by use.
const (
	localSource = iota // data of WRITEs and SENDs
	localDest          // result of READs and atomic operations
	localKinds
)

const (
	remoteDest   = iota // destination of WRITEs
	remoteSource        // source of READs
	remoteAtomic        // operand of atomic operations
	remoteRecv          // memory of receives
	remoteKinds

	remoteNone = remoteKinds // the request has no remote part
)

// emptyCache returns a cache that is never valid.
func emptyCache() requesterCache {
	return requesterCache{ownChanges: 1, ownCounter: new(uint64), peerCounter: new(uint64)}
}

// valid reports whether the cache is still valid.
func (v *requesterCache) valid() bool {
	return quiesce.Difference(v.ownCounter, v.ownChanges)|quiesce.Difference(v.peerCounter, v.peerChanges) == 0
}

// refreshCache empties the cache. It also advances the requester's word, which counts as leaving
// for threads that quiesce. The caller calls endBatch first, except within a request, which keeps
// its receive.
func (q *qp) refreshCache() {
	quiesce.Restart(&q.entry.requesterSeq)
	q.cache = requesterCache{ownCounter: &q.ctx.dir.changes, peerCounter: &q.ctx.dir.changes}
	if r := q.peerCtx.Load(); r != nil {
		q.cache.peerCounter = &r.dir.changes
	}
	q.cache.ownChanges, q.cache.peerChanges = quiesce.Changes(q.cache.ownCounter), quiesce.Changes(q.cache.peerCounter)
	q.cache.state = verbs.QPState(q.state.Load())
}

// cachedRegion is a region as requests name it. The zero value contains no memory.
type cachedRegion struct {
	key     uint32
	relaxed bool   // registered with AccessRelaxedOrdering
	addr    uint64 // address of the first byte
	mem     []byte
}

// localMemory returns the local memory of an SGE, or nil if key, PD, bounds or access do not allow
// it.
func (q *qp) localMemory(s *verbs.SGE, k *opKind) []byte {
	w := &q.cache.local[k.local]
	b := w.slice(s.LKey, s.Addr, uint64(s.Length))
	if b == nil {
		*w = q.ctx.lookUpRegion(s.LKey, q.pd, k.localAccess)
		b = w.slice(s.LKey, s.Addr, uint64(s.Length))
	}
	return b
}

// lookUpRegion returns the local region with the key, if it is in the PD and allows the access.
func (c *context) lookUpRegion(key uint32, pd *pd, need verbs.Access) cachedRegion {
	i := keyIndex(key)
	if i >= maxMR {
		return cachedRegion{}
	}
	m := c.mrs.slot(i).Load()
	if m == nil || m.mw != nil || m.key != key || m.pd != pd || m.access&need != need {
		return cachedRegion{}
	}
	return cachedRegion{key, m.access&verbs.AccessRelaxedOrdering != 0, m.addr, m.buf}
}

// remoteMemory returns the peer's memory [addr, addr+n), or nil if key, PD, bounds or access do not
// allow it.
func (q *qp) remoteMemory(p *peerQP, k *opKind, key, pd uint32, addr, n uint64) ([]byte, outcome) {
	w := &q.cache.remote[k.remote]
	b := w.slice(key, addr, n)
	if b != nil {
		return b, done
	}
	need := k.remoteAccess
	if need == 0 {
		need = verbs.AccessLocalWrite // for a receive
	}
	found, err := p.lookUpRegion(key, pd, need)
	switch {
	case isTransient(err):
		return nil, outOfResources
	case err != nil:
		return nil, noResponse
	}
	*w = found
	return w.slice(key, addr, n), done
}

// lookUpRegion returns the peer's region with the key, if it is in the PD and allows the access.
// The peer can change the entry at any time, so each value is read once, and all are checked
// together against the mapping. An error means that the region exists and its memory cannot be
// opened, either for lack of resources or since the peer's process is ending.
func (p *peerQP) lookUpRegion(key, pd uint32, need verbs.Access) (cachedRegion, error) {
	r, i := p.peerCtx, keyIndex(key)
	if i >= maxMR || key == 0 {
		return cachedRegion{}, nil
	}
	e := &r.dir.mrs[i]
	if atomic.LoadUint32(&e.key) != key {
		return cachedRegion{}, nil
	}
	start, length, offset := atomic.LoadUint64(&e.addr), atomic.LoadUint64(&e.length), atomic.LoadUint64(&e.offset)
	fd, inode := atomic.LoadUint32(&e.fd), atomic.LoadUint64(&e.inode)
	access := verbs.Access(atomic.LoadUint32(&e.access))
	if atomic.LoadUint32(&e.pd) != pd || !p.mayUse(e, i) || access&need != need {
		return cachedRegion{}, nil
	}
	b, err := r.mapRegion(fd, inode)
	switch {
	case atomic.LoadUint32(&e.key) != key || err == errPeer:
		return cachedRegion{}, nil
	case err != nil:
		return cachedRegion{}, err
	case offset > uint64(len(b)) || length > uint64(len(b))-offset:
		return cachedRegion{}, nil
	}
	return cachedRegion{key, access&verbs.AccessRelaxedOrdering != 0, start, b[offset : offset+length]}, nil
}
