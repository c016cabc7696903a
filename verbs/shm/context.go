package shm

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/memfd"
	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// context is an open device. It holds the directory that peers read, the socket that they connect
// to, and this process's own state of both.
type context struct {
	dev *device
	id  uint64 // the lower half of the GID: random bits, then the descriptor of dirFile

	dirFile *memfd.File
	dir     *directory
	sock    *net.UnixListener

	// The objects by number. This process uses these tables where peers use the directory.
	// Requesters read them without a lock.
	mrs  table[region]
	qps  table[qp]
	srqs table[srq]
	cqs  table[cq] // CQs with a channel
	ahs  table[ah]

	mu           lockorder.Mutex[lockorder.Context]
	regionCounts map[uint64]int // number of regions in a memfd, by its inode
	peerContexts map[uint64]*peerContext
	peerConns    cowList[peerConn]  // from peers
	domains      map[fileID]*domain // XRC domains by file
	closing      chan struct{}      // closed by Close, under mu
	channels     map[*channel]bool  // open ones; guarded by mu

	lastID         atomic.Uint32 // of PDs, XRC domains and CQs
	multicastPeers multicastPeers
	groups         map[verbs.GID][]*qp // attached QPs, guarded by mu
	qkeyViolations atomic.Uint32
	connections    atomic.Uint64 // number of connected QPs, for Options.LinkDown
	peersAbandoned atomic.Bool   // set by AbandonPeers: no call waits for peers

	mappedRegions mappedRegions
	arrivals      [arrivalRings]arrivals

	async  asyncEvents
	engine engine
}

func open(d *device) (*context, error) {
	c := &context{
		dev: d,
		mrs: newTable[region](maxMR, 1<<24-1), qps: newTable[qp](maxQP, groupQPN-1), srqs: newTable[srq](maxSRQ, 1<<24-1),
		cqs: newTable[cq](maxCQ, math.MaxUint32), ahs: newTable[ah](maxAH, math.MaxUint32),
		regionCounts: map[uint64]int{}, peerContexts: map[uint64]*peerContext{},
		domains: map[fileID]*domain{},
		groups:  map[verbs.GID][]*qp{}, multicastPeers: multicastPeers{contexts: map[uint64]*peerContext{}}, closing: make(chan struct{}), channels: map[*channel]bool{},
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
	for i := range c.arrivals {
		c.arrivals[i].ring = &c.dir.arrivals[i]
	}
	if c.sock, err = listen(c.id); err != nil {
		c.dirFile.Close()
		return nil, err
	}
	// Objects may be closed after their context, so the directory stays mapped until all of them
	// are unreachable.
	runtime.AddCleanup(c, func(f *memfd.File) { f.Unmap() }, c.dirFile)
	c.async.init()
	if err = c.engine.init(d.delays(), d.late != 0 || d.options.Early != 0); err != nil {
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
	case <-c.closing:
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

// newID returns the next number of a PD, XRC domain or CQ; never 0.
func (c *context) newID() uint32 {
	for {
		if id := c.lastID.Add(1); id != 0 {
			return id
		}
	}
}

// Close closes the context and everything created from it. Its QPs stop responding, and requests of
// their peers end with RETRY_EXC_ERR.
func (c *context) Close() error {
	c.mu.Lock()
	if c.isClosed() {
		c.mu.Unlock()
		return nil
	}
	close(c.closing)
	remotes := c.peerContexts
	c.peerContexts = nil
	channels := slices.Collect(maps.Keys(c.channels))
	c.mu.Unlock()
	for _, ch := range channels {
		ch.wake()
	}
	c.sock.Close()
	c.engine.stop()
	for _, q := range c.qps.all() {
		q.destroy()
	}
	for _, conn := range c.peerConns.all() {
		conn.Close() // after the QPs: peers treat the end of the connection as the end of this side's requesters
	}
	for _, r := range remotes {
		r.close()
	}
	for _, m := range c.mrs.all() {
		m.releaseMemory()
	}
	c.closeDomains()
	return c.dirFile.CloseFD()
}

// gidOf and idOf convert between a context's id and its link-local GID.
func gidOf(id uint64) verbs.GID {
	g := verbs.GID{0: 0xfe, 1: 0x80}
	binary.BigEndian.PutUint64(g[8:], id)
	return g
}

func idOf(g verbs.GID) uint64 { return binary.BigEndian.Uint64(g[8:]) }
