package setup

import (
	"encoding/binary"
	"errors"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// With --mcg each side has a multicast group of its own: its QP is attached to that group, and the
// peer sends to it. So no side receives its own messages.

// joinGroup attaches the connection's QP to this side's group.
func (c *Conn) joinGroup(mine *oob.Endpoint) error {
	r := c.Resources
	if r.Port.LinkLayer == verbs.LinkInfiniBand {
		return errors.New("--mcg: on InfiniBand a group needs a membership of the subnet manager, which ibperf does not request: leave --mcg out")
	}
	group, err := r.groupOf(r.cfg.Role, mine)
	if err != nil {
		return err
	}
	if err := c.QP.AttachMcast(group, 0); err != nil {
		return err
	}
	c.group = &group
	return nil
}

// leaveGroup detaches the QP. An attached QP cannot be destroyed.
func (c *Conn) leaveGroup() {
	if c.group != nil {
		c.QP.DetachMcast(*c.group, 0)
	}
}

// groupOf returns the group of a side. Of a named group, the server has that one and the client the
// next. Otherwise the group contains the first PSN of the side's QP, which is random, while QP
// numbers of several hosts are often equal. Groups of IPv4 are in 239.0.0.0/8.
func (r *Resources) groupOf(role testcase.Role, of *oob.Endpoint) (g verbs.GID, err error) {
	if r.Set.Plan.MGID != "" {
		g, err = option.ParseGroup(r.Set.Plan.MGID)
		if role == testcase.Client {
			g[15]++
		}
		return g, err
	}
	g = verbs.GID{0: 0xff, 1: 0x12} // transient, of the link
	if r.GID.Class().IPv4 {
		g = verbs.GID{10: 0xff, 11: 0xff, 12: 239}
	}
	high := g[12]
	binary.BigEndian.PutUint32(g[12:], of.PSN)
	g[12] = high
	return g, nil
}
