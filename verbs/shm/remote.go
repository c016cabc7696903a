package shm

import (
	"errors"
	"fmt"
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
	out  outbox
	dir  *directory
	dead atomic.Bool   // the peer's process is gone, or broke the protocol
	lost chan struct{} // closed when nothing more can be received
	slow atomic.Bool   // the peer lately took longer than answerSoon
	gone atomic.Bool   // the peer ended the connection, which it does when its requesters are out

	closures atomic.Uint32 // notes that memory has no region any more

	mu        sync.Mutex
	serial    uint32              // of the last inquiry
	inquiries map[uint32]*inquiry // under way, by serial

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
	// The peer may be this very context, whose lock is held: let it answer.
	c.mu.Unlock()
	r, err := c.openRemote(id)
	c.mu.Lock()
	if err != nil {
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

// openRemote connects to the context with the id.
func (c *context) openRemote(id uint64) (*remote, error) {
	deadline := time.Now().Add(answerLimit)
	conn, err := dial(id)
	for err != nil && errors.Is(err, syscall.EAGAIN) && time.Now().Before(deadline) && !c.isClosed() {
		time.Sleep(answerLook) // the peer has more connections to accept than fit its queue
		conn, err = dial(id)
	}
	if err != nil {
		return nil, err
	}
	r := &remote{
		ctx: c, id: id, conn: conn, out: outbox{conn: conn}, lost: make(chan struct{}), refs: 1, inquiries: map[uint32]*inquiry{},
		regions: map[uint32][]byte{}, bells: map[uint32]*bell{}, ahead: map[uint32]queue{}, waiting: map[uint32]*qp{},
	}
	go r.read()
	if err := r.open(deadline, c.ended); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// open fetches the directory. The timeout of a QP is not known yet when it is connected.
func (r *remote) open(deadline time.Time, stop <-chan struct{}) error {
	for {
		in := r.ask(askDirectory, 0)
		switch {
		case !in.await(time.Until(deadline), r.lost, stop):
			if r.dead.Load() {
				return syscall.ECONNRESET
			}
			return fmt.Errorf("no answer within %v", answerLimit)
		case in.result == 0:
			return nil
		case !short(in.result) || time.Now().After(deadline):
			return in.result
		}
		time.Sleep(answerLook)
	}
}

func (r *remote) keepDirectory(fd int) error {
	b, err := r.mapFD(fd, directorySize, unix.PROT_READ)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead.Load() {
		return unix.Munmap(b)
	}
	r.maps = append(r.maps, b)
	r.dir = viewDirectory(b)
	return nil
}

// read keeps what answers bring and notices the peer's end.
func (r *remote) read() {
	defer close(r.lost)
	defer r.dead.Store(true)
	for {
		b := make([]byte, replySize+1)
		n, fds, err := receive(r.conn, b)
		rep, ok := decodeReply(b[:n])
		if err == errTruncated { // this process may open no more files: ask again
			err, rep.errno = nil, uint32(syscall.EMFILE)
		}
		if err != nil || !ok {
			closeAll(fds)
			r.gone.Store(err != nil && !errors.Is(err, net.ErrClosed))
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
		if !r.answered(answer{rep, fds}) {
			return
		}
	}
}

// send sends a request without waiting for the peer.
func (r *remote) send(req request) {
	if !r.out.send(req.encode()) {
		r.dead.Store(true)
	}
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
		b.end()
		unix.Close(b.fd)
	}
	for _, q := range r.ahead {
		unix.Munmap(q.mem)
	}
	r.maps, r.bells, r.ahead, r.regions = nil, nil, nil, nil
}
