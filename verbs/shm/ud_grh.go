package shm

import (
	"encoding/binary"

	"github.com/ibperf/ibperf/verbs"
)

// grh is a global routing header as in RoCE v2: an IPv6 header that is followed by UDP, of
// verbs.GRHSize bytes.
type grh struct {
	first      [4]byte // version, traffic class (8 bits) and flow label (20 bits)
	payload    [2]byte // bytes of the message
	nextHeader uint8
	hopLimit   uint8
	sgid, dgid verbs.GID
}

const (
	grhVersion    = 6
	grhNextHeader = 17
	flowMask      = 1<<20 - 1
)

// grhTo returns the header of a message of n bytes from a GID along a route.
func grhTo(r *verbs.GlobalRoute, from verbs.GID, n int) grh {
	g := grh{nextHeader: grhNextHeader, hopLimit: r.HopLimit, sgid: from, dgid: r.DGID}
	binary.BigEndian.PutUint32(g.first[:], grhVersion<<28|uint32(r.TrafficClass)<<20|r.FlowLabel&flowMask)
	binary.BigEndian.PutUint16(g.payload[:], uint16(n))
	return g
}

// routed reports whether the header is one of RoCE v2.
func (g *grh) routed() bool { return g.version() == grhVersion && g.nextHeader == grhNextHeader }

func (g *grh) version() uint8 { return g.first[0] >> 4 }

// length returns the length of the message.
func (g *grh) length() int { return int(binary.BigEndian.Uint16(g.payload[:])) }

// route returns the route back to the sender. The port's GID table has one entry.
func (g *grh) route() verbs.GlobalRoute {
	first := binary.BigEndian.Uint32(g.first[:])
	return verbs.GlobalRoute{DGID: g.sgid, FlowLabel: first & flowMask, HopLimit: g.hopLimit, TrafficClass: uint8(first >> 20)}
}
