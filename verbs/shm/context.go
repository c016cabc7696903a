package shm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/ibperf/ibperf/internal/memfd"
	"github.com/ibperf/ibperf/verbs"
)

// context is an opened device: the directory that peers read, the socket that they connect to,
// and what is behind both.
type context struct {
	dev *device
	id  uint64 // the lower half of the GID: random bits, and the descriptor of dirFile

	dirFile *memfd.File
	dir     *directory
	sock    *net.UnixListener

	// The objects by their numbers: what this process relies on where peers see the directory.
	// Requesters look without a lock.
	mrs  table[region]
	qps  table[qp]
	srqs table[srq]
	cqs  table[cq] // with a channel
	ahs  table[ah]

	mu      sync.Mutex
	regions map[uint64]int // how many are on a memfd, by its inode
	remotes map[uint64]*remote
	conns   list[served]       // from peers
	domains map[fileID]*domain // of XRC, shared by inode
	ended   chan struct{}      // closed with the context, under mu

	lastID         atomic.Uint32 // of domains of both kinds, and of CQs
	multicastPeers multicastPeers
	groups         map[verbs.GID][]*qp // attached, guarded by mu
	qkeyViolations atomic.Uint32
	connections    atomic.Uint64 // QPs that have been connected, for Options.LinkDown
	abandoned      atomic.Bool   // peers are lost: nothing waits for them

	async  asyncEvents
	engine engine
}

func open(d *device) (*context, error) {
	c := &context{
		dev: d,
		mrs: newTable[region](maxMR, 1<<24-1), qps: newTable[qp](maxQP, groupQPN-1), srqs: newTable[srq](maxSRQ, 1<<24-1),
		cqs: newTable[cq](maxCQ, math.MaxUint32), ahs: newTable[ah](maxAH, math.MaxUint32),
		regions: map[uint64]int{}, remotes: map[uint64]*remote{},
		domains: map[fileID]*domain{},
		groups:  map[verbs.GID][]*qp{}, multicastPeers: multicastPeers{remotes: map[uint64]*remote{}}, ended: make(chan struct{}),
	}
	var err error
	if c.dirFile, err = memfd.NewReadOnlyForOthers("ibperf-directory", directorySize); err != nil {
		return nil, err
	}
	fd := uint64(c.dirFile.FD())
	if fd >= maxFD {
		c.dirFile.Close()
		return nil, fmt.Errorf("descriptor %d: %w", fd, syscall.EMFILE)
	}
	c.id = rand.Uint64()/maxFD*maxFD | fd
	c.dir = viewDirectory(c.dirFile.Bytes())
	c.dir.id = c.id
	if c.sock, err = listen(c.id); err != nil {
		c.dirFile.Close()
		return nil, err
	}
	// Objects of the context may be closed after it: the directory stays mapped
	// until none is left.
	runtime.AddCleanup(c, func(f *memfd.File) { f.Unmap() }, c.dirFile)
	c.async.init()
	if err = c.engine.init(d.delays()); err != nil {
		c.sock.Close()
		c.dirFile.CloseFD()
		return nil, err
	}
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
	if c.isClosed() {
		return nil, c.err("alloc_pd", ebadf, closedText)
	}
	return &pd{object: c.newObject(), id: c.newID()}, nil
}

// newID returns the next number of a domain or CQ, which is not 0.
func (c *context) newID() uint32 {
	for {
		if id := c.lastID.Add(1); id != 0 {
			return id
		}
	}
}

// Close ends the context with everything made from it: QPs stop answering and
// their peers see RETRY_EXC_ERR.
func (c *context) Close() error {
	c.mu.Lock()
	if c.isClosed() {
		c.mu.Unlock()
		return nil
	}
	close(c.ended)
	remotes := c.remotes
	c.remotes = nil
	c.mu.Unlock()
	c.sock.Close()
	c.engine.stop()
	for _, q := range c.qps.all() {
		q.destroy()
	}
	for _, conn := range c.conns.all() {
		conn.Close() // not before: peers take it for the end of this side's requesters
	}
	for _, r := range remotes {
		r.close()
	}
	c.closeDomains()
	return c.dirFile.CloseFD()
}

// gidOf and idOf translate between a context's id and its link-local GID.
func gidOf(id uint64) verbs.GID {
	g := verbs.GID{0: 0xfe, 1: 0x80}
	binary.BigEndian.PutUint64(g[8:], id)
	return g
}

func idOf(g verbs.GID) uint64 { return binary.BigEndian.Uint64(g[8:]) }
