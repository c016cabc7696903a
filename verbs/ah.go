package verbs

// AH is an address handle, struct ibv_ah: the destination of a UD work request. It
// must outlive the requests that name it; see [SendWR.SetUD].
//
// A UD send request names the handle, the peer's QP number and a Q_Key. A QP accepts
// messages that carry its own Q_Key and silently drops others. A receive holds
// [GRHSize] bytes of header and then the message, which is at most as long as the MTU;
// byte_len counts both. [PD] CreateAHFromWC returns the handle for a reply.
//
// The handle of a multicast group has the group's GID in [GlobalRoute], and the
// message goes to QP number [McastQPN]. See [QP] AttachMcast.
type AH interface {
	// Handle returns the value that work requests carry: in libibverbs, struct ibv_ah *.
	Handle() uint64
	// Close destroys the handle.
	//
	//	int ibv_destroy_ah(struct ibv_ah *ah)
	Close() error
}

// GRHSize is the size in bytes of the global routing header at the start of every UD
// receive. The message follows it.
const GRHSize = 40

// McastQPN is the destination QP number of messages to a multicast group.
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
