package verbs

import (
	"fmt"
	"net/netip"
)

// PortAttr holds the attributes of struct ibv_port_attr.
type PortAttr struct {
	State         PortState
	MaxMTU        MTU
	ActiveMTU     MTU
	GIDTableLen   int
	PKeyTblLen    int
	MaxMsgSize    uint32 // bytes
	CapFlags      uint32
	CapFlags2     uint16
	BadPKeyCntr   uint32
	QKeyViolCntr  uint32
	LID           uint16
	SMLID         uint16
	LMC           uint8
	MaxVLNum      uint8 // code: 1 VL0, 2 VL0-1, 3 VL0-3, 4 VL0-7, 5 VL0-14
	SMSL          uint8
	SubnetTimeout uint8
	InitTypeReply uint8
	LinkLayer     LinkLayer
	ActiveWidth   uint8
	ActiveSpeed   uint32 // code: 1 SDR, 2 DDR, 4 QDR, 8 FDR10, 16 FDR, 32 EDR, 64 HDR, 128 NDR, 256 XDR
	PhysState     uint8
	GRHRequired   bool // IBV_QPF_GRH_REQUIRED: address vectors need a GRH
}

// PortState is enum ibv_port_state.
type PortState uint32

// The port states.
const (
	PortNOP         PortState = 0
	PortDown        PortState = 1
	PortInit        PortState = 2
	PortArmed       PortState = 3
	PortActive      PortState = 4
	PortActiveDefer PortState = 5
)

var portStateNames = map[PortState]string{
	PortNOP: "NOP", PortDown: "DOWN", PortInit: "INIT", PortArmed: "ARMED",
	PortActive: "ACTIVE", PortActiveDefer: "ACTIVE_DEFER",
}

func (s PortState) String() string { return nameOf(portStateNames, s) }

// LinkLayer is the kind of link below a port.
type LinkLayer uint8

// The link layers.
const (
	LinkUnspecified LinkLayer = 0
	LinkInfiniBand  LinkLayer = 1
	LinkEthernet    LinkLayer = 2
)

func (l LinkLayer) String() string {
	switch l {
	case LinkInfiniBand:
		return "InfiniBand"
	case LinkEthernet:
		return "Ethernet"
	}
	return "unspecified"
}

// MTU is enum ibv_mtu: 1 for 256 bytes to 5 for 4096.
type MTU uint32

// The path MTUs.
const (
	MTU256  MTU = 1
	MTU512  MTU = 2
	MTU1024 MTU = 3
	MTU2048 MTU = 4
	MTU4096 MTU = 5
)

// Bytes returns the payload bytes of a packet, 0 for a value outside the enum.
func (m MTU) Bytes() int {
	if m < MTU256 || m > MTU4096 {
		return 0
	}
	return 128 << m
}

// GID is a port's 128-bit address, in network byte order.
type GID [16]byte

// String formats the GID as an IPv6 address.
func (g GID) String() string { return netip.AddrFrom16(g).StringExpanded() }

// ParseGID parses the text of [GID.String], or any IP address without a zone.
func ParseGID(s string) (GID, error) {
	a, err := netip.ParseAddr(s)
	if err != nil {
		return GID{}, fmt.Errorf("GID: %w", err)
	}
	if a.Zone() != "" {
		return GID{}, fmt.Errorf("GID %q: a zone is not part of a GID", s)
	}
	return GID(a.As16()), nil
}

// MarshalText returns the text of String.
func (g GID) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText parses the GID as ParseGID does.
func (g *GID) UnmarshalText(text []byte) error {
	v, err := ParseGID(string(text))
	if err == nil {
		*g = v
	}
	return err
}

// GIDEntry is struct ibv_gid_entry.
type GIDEntry struct {
	GID     GID
	Index   int
	Port    int
	Type    GIDType
	IfIndex int // network interface, 0 without one
}

// GIDType is enum ibv_gid_type.
type GIDType uint32

// The GID types.
const (
	GIDTypeIB     GIDType = 0
	GIDTypeRoCEv1 GIDType = 1
	GIDTypeRoCEv2 GIDType = 2
)

func (t GIDType) String() string {
	switch t {
	case GIDTypeIB:
		return "IB"
	case GIDTypeRoCEv1:
		return "RoCE v1"
	case GIDTypeRoCEv2:
		return "RoCE v2"
	}
	return "unknown"
}

// PortSpeedQuerier is a [Context] that returns the effective speed of a port. ActiveSpeed times
// ActiveWidth is wrong for ports of several links, such as bonds.
type PortSpeedQuerier interface {
	// QueryPortSpeed returns the speed in units of 100 Mb/s; ErrNotSupported if the library, before
	// rdma-core 62, or the driver lacks the call.
	//
	//	int ibv_query_port_speed(struct ibv_context *context, uint32_t port_num, uint64_t *port_speed)
	QueryPortSpeed(port int) (uint64, error)
}
