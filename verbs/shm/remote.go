package shm

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// remote is a peer's context as this process sees it: the socket to ask for
// memory, the directory, and the memory asked for so far. QPs share it.
type remote struct {
	ctx  *context // of this side
	id   uint64
	conn *net.UnixConn
	dir  *directory
	dead atomic.Bool // nothing is asked any more: the peer is gone, did not answer, or broke the protocol
	gone atomic.Bool // the peer ended the connection, which it does when its requesters are out

	ask     sync.Mutex // one request at a time
	replies chan answer

	finding sync.Mutex // one region at a time
	found   uint32     // the last one looked for; 0: it was closed since; guarded by mu

	mu      sync.Mutex
	regions map[uint32][]byte
	bells   map[uint32]*bell
	ahead   map[uint32]queue // that came along, by number
	waiting map[uint32]*qp   // for notes, by number
	maps    [][]byte         // everything else mapped, for close
	refs    int              // guarded by the context's lock
}

type answer struct {
	reply
	fds []int
}

var errPeer = errors.New("the peer broke the embedded device's protocol")

// remoteOf returns the peer context with the id, connecting to it if needed.
func (c *context) remoteOf(id uint64) (*remote, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, net.ErrClosed
	}
	if r := c.remotes[id]; r != nil && !r.dead.Load() {
		r.refs++
		return r, nil
	}
	conn, err := dial(id)
	if err != nil {
		return nil, err
	}
	r := &remote{
		ctx: c, id: id, conn: conn, replies: make(chan answer, 1), refs: 1,
		regions: map[uint32][]byte{}, bells: map[uint32]*bell{}, ahead: map[uint32]queue{}, waiting: map[uint32]*qp{},
	}
	go r.read()
	// The peer may be this very context, whose lock is held: let it answer.
	c.mu.Unlock()
	err = r.open()
	c.mu.Lock()
	if err != nil {
		r.close()
		return nil, err
	}
	if c.closed {
		r.close()
		return nil, net.ErrClosed
	}
	c.remotes[id] = r
	return r, nil
}

// release gives a reference back; the last one closes the connection.
func (c *context) release(r *remote) {
	c.mu.Lock()
	r.refs--
	last := r.refs == 0
	if last && c.remotes[r.id] == r {
		delete(c.remotes, r.id)
	}
	c.mu.Unlock()
	if last {
		r.close()
	}
}

func (r *remote) open() error {
	a, err := r.request(request{op: askDirectory})
	if err != nil {
		return err
	}
	b, err := r.mapFD(a.fds[0], directorySize, unix.PROT_READ)
	if err != nil {
		return err
	}
	r.keep(b)
	r.dir = viewDirectory(b)
	return nil
}

// read delivers replies and notices the peer's end.
func (r *remote) read() {
	defer func() {
		close(r.replies)
		for a := range r.replies {
			closeAll(a.fds)
		}
	}()
	for {
		b := make([]byte, replySize+1)
		n, fds, err := receive(r.conn, b)
		rep, ok := decodeReply(b[:n])
		if err != nil || !ok {
			closeAll(fds)
			r.gone.Store(err != nil && !errors.Is(err, net.ErrClosed))
			r.dead.Store(true)
			return
		}
		if rep.note != 0 {
			closeAll(fds)
			if rep.note == noteClosed {
				r.closed(rep.n)
			} else {
				r.noted(rep)
			}
			continue
		}
		select {
		case r.replies <- answer{rep, fds}:
		default: // nobody asked
			closeAll(fds)
			r.dead.Store(true)
			return
		}
	}
}

// request asks the peer and waits for its answer.
func (r *remote) request(req request) (answer, error) {
	r.ask.Lock()
	defer r.ask.Unlock()
	if r.dead.Load() {
		return answer{}, syscall.ECONNRESET
	}
	if err := r.send(req); err != nil {
		return answer{}, err
	}
	timer := time.NewTimer(askTimeout)
	defer timer.Stop()
	select {
	case a, ok := <-r.replies:
		if !ok {
			return answer{}, syscall.ECONNRESET
		}
		return a, a.check(req.op)
	case <-timer.C:
		r.dead.Store(true) // a late answer would be taken for another's
		r.conn.Close()
		return answer{}, etimedout
	}
}

// send sends a request. Datagrams may have filled the socket of a peer that has stopped.
func (r *remote) send(req request) error {
	r.conn.SetWriteDeadline(time.Now().Add(askTimeout))
	_, err := r.conn.Write(req.encode())
	if err != nil {
		r.dead.Store(true)
	}
	return err
}

// check tells whether the answer has what the request is answered with, and
// closes its descriptors if not.
func (a answer) check(op askOp) error {
	want := 1
	if op == askQP {
		want += int(a.ahead)
		if a.bell != 0 {
			want += bellParts
		}
	}
	var err error
	switch {
	case a.errno != 0:
		err = syscall.Errno(a.errno)
	case len(a.fds) != want:
		err = errPeer
	default:
		return nil
	}
	closeAll(a.fds)
	return err
}

// mapFD maps a peer's memfd and closes the descriptor. A memfd that could
// shrink is refused: reading beyond its end would kill this process.
func (r *remote) mapFD(fd, size, prot int) ([]byte, error) {
	defer unix.Close(fd)
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil || seals&unix.F_SEAL_SHRINK == 0 {
		return nil, errPeer
	}
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil || fs.Type != unix.TMPFS_MAGIC {
		return nil, errPeer // of huge pages, which can run out
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if size == 0 {
		size = int(st.Size)
	}
	if size <= 0 || int64(size) > st.Size {
		return nil, errPeer
	}
	b, err := unix.Mmap(fd, 0, size, prot, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// keep notes a mapping that lives as long as the connection to the context.
func (r *remote) keep(b []byte) {
	r.mu.Lock()
	r.maps = append(r.maps, b)
	r.mu.Unlock()
}

func (r *remote) close() {
	r.dead.Store(true)
	r.conn.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.maps {
		unix.Munmap(b)
	}
	for _, b := range r.regions {
		unix.Munmap(b)
	}
	for _, b := range r.bells {
		unix.Close(b.eventFD)
	}
	for _, q := range r.ahead {
		unix.Munmap(q.mem)
	}
	r.maps, r.bells, r.ahead, r.regions = nil, nil, nil, nil
}
