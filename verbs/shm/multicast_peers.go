package shm

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// multicastPeers are where a context's messages to multicast groups go: the contexts of this
// user on this host, itself included. Which of them has QPs in a group only they know.
type multicastPeers struct {
	mu      sync.Mutex
	remotes map[uint64]*remote // by id; nil: cannot be reached, as those of other users
}

// sendToAll sends the packet to all. Those that do not keep up miss it.
func (c *context) sendToAll(b []byte) {
	m := &c.multicastPeers
	m.mu.Lock()
	defer m.mu.Unlock()
	if ids, err := contexts(); err == nil {
		c.meet(ids)
	}
	for _, r := range m.remotes {
		if r != nil {
			trySend(r.conn, b)
		}
	}
}

// meet connects to contexts that are new and forgets those that are gone. Where descriptors,
// memory or room in the other's socket (EAGAIN) are lacking, the next message tries again.
func (c *context) meet(ids []uint64) {
	known := c.multicastPeers.remotes
	for id, r := range known {
		if !slices.Contains(ids, id) {
			c.release(r)
			delete(known, id)
		}
	}
	for _, id := range ids {
		if _, met := known[id]; !met {
			if r, err := c.remoteOf(id); !passing(err) && !errors.Is(err, unix.EAGAIN) {
				known[id] = r
			}
		}
	}
}

// contexts returns the ids of the contexts on this host: each listens under a
// name that tells its id.
func contexts() (ids []uint64, err error) {
	b, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil, err
	}
	const listening = "00010000" // __SO_ACCEPTCON
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line) // Num RefCount Protocol Flags Type St Inode Path
		if len(f) != 8 || f[3] != listening {
			continue
		}
		id, err := strconv.ParseUint(strings.TrimPrefix(f[7], socketPrefix), 16, 64)
		if err == nil && f[7] == socketAddr(id).Name {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
