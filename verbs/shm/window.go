package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// What a request may do follows from some forty words of both sides: states, keys,
// rights, bounds. They change seldom, and each change is counted in the directory of
// its side before its maker waits until requesters are out. So a requester that finds
// both counts as they were, once its word is odd, may go on by what it found
// then: that is what it knows. It compares the counts for each request, and for each chunk of a
// longer one.

// known is what the requester has found. Guarded by the QP's lock.
type known struct {
	mine, theirs     uint64 // counts of changes before it looked
	mineAt, theirsAt *uint64

	state verbs.QPState
	peer  *peer // that can be reached
	again bool  // requests may be carried out by again
	near  [nearKinds]window
	far   [farKinds]window
}

// The windows of what is known: the regions used last, by what they were used for.
const (
	nearFrom = iota // this side's, sent from
	nearTo          // stored to
	nearKinds
)

const (
	farTo      = iota // the peer's, stored to
	farFrom           // read from
	farWord           // worked on by atomic operations
	farReceive        // of receives
	farKinds

	farNothing = farKinds // the request is carried out at this side
)

// nothing is known before the first request, and never current.
func nothing() known { return known{mine: 1, mineAt: new(uint64), theirsAt: new(uint64)} }

// current tells whether what was found still counts.
func (v *known) current() bool {
	mine, theirs := atomic.LoadUint64(v.mineAt)^v.mine, atomic.LoadUint64(v.theirsAt)^v.theirs
	return mine|theirs == 0
}

// renew forgets what was found before and tells whoever waits for this requester that it has
// been out. Between two requests endRun comes first; within one the receive stays taken.
func (q *qp) renew() {
	atomic.AddUint32(&q.entry.turns, 2)
	q.known = known{mineAt: &q.ctx.dir.changes, theirsAt: &q.ctx.dir.changes}
	if r := q.remote.Load(); r != nil {
		q.known.theirsAt = &r.dir.changes
	}
	q.known.mine, q.known.theirs = atomic.LoadUint64(q.known.mineAt), atomic.LoadUint64(q.known.theirsAt)
	q.known.state = verbs.QPState(q.state.Load())
}

// window is a region as requests name it. The zero window shows nothing.
type window struct {
	key   uint32
	first uint64 // address of the first byte
	bytes []byte
}

// nearMemory returns the memory that an SGE of this side names, or nil if key, domain, bounds
// or access do not allow it.
func (q *qp) nearMemory(s *verbs.SGE, k *kind) []byte {
	w := &q.known.near[k.near]
	b := w.at(s.LKey, s.Addr, uint64(s.Length))
	if b == nil {
		*w = q.ctx.window(s.LKey, q.pd, k.need)
		b = w.at(s.LKey, s.Addr, uint64(s.Length))
	}
	return b
}

// window returns the region of this side that has the key, if it gives the access
// within the domain.
func (c *context) window(key uint32, pd *pd, need verbs.Access) window {
	i := keyIndex(key)
	if i >= maxMR {
		return window{}
	}
	m := c.mrs.at(i).Load()
	if m == nil || m.mw != nil || m.key != key || m.pd != pd || m.access&need != need {
		return window{}
	}
	return window{key, m.addr, m.buf}
}

// farMemory returns the peer's memory [addr, addr+n), or nil if key, domain, bounds or access
// do not allow it.
func (q *qp) farMemory(p *peer, k *kind, key, pd uint32, addr, n uint64) ([]byte, outcome) {
	w := &q.known.far[k.far]
	b := w.at(key, addr, n)
	if b != nil {
		return b, done
	}
	need := k.right
	if need == 0 {
		need = verbs.AccessLocalWrite // of a receive
	}
	found, err := p.window(key, pd, need)
	switch {
	case passing(err):
		return nil, lacking
	case err != nil:
		return nil, silent
	}
	*w = found
	return w.at(key, addr, n), done
}

// window returns the peer's region that has the key, if it gives the access within
// the domain. The entry is the peer's: every value is taken once, and what they say
// together is checked against the mapping. An error tells of memory that cannot be opened
// although it has a region: its process is ending.
func (p *peer) window(key, pd uint32, need verbs.Access) (window, error) {
	r, i := p.remote, keyIndex(key)
	if i >= maxMR || key == 0 {
		return window{}, nil
	}
	e := &r.dir.mrs[i]
	if atomic.LoadUint32(&e.key) != key {
		return window{}, nil
	}
	start, length, offset := atomic.LoadUint64(&e.addr), atomic.LoadUint64(&e.length), atomic.LoadUint64(&e.offset)
	fd, inode := atomic.LoadUint32(&e.fd), atomic.LoadUint64(&e.inode)
	if atomic.LoadUint32(&e.pd) != pd || !p.through(e, i) || verbs.Access(atomic.LoadUint32(&e.access))&need != need {
		return window{}, nil
	}
	b, err := r.region(fd, inode)
	switch {
	case atomic.LoadUint32(&e.key) != key || err == errPeer:
		return window{}, nil
	case err != nil:
		return window{}, err
	case offset > uint64(len(b)) || length > uint64(len(b))-offset:
		return window{}, nil
	}
	return window{key, start, b[offset : offset+length]}, nil
}
