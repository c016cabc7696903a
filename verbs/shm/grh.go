package shm

import (
	"encoding/binary"

	"github.com/ibperf/ibperf/verbs"
)

// grh is a global routing header as RoCE v2 has it: an IPv6 header with UDP behind it.
type grh struct {
	version    uint8
	class      uint8
	flow       uint32 // 20 bits
	length     uint16 // of the message
	nextHeader uint8
	hopLimit   uint8
	sgid, dgid verbs.GID
}

const (
	grhVersion    = 6
	grhNextHeader = 17
	flowMask      = 1<<20 - 1
)

// grhTo returns the header of a message of n bytes from the GID along the route.
func grhTo(r *verbs.GlobalRoute, from verbs.GID, n int) grh {
	return grh{
		version: grhVersion, class: r.TrafficClass, flow: r.FlowLabel & flowMask, length: uint16(n),
		nextHeader: grhNextHeader, hopLimit: r.HopLimit, sgid: from, dgid: r.DGID,
	}
}

// route returns the way back. The table of the port has one GID.
func (g *grh) route() verbs.GlobalRoute {
	return verbs.GlobalRoute{DGID: g.sgid, FlowLabel: g.flow, HopLimit: g.hopLimit, TrafficClass: g.class}
}

func (g *grh) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(g.version)<<28|uint32(g.class)<<20|g.flow)
	b = binary.BigEndian.AppendUint16(b, g.length)
	b = append(b, g.nextHeader, g.hopLimit)
	b = append(b, g.sgid[:]...)
	return append(b, g.dgid[:]...)
}

// decodeGRH reads the first GRHSize bytes.
func decodeGRH(b []byte) grh {
	first := binary.BigEndian.Uint32(b)
	return grh{
		version: uint8(first >> 28), class: uint8(first >> 20), flow: first & flowMask,
		length: binary.BigEndian.Uint16(b[4:]), nextHeader: b[6], hopLimit: b[7],
		sgid: verbs.GID(b[8:24]), dgid: verbs.GID(b[24:40]),
	}
}
