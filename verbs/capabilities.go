package verbs

// ODPCaps is struct ibv_odp_caps: on-demand paging, in general and by transport.
type ODPCaps struct {
	General uint64 // bit 0: supported, bit 1: implicit
	RC      ODPTransport
	UC      ODPTransport
	UD      ODPTransport
	XRC     ODPTransport
}

// Supported reports whether the device has on-demand paging (IBV_ODP_SUPPORT).
func (c ODPCaps) Supported() bool { return c.General&1 != 0 }

// ODPTransport is a mask of enum ibv_odp_transport_cap_bits.
type ODPTransport uint32

var odpNames = []string{"SEND", "RECV", "WRITE", "READ", "ATOMIC", "SRQ_RECV", "FLUSH", "ATOMIC_WRITE"}

func (o ODPTransport) String() string { return bitNames(uint32(o), odpNames) }

// TransportType is enum ibv_transport_type.
type TransportType int32

// The transport types. RoCE devices report TransportIB.
const (
	TransportUnknown TransportType = -1
	TransportIB      TransportType = 0
	TransportIWARP   TransportType = 1
)

func (t TransportType) String() string {
	switch t {
	case TransportIB:
		return "InfiniBand"
	case TransportIWARP:
		return "iWARP"
	}
	return "other"
}

// DeviceCapFlags is a mask: enum ibv_device_cap_flags in the lower 32 bits, the raw
// device flags in the upper 32 (device_cap_flags_ex of ibv_query_device_ex(3)).
type DeviceCapFlags uint64

// The capabilities that decide whether a device has a verb or an object.
const (
	DeviceCapSRQResize       DeviceCapFlags = 1 << 13 // [SRQ] Modify with [SRQMaxWR]
	DeviceCapMemWindow       DeviceCapFlags = 1 << 17 // [MW] of type 1
	DeviceCapXRC             DeviceCapFlags = 1 << 20
	DeviceCapMemWindowType2A DeviceCapFlags = 1 << 23 // [MW] of type 2
	DeviceCapMemWindowType2B DeviceCapFlags = 1 << 24 // same
)

var deviceCapNames = []string{
	"RESIZE_MAX_WR", "BAD_PKEY_CNTR", "BAD_QKEY_CNTR", "RAW_MULTI", "AUTO_PATH_MIG", "CHANGE_PHY_PORT",
	"UD_AV_PORT_ENFORCE", "CURR_QP_STATE_MOD", "SHUTDOWN_PORT", "INIT_TYPE", "PORT_ACTIVE_EVENT", "SYS_IMAGE_GUID",
	"RC_RNR_NAK_GEN", "SRQ_RESIZE", "N_NOTIFY_CQ", 17: "MEM_WINDOW", 18: "UD_IP_CSUM", 20: "XRC",
	21: "MEM_MGT_EXTENSIONS", 23: "MEM_WINDOW_TYPE_2A", 24: "MEM_WINDOW_TYPE_2B", 25: "RC_IP_CSUM",
	26: "RAW_IP_CSUM", 29: "MANAGED_FLOW_STEERING",
}

// String returns the manual's names of the lower 32 bits, without IBV_DEVICE_.
func (f DeviceCapFlags) String() string { return bitNames(uint32(f), deviceCapNames) }

// TSOCaps is struct ibv_tso_caps: TCP segmentation offload.
type TSOCaps struct {
	MaxTSO           uint32 // bytes
	SupportedQPTypes uint32 // mask of 1 << [QPType]
}

// RSSCaps is struct ibv_rss_caps: receive-side scaling.
type RSSCaps struct {
	SupportedQPTypes           uint32
	MaxRWQIndirectionTables    uint32
	MaxRWQIndirectionTableSize uint32
	RxHashFieldsMask           uint64
	RxHashFunction             uint8
}

// PacingCaps is struct ibv_packet_pacing_caps.
type PacingCaps struct {
	MinKbps, MaxKbps uint32
	SupportedQPTypes uint32
}

// TMCaps is struct ibv_tm_caps: tag matching.
type TMCaps struct {
	MaxRendezvousHeader uint32 // bytes
	MaxTags             uint32
	Flags               uint32
	MaxOps              uint32
	MaxSGE              uint32
}

// CQModerationCaps is struct ibv_cq_moderation_caps.
type CQModerationCaps struct {
	MaxCount    uint16
	MaxPeriodUs uint16
}

// PCIAtomicCaps is struct ibv_pci_atomic_caps: masks of operand sizes in bytes.
type PCIAtomicCaps struct{ FetchAdd, Swap, CompareSwap uint16 }
