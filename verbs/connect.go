package verbs

import "fmt"

// Endpoint holds the numbers that a peer needs to connect to a QP. The two sides
// exchange their endpoints over any channel, as JSON for instance.
type Endpoint struct {
	QPNum    uint32 `json:"qp_num"`
	PSN      uint32 `json:"psn"` // of the first packet that this side sends; any 24 bits
	GID      GID    `json:"gid"` // zero on a link that has only LIDs
	LID      uint16 `json:"lid"` // zero on Ethernet
	MTU      MTU    `json:"mtu"` // the port's active MTU, as enum ibv_mtu
	RdAtomic uint8  `json:"rd_atomic"`
}

// Limits of numbers that travel in 24 bits of a packet.
const (
	maxQPNum = 1<<24 - 1
	maxPSN   = 1<<24 - 1
)

const maxFlowLabel = 1<<20 - 1

// Check returns an error for an endpoint with values out of range, as a broken or hostile
// peer may send.
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

// ConnectHopLimit is the hop limit of packets if [Path] has none.
const ConnectHopLimit = 255

// Path holds the addressing of the packets that a QP sends. The zero value of all members
// but Port is perftest's default.
type Path struct {
	Port         int      // of the device, 1 to 255
	GIDIndex     int      // of the source GID in the port's table, 0 to 255
	TrafficClass uint8    // of the GRH; on RoCE v2 its upper six bits are the DSCP
	SL           uint8    // service level, 0 to 15; on RoCE in a VLAN its lower three bits are the priority
	FlowLabel    uint32   // of the GRH, 20 bits; 0 lets the device choose the UDP source port of RoCE v2
	HopLimit     uint8    // of the GRH; 0: [ConnectHopLimit]
	PKeyIndex    uint16   // in the port's table
	Retries      *Retries // nil: [DefaultRetries]
}

// Retries holds the attributes that decide when a QP fails a request (ibv_modify_qp(3)).
// Each side has its own: the first three are the requester's, MinRNRTimer is the
// responder's.
type Retries struct {
	Timeout     uint8 // ACK timeout, after which a packet is sent again: 4.096 µs << Timeout, 0 to 31; 0 infinite
	RetryCnt    uint8 // retransmissions after an ACK timeout, 0 to 7
	RNRRetry    uint8 // retransmissions after an RNR NAK, 0 to 7; 7 infinite
	MinRNRTimer uint8 // code of the delay that an RNR NAK asks for, 0 to 31: 1 is 10 µs, 31 491 ms, 0 655 ms
}

// DefaultRetries returns perftest's values, except for the RNR timer: 67 ms, 7, infinite and
// 10 µs. perftest's timer of 0.64 ms stops a sender that is slightly ahead of its receiver
// for thousands of messages.
func DefaultRetries() Retries {
	return Retries{Timeout: 14, RetryCnt: 7, RNRRetry: 7, MinRNRTimer: 1}
}

// check returns an error for a value out of range.
func (r Retries) check() error {
	if r.Timeout > 31 || r.RetryCnt > 7 || r.RNRRetry > 7 || r.MinRNRTimer > 31 {
		return fmt.Errorf("timeout %d, retry_cnt %d, rnr_retry %d, min_rnr_timer %d: the limits are 31, 7, 7, 31",
			r.Timeout, r.RetryCnt, r.RNRRetry, r.MinRNRTimer)
	}
	return nil
}

// check returns an error for a value out of range.
func (p Path) check() error {
	switch {
	case p.Port < 1 || p.Port > 255 || p.GIDIndex < 0 || p.GIDIndex > 255:
		return fmt.Errorf("port %d, GID index %d: not 1 to 255, 0 to 255", p.Port, p.GIDIndex)
	case p.SL > 15:
		return fmt.Errorf("service level %d: not 0 to 15", p.SL)
	case p.FlowLabel > maxFlowLabel:
		return fmt.Errorf("flow label %#x: not 0 to %#x", p.FlowLabel, maxFlowLabel)
	}
	return p.retries().check()
}

func (p Path) retries() Retries {
	if p.Retries == nil {
		return DefaultRetries()
	}
	return *p.Retries
}

