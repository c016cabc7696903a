package shm

import (
	"errors"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// multicastPeers are the connections over which a context's messages to multicast
// groups go: one to each context of this user on this host, itself included.
// Which of them has QPs in a group only they know.
type multicastPeers struct {
	mu    sync.Mutex
	conns map[uint64]*net.UnixConn // nil: of another user
}

// send sends the packet to all. Those that do not keep up miss it.
func (n *multicastPeers) send(b []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.meet()
	for id, conn := range n.conns {
		if conn != nil && !sendNow(conn, b) {
			conn.Close()
			delete(n.conns, id)
		}
	}
}

// meet connects to contexts that are new and forgets those that are gone.
func (n *multicastPeers) meet() {
	ids, err := contexts()
	if err != nil {
		return
	}
	for id, conn := range n.conns {
		if !slices.Contains(ids, id) {
			if conn != nil {
				conn.Close()
			}
			delete(n.conns, id)
		}
	}
	if n.conns == nil {
		n.conns = map[uint64]*net.UnixConn{}
	}
	for _, id := range ids {
		if _, known := n.conns[id]; known {
			continue
		}
		if conn, _, err := dial(id); err == nil || errors.Is(err, errOtherUser) {
			n.conns[id] = conn
		}
	}
}

func (n *multicastPeers) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, conn := range n.conns {
		if conn != nil {
			conn.Close()
		}
	}
	n.conns = nil
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
		if id, ok := idOfSocket(f[7]); ok {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// idOfSocket reads what socketAddr writes.
func idOfSocket(name string) (uint64, bool) {
	hex, ok := strings.CutPrefix(name, socketPrefix)
	id, err := strconv.ParseUint(hex, 16, 64)
	return id, ok && err == nil && name == socketAddr(id).Name
}
