package shm

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/ibperf/ibperf/verbs"
)

// Limits of multicast groups.
const (
	maxGroups   = 1 << 10
	maxGroupQPs = 64 // attached to one group
)

// isMulticast tells a group's GID: IPv6 ff00::/8, or IPv4 224.0.0.0/4 mapped into IPv6.
func isMulticast(g verbs.GID) bool {
	return netip.AddrFrom16(g).Unmap().IsMulticast()
}

// mcastError tells what is wrong with a QP or a GID for multicast; under the context's lock.
func (q *qp) mcastError(verb string, gid verbs.GID) error {
	switch {
	case q.closed.Load():
		return q.err(verb, ebadf, closedText)
	case q.typ != verbs.QPTypeUD:
		return q.err(verb, einval, "the QP is "+q.typ.String()+"; groups are for UD")
	case !isMulticast(gid):
		return q.err(verb, einval, fmt.Sprintf("GID %s is no group's: ff00::/8 or ::ffff:224.0.0.0/4", gid))
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
	members, known := c.groups[gid]
	switch {
	case slices.Contains(members, q):
		return nil
	case len(members) == maxGroupQPs:
		return q.err("attach_mcast", enomem, fmt.Sprintf("group %s has %d QPs: max_mcast_qp_attach", gid, maxGroupQPs))
	case !known && len(c.groups) == maxGroups:
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

// attached tells whether the QP is in a group; under the context's lock.
func (c *context) attached(q *qp) bool {
	for _, members := range c.groups {
		if slices.Contains(members, q) {
			return true
		}
	}
	return false
}
