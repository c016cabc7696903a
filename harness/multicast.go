package harness

import (
	"encoding/binary"
	"errors"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// With --mcg each side has a group of its own, which its QP is attached to and the peer sends
// to: nobody receives what he sends himself.

// join attaches the lane's QP to this side's group.
func (l *lane) join(mine *oob.Endpoint) error {
	r := l.worker.rig
	if r.port.LinkLayer == verbs.LinkInfiniBand {
		return errors.New("--mcg: on InfiniBand a group takes a membership of the subnet manager, which is not asked: leave --mcg out")
	}
	group, err := r.groupOf(r.cfg.Role, mine)
	if err != nil {
		return err
	}
	if err := l.qp.AttachMcast(group, 0); err != nil {
		return err
	}
	l.joined = &group
	return nil
}

// part detaches the QP, which could not be closed otherwise.
func (l *lane) part() {
	if l.joined != nil {
		l.qp.DetachMcast(*l.joined, 0)
	}
}

// groupOf is the group of a side: the one that was named, of the client the one after it, or
// one that its QP's first PSN is in. That is random: QPs of several hosts or processes often have
// the same number. Groups of IPv4 are those of 239.0.0.0/8.
func (r *rig) groupOf(role Role, of *oob.Endpoint) (g verbs.GID, err error) {
	if r.plan.MGID != "" {
		g, err = option.ParseGroup(r.plan.MGID)
		if role == Client {
			g[15]++
		}
		return g, err
	}
	g = verbs.GID{0: 0xff, 1: 0x12} // transient, of the link
	if r.gid.Class().IPv4 {
		g = verbs.GID{10: 0xff, 11: 0xff, 12: 239}
	}
	high := g[12]
	binary.BigEndian.PutUint32(g[12:], of.PSN)
	g[12] = high
	return g, nil
}
