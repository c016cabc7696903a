package shm

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/ibperf/ibperf/internal/memfd"
	"github.com/ibperf/ibperf/verbs"
)

// context is an opened device: the directory that peers read, the socket where
// they ask for memory, and the tables behind both.
type context struct {
	dev *device
	id  uint64 // the lower half of the GID: random bits, and the descriptor of dirFile

	dirFile *memfd.File
	dir     *directory
	sock    *net.UnixListener

	// Of what the directory shows, what this process relies on. Requesters look without a lock.
	mrs       table[region]
	qps       table[qp]
	srqs      table[srq]
	notifiers table[notifier] // of CQs
	ahs       table[ah]
	binds     uint64 // of windows; guarded by the lock of mrs

	mu       sync.Mutex
	regions  map[uint64]int // how many are on a memfd, by its inode
	remotes  map[uint64]*remote
	conns    map[*net.UnixConn]struct{} // of peers that ask
	channels map[*channel]struct{}
	pds      uint32
	domains  map[fileID]*domain // of XRC, shared by inode
	xrcds    uint32             // last id given
	closed   bool
	ended    chan struct{} // closed with the context

	multicastPeers multicastPeers
	groups         map[verbs.GID][]*qp // attached, guarded by mu
	qkeyViolations atomic.Uint32
	connections    atomic.Uint64 // QPs that have been connected

	async  asyncEvents
	engine engine
}

func open(d *device) (*context, error) {
	var seed [8]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return nil, fmt.Errorf("open_device %s: %w", d.name, err)
	}
	c := &context{
		dev: d,
		mrs: newTable[region](maxMR, 1<<24-1), qps: newTable[qp](maxQP, groupQPN-1), srqs: newTable[srq](maxSRQ, 1<<24-1),
		notifiers: newTable[notifier](maxCQ, math.MaxUint32), ahs: newTable[ah](maxAH, math.MaxUint32),
		conns: map[*net.UnixConn]struct{}{}, channels: map[*channel]struct{}{}, regions: map[uint64]int{}, remotes: map[uint64]*remote{},
		domains: map[fileID]*domain{},
		groups:  map[verbs.GID][]*qp{}, ended: make(chan struct{}), async: newAsyncEvents(),
	}
	var err error
	if c.dirFile, err = memfd.NewReadOnlyForOthers("ibperf-directory", directorySize); err != nil {
		return nil, fmt.Errorf("open_device %s: %w", d.name, err)
	}
	fd := uint64(c.dirFile.FD())
	if fd >= maxFD {
		c.dirFile.Close()
		return nil, fmt.Errorf("open_device %s: descriptor %d: %w", d.name, fd, syscall.EMFILE)
	}
	c.id = binary.LittleEndian.Uint64(seed[:])/maxFD*maxFD | fd
	c.dir = viewDirectory(c.dirFile.Bytes())
	c.dir.id = c.id
	if c.sock, err = listen(c.id); err != nil {
		c.dirFile.Close()
		return nil, fmt.Errorf("open_device %s: %w", d.name, err)
	}
	// Objects of the context may be closed after it: the directory stays mapped
	// until none is left.
	runtime.AddCleanup(c, func(f *memfd.File) { f.Unmap() }, c.dirFile)
	c.engine.init()
	go c.serve()
	return c, nil
}

func (c *context) Device() verbs.Device { return c.dev }

func (c *context) isClosed() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

func (c *context) AllocPD() (verbs.PD, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, c.err("alloc_pd", ebadf, closedText)
	}
	c.pds++
	return &pd{object: object{ctx: c}, id: c.pds}, nil
}

// Close ends the context with everything made from it: QPs stop answering and
// their peers see RETRY_EXC_ERR.
func (c *context) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	close(c.ended)
	remotes := c.remotes
	c.remotes = nil
	c.mu.Unlock()
	c.sock.Close()
	c.engine.stop()
	for _, q := range c.qps.all() {
		q.destroy()
	}
	c.closeConns() // not before: peers take it for the end of this side's requesters
	c.multicastPeers.close()
	for _, r := range remotes {
		r.close()
	}
	c.closeDomains()
	return c.dirFile.CloseFD()
}

func (c *context) closeConns() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		conn.Close()
	}
}

// gidOf and idOf translate between a context's id and its link-local GID.
func gidOf(id uint64) verbs.GID {
	g := verbs.GID{0: 0xfe, 1: 0x80}
	binary.BigEndian.PutUint64(g[8:], id)
	return g
}

func idOf(g verbs.GID) uint64 { return binary.BigEndian.Uint64(g[8:]) }
