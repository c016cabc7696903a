package shm

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// Limits of multicast groups.
const (
	maxGroups   = 1 << 10
	maxGroupQPs = 64 // QPs attached to one group
)

// isMulticast reports whether a GID is a multicast group: IPv6 ff00::/8, or IPv4 224.0.0.0/4 mapped
// into IPv6.
func isMulticast(g verbs.GID) bool {
	return netip.AddrFrom16(g).Unmap().IsMulticast()
}

// mcastError returns an error if the QP or the GID cannot be used for multicast. The caller holds
// the context's lock.
func (q *qp) mcastError(verb string, gid verbs.GID) error {
	switch {
	case q.closed.Load():
		return q.err(verb, ebadf, closedText)
	case q.typ != verbs.QPTypeUD:
		return q.err(verb, einval, "the QP is "+q.typ.String()+"; only UD QPs can join multicast groups")
	case !isMulticast(gid):
		return q.err(verb, einval, fmt.Sprintf("GID %s is not a multicast group: ff00::/8 or ::ffff:224.0.0.0/4", gid))
	}
	return nil
}

func (q *qp) AttachMcast(gid verbs.GID, lid uint16) error {
	c := q.ctx
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := q.mcastError("attach_mcast", gid); err != nil {
		return err
	}
	members, exists := c.groups[gid]
	switch {
	case slices.Contains(members, q):
		return nil
	case len(members) == maxGroupQPs:
		return q.err("attach_mcast", enomem, fmt.Sprintf("group %s has %d QPs: max_mcast_qp_attach", gid, maxGroupQPs))
	case !exists && len(c.groups) == maxGroups:
		return q.err("attach_mcast", enomem, fmt.Sprintf("there are %d groups: max_mcast_grp", maxGroups))
	}
	c.groups[gid] = append(members, q)
	return nil
}

func (q *qp) DetachMcast(gid verbs.GID, lid uint16) error {
	c := q.ctx
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := q.mcastError("detach_mcast", gid); err != nil {
		return err
	}
	i := slices.Index(c.groups[gid], q)
	if i < 0 {
		return q.err("detach_mcast", einval, fmt.Sprintf("the QP is not attached to group %s", gid))
	}
	c.groups[gid] = slices.Delete(c.groups[gid], i, i+1)
	if len(c.groups[gid]) == 0 {
		delete(c.groups, gid)
	}
	return nil
}

// attached reports whether the QP is in a group. The caller holds the context's lock.
func (c *context) attached(q *qp) bool {
	for _, members := range c.groups {
		if slices.Contains(members, q) {
			return true
		}
	}
	return false
}

// multicastPeers holds the contexts to which a context sends multicast messages: those of this user
// on this host, including itself. Each context delivers to its own QPs in the group.
type multicastPeers struct {
	mu       lockorder.Mutex[lockorder.Multicast]
	contexts map[uint64]*peerContext // by id; nil: cannot be reached, for example since it runs as another user
}

// sendToAll sends the packet to all contexts. A context whose socket is full misses it.
func (c *context) sendToAll(b []byte) {
	m := &c.multicastPeers
	m.mu.Lock()
	defer m.mu.Unlock()
	if ids, err := contexts(); err == nil {
		c.updateMulticastPeers(ids)
	}
	for _, r := range m.contexts {
		if r != nil {
			trySend(r.conn, b)
		}
	}
}

// updateMulticastPeers connects to new contexts and releases those that are gone. If descriptors,
// memory or room in a socket's backlog (EAGAIN) are lacking, the next message tries again.
func (c *context) updateMulticastPeers(ids []uint64) {
	peers := c.multicastPeers.contexts
	for id, r := range peers {
		if !slices.Contains(ids, id) {
			c.release(r)
			delete(peers, id)
		}
	}
	for _, id := range ids {
		if _, connected := peers[id]; !connected {
			if r, err := c.peerContextOf(id); !isTransient(err) && !errors.Is(err, unix.EAGAIN) {
				peers[id] = r
			}
		}
	}
}

// contexts returns the ids of the contexts on this host. A context listens on a socket whose name
// has its id.
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
