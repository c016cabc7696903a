package verbs

// AH is an address handle, struct ibv_ah: where a work request of a UD QP goes. It
// must outlive the requests that name it; see [SendWR.SetUD].
//
// A message of UD names the handle, the peer's QP number and a Q_Key. A QP takes the
// messages that carry its own Q_Key, and drops others without telling anybody. A
// receive holds [GRHSize] bytes of header and then the message, which is as long as
// the MTU at most; byte_len counts both. [PD] CreateAHFromWC makes the way back.
//
// The handle of a multicast group has the group's GID in [GlobalRoute], and the
// message goes to QP number [McastQPN]. See [QP] AttachMcast.
type AH interface {
	// Handle is what a work request names it by: of libibverbs, struct ibv_ah *.
	Handle() uint64
	// Close destroys the handle.
	//
	//	int ibv_destroy_ah(struct ibv_ah *ah)
	Close() error
}

// GRHSize is how many bytes at the start of every UD receive are the packet's
// global routing header: the message begins behind them.
const GRHSize = 40

// McastQPN is the QP number that messages to a multicast group are sent to.
const McastQPN = 0xffffff

// AHAttr is struct ibv_ah_attr: a path to a port, or to a multicast group.
type AHAttr struct {
	GRH         GlobalRoute
	DLID        uint16
	SL          uint8
	SrcPathBits uint8
	StaticRate  uint8
	IsGlobal    bool // GRH is valid; RoCE needs it
	PortNum     uint8
}

// GlobalRoute is struct ibv_global_route.
type GlobalRoute struct {
	DGID         GID
	FlowLabel    uint32
	SGIDIndex    uint8
	HopLimit     uint8
	TrafficClass uint8
}