// Connect moves a QP of RC, or of either end of XRC, from RESET through INIT and RTR to RTS,
// connected to the remote endpoint. access are the operations that the peer may execute. The
// path MTU and the number of outstanding READs are the smaller values of both sides. The path
// has a GRH if the remote GID is not zero.
//
// A QP may send when Connect returns, but the peer responds only after its own Connect.
// Two sides whose calls may be more than half a second apart synchronize before the first
// send.
func Connect(qp QP, path Path, access Access, local, remote Endpoint) error {
	return connect(qp, path, access, local, remote, ^QPAttrMask(0))
}

// ConnectUC is [Connect] for a UC QP, which has no READs and no retransmissions.
func ConnectUC(qp QP, path Path, access Access, local, remote Endpoint) error {
	const reliable = MaskMaxDestRdAtomic | MaskMinRNRTimer | MaskTimeout | MaskRetryCnt | MaskRNRRetry | MaskMaxRdAtomic
	return connect(qp, path, access, local, remote, ^reliable)
}

// connect moves a QP to RTS with the attributes that its transport has.
func connect(qp QP, path Path, access Access, local, remote Endpoint, has QPAttrMask) error {
	if err := local.Check(); err != nil {
		return fmt.Errorf("local %w", err)
	}
	if err := remote.Check(); err != nil {
		return fmt.Errorf("remote %w", err)
	}
	if err := path.check(); err != nil {
		return err
	}
	for _, m := range []modify{toInit(path, access), toRTR(path, local, remote), toRTS(path.retries(), local, remote)} {
		if err := qp.Modify(&m.attr, m.mask&has); err != nil {
			return err
		}
	}
	return nil
}

// Activate moves a UD or SRD QP from RESET through INIT and RTR to RTS. It uses the path's
// port and P_Key index; the rest belongs to address handles. The QP accepts messages that
// carry the Q_Key. psn, 24 bits, is the number of the first packet that it sends.
func Activate(qp QP, path Path, qkey, psn uint32) error {
	if err := path.check(); err != nil {
		return err
	}
	if psn > maxPSN {
		return fmt.Errorf("psn %#x is above %#x", psn, maxPSN)
	}
	for _, m := range []modify{
		{
			QPAttr{State: QPInit, PortNum: uint8(path.Port), PKeyIndex: path.PKeyIndex, QKey: qkey},
			MaskState | MaskPort | MaskPKeyIndex | MaskQKey,
		},
		{QPAttr{State: QPRTR}, MaskState},
		{QPAttr{State: QPRTS, SQPSN: psn}, MaskState | MaskSQPSN},
	} {
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

func toInit(path Path, access Access) modify {
	return modify{
		QPAttr{State: QPInit, PortNum: uint8(path.Port), PKeyIndex: path.PKeyIndex, AccessFlags: access},
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
		MinRNRTimer:     path.retries().MinRNRTimer,
		AH:              path.To(remote),
	}
	return modify{attr, MaskState | MaskAV | MaskPathMTU | MaskDestQPN | MaskRQPSN | MaskMaxDestRdAtomic | MaskMinRNRTimer}
}

// To returns the address of the remote port, with a GRH if its GID is not zero.
func (p Path) To(remote Endpoint) AHAttr {
	a := AHAttr{DLID: remote.LID, SL: p.SL, PortNum: uint8(p.Port)}
	if remote.GID != (GID{}) {
		a.IsGlobal = true
		a.GRH = GlobalRoute{
			DGID: remote.GID, FlowLabel: p.FlowLabel, SGIDIndex: uint8(p.GIDIndex),
			HopLimit: p.hopLimit(), TrafficClass: p.TrafficClass,
		}
	}
	return a
}

func (p Path) hopLimit() uint8 {
	if p.HopLimit == 0 {
		return ConnectHopLimit
	}
	return p.HopLimit
}

func toRTS(retries Retries, local, remote Endpoint) modify {
	return modify{
		QPAttr{
			State:       QPRTS,
			SQPSN:       local.PSN,
			Timeout:     retries.Timeout,
			RetryCnt:    retries.RetryCnt,
			RNRRetry:    retries.RNRRetry,
			MaxRdAtomic: min(local.RdAtomic, remote.RdAtomic),
		},
		MaskState | MaskSQPSN | MaskTimeout | MaskRetryCnt | MaskRNRRetry | MaskMaxRdAtomic,
	}
}
