package verbs

import "fmt"

// Endpoint is what a peer must know of a QP to connect to it. The two sides
// exchange their endpoints over any channel, as JSON for instance.
type Endpoint struct {
	QPNum    uint32 `json:"qp_num"`
	PSN      uint32 `json:"psn"` // of the first packet that this side sends; 24 bits, any
	GID      GID    `json:"gid"` // zero on a link that is addressed by LID alone
	LID      uint16 `json:"lid"` // zero on Ethernet
	MTU      MTU    `json:"mtu"` // the port's active MTU, as enum ibv_mtu
	RdAtomic uint8  `json:"rd_atomic"`
}

// Limits of numbers that travel in 24 bits of a packet.
const (
	maxQPNum = 1<<24 - 1
	maxPSN   = 1<<24 - 1
)

// Check tells what is wrong with an endpoint, which may come from a peer that
// is broken or hostile.
func (e Endpoint) Check() error {
	switch {
	case e.QPNum == 0 || e.QPNum > maxQPNum:
		return fmt.Errorf("endpoint: qp_num %#x is not 1 to %#x", e.QPNum, maxQPNum)
	case e.PSN > maxPSN:
		return fmt.Errorf("endpoint: psn %#x is above %#x", e.PSN, maxPSN)
	case e.MTU.Bytes() == 0:
		return fmt.Errorf("endpoint: mtu %d is not 1 (256 bytes) to 5 (4096 bytes)", e.MTU)
	case e.GID == GID{} && e.LID == 0:
		return fmt.Errorf("endpoint: neither a GID nor a LID")
	case e.GID[0] == 0xff:
		return fmt.Errorf("endpoint: GID %s is a multicast group", e.GID)
	}
	return nil
}

// The attributes that Connect sets to fixed values: perftest's, but for the RNR
// timer. perftest's 0.64 ms stop a sender that is a little ahead for thousands of messages.
const (
	ConnectTimeout     = 14  // 4.096 µs << 14: 67 ms until a packet is repeated
	ConnectRetryCnt    = 7   // repetitions until the peer counts as gone
	ConnectRNRRetry    = 7   // for ever, while the peer has no receive posted
	ConnectMinRNRTimer = 1   // 10 µs until a sender that found no receive tries again
	ConnectHopLimit    = 255 // routers on the way
)

// Path is how packets of a QP leave this side.
type Path struct {
	Port         int // of the device, 1 to 255
	GIDIndex     int // of the source, into the port's table, 0 to 255
	TrafficClass uint8
}

// Connect takes an RC QP in RESET through INIT and RTR to RTS, connected to the
// remote endpoint. access is what the peer may do. The path MTU and the number
// of outstanding READs are the smaller ones of both sides; the path has a GRH
// if the remote GID is not zero.
//
// A QP may send when Connect returns, but the peer answers only after its own:
// sides that may be more than half a second apart agree on it before the first send.
func Connect(qp QP, path Path, access Access, local, remote Endpoint) error {
	if err := local.Check(); err != nil {
		return fmt.Errorf("local %w", err)
	}
	if err := remote.Check(); err != nil {
		return fmt.Errorf("remote %w", err)
	}
	if path.Port < 1 || path.Port > 255 || path.GIDIndex < 0 || path.GIDIndex > 255 {
		return fmt.Errorf("port %d, GID index %d: not 1 to 255, 0 to 255", path.Port, path.GIDIndex)
	}
	for _, m := range []modify{toInit(path.Port, access), toRTR(path, local, remote), toRTS(local, remote)} {
		if err := qp.Modify(&m.attr, m.mask); err != nil {
			return err
		}
	}
	return nil
}

// modify holds the arguments of one Modify.
type modify struct {
	attr QPAttr
	mask QPAttrMask
}

func toInit(port int, access Access) modify {
	return modify{
		QPAttr{State: QPInit, PortNum: uint8(port), AccessFlags: access},
		MaskState | MaskPort | MaskPKeyIndex | MaskAccessFlags,
	}
}

func toRTR(path Path, local, remote Endpoint) modify {
	attr := QPAttr{
		State:           QPRTR,
		PathMTU:         min(local.MTU, remote.MTU),
		DestQPNum:       remote.QPNum,
		RQPSN:           remote.PSN,
		MaxDestRdAtomic: min(local.RdAtomic, remote.RdAtomic),
		MinRNRTimer:     ConnectMinRNRTimer,
		AH:              AHAttr{DLID: remote.LID, PortNum: uint8(path.Port)},
	}
	if remote.GID != (GID{}) {
		attr.AH.IsGlobal = true
		attr.AH.GRH = GlobalRoute{
			DGID: remote.GID, SGIDIndex: uint8(path.GIDIndex), HopLimit: ConnectHopLimit, TrafficClass: path.TrafficClass,
		}
	}
	return modify{attr, MaskState | MaskAV | MaskPathMTU | MaskDestQPN | MaskRQPSN | MaskMaxDestRdAtomic | MaskMinRNRTimer}
}

func toRTS(local, remote Endpoint) modify {
	return modify{
		QPAttr{
			State:       QPRTS,
			SQPSN:       local.PSN,
			Timeout:     ConnectTimeout,
			RetryCnt:    ConnectRetryCnt,
			RNRRetry:    ConnectRNRRetry,
			MaxRdAtomic: min(local.RdAtomic, remote.RdAtomic),
		},
		MaskState | MaskSQPSN | MaskTimeout | MaskRetryCnt | MaskRNRRetry | MaskMaxRdAtomic,
	}
}
