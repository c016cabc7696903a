package verbs

import "time"

// Device is an RDMA device of a backend, not yet opened.
type Device interface {
	// Name returns the name that users pass with -d: "mlx5_0", "rxe0", "shm_whole".
	Name() string
	// Backend returns the name of the device's backend: "ibv", "shm".
	Backend() string
	// Software describes a software device, and is "" for a device that may be hardware.
	Software() string
	// Present reports whether the device still exists. A driver that cannot remove an open
	// device raises no event, and removes it when the last user closes it.
	Present() bool
	// Open opens the device.
	//
	//	struct ibv_context *ibv_open_device(struct ibv_device *device)
	Open() (Context, error)
}

// Context is an opened device. Objects made from one context work only with each other.
type Context interface {
	Device() Device
	// QueryDevice returns the device's attributes. Maxima are upper limits; a call may fail
	// below them.
	//
	//	int ibv_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr)
	QueryDevice() (DeviceAttr, error)
	// QueryPort returns the attributes of a port. The first port is 1.
	//
	//	int ibv_query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *port_attr)
	QueryPort(port int) (PortAttr, error)
	// QueryGID returns a GID table entry; ENODATA if the entry is empty.
	//
	//	int ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index, struct ibv_gid_entry *entry, uint32_t flags)
	QueryGID(port, index int) (GIDEntry, error)
	// QueryGIDTable returns the non-empty entries of all ports; EINVAL if there are more
	// than max.
	//
	//	ssize_t ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries, uint32_t flags)
	QueryGIDTable(max int) ([]GIDEntry, error)
	// QueryPKey returns an entry of a port's P_Key table, in host byte order.
	//
	//	int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey)
	QueryPKey(port, index int) (uint16, error)
	// PKeyIndex returns the index of a P_Key, in host byte order, in a port's table.
	//
	//	int ibv_get_pkey_index(struct ibv_context *context, uint8_t port_num, __be16 pkey)
	PKeyIndex(port int, pkey uint16) (int, error)
	// InitAHFromWC returns the address of the sender of the UD message that completed as
	// wc. grh is the first [GRHSize] bytes of its receive.
	//
	//	int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc, struct ibv_grh *grh, struct ibv_ah_attr *ah_attr)
	InitAHFromWC(port int, wc *WC, grh []byte) (AHAttr, error)
	// OpenXRCD opens an XRC domain: a private one with fd -1, else the domain of the
	// descriptor's file. oflags are O_CREAT and O_EXCL of open(2).
	//
	//	struct ibv_xrcd *ibv_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *xrcd_init_attr)
	OpenXRCD(fd, oflags int) (XRCD, error)
	// AllocPD allocates a protection domain.
	//
	//	struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
	AllocPD() (PD, error)
	// CreateCompChannel creates a completion channel.
	//
	//	struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
	CreateCompChannel() (CompChannel, error)
	// CreateCQ creates a completion queue of at least cqe entries. channel may be nil.
	//
	//	struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int comp_vector)
	CreateCQ(cqe int, channel CompChannel, compVector int) (CQ, error)
	// GetAsyncEvent waits for an asynchronous event, or returns [ErrTimeout]
	// after timeout. Each event must be passed to AckAsyncEvent.
	//
	//	int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
	GetAsyncEvent(timeout time.Duration) (AsyncEvent, error)
	// AckAsyncEvent acknowledges an event. Close of the event's object waits for it.
	//
	//	void ibv_ack_async_event(struct ibv_async_event *event)
	AckAsyncEvent(event AsyncEvent)
	// Close closes the device. Its objects cannot be used afterwards.
	//
	//	int ibv_close_device(struct ibv_context *context)
	Close() error
}

// DeviceAttr holds the attributes of struct ibv_device_attr_ex.
type DeviceAttr struct {
	Transport        TransportType // transport_type of struct ibv_device
	FirmwareVersion  string
	NodeGUID         uint64 // host byte order
	SysImageGUID     uint64
	MaxMRSize        uint64 // bytes
	PageSizeCap      uint64 // bit mask of supported page sizes
	VendorID         uint32
	VendorPartID     uint32
	HWVersion        uint32
	MaxQP            int
	MaxQPWR          int            // work requests of one queue
	DeviceCapFlags   DeviceCapFlags // device_cap_flags_ex, whose lower 32 bits are device_cap_flags
	MaxSGE           int
	MaxSGERead       int
	MaxCQ            int
	MaxCQE           int
	MaxMR            int
	MaxPD            int
	MaxMW            int
	MaxQPRdAtomic    int // READs and atomics outstanding at a responder QP
	MaxQPInitRdAtom  int // READs and atomics outstanding at a requester QP
	MaxResRdAtomic   int
	MaxEERdAtomic    int
	MaxEEInitRdAtom  int
	AtomicCap        AtomicCap
	MaxSRQ           int
	MaxSRQWR         int
	MaxSRQSGE        int
	MaxMcastGroups   int
	MaxMcastQPs      int // of one group
	MaxTotalMcastQPs int
	MaxAH            int
	MaxFMR           int
	MaxMapPerFMR     int
	MaxEE            int
	MaxRDD           int
	MaxRawIPv6QP     int
	MaxRawEthyQP     int
	MaxPKeys         int
	LocalCAAckDelay  int
	PhysPortCount    int
	NumCompVectors   int
	TimestampMask    uint64 // valid bits of completion timestamps; 0: none
	CoreClockKHz     uint64 // clock of completion timestamps
	ODP              ODPCaps
	TSO              TSOCaps
	RSS              RSSCaps
	MaxWQTypeRQ      int // receive WQs of the RQ type
	Pacing           PacingCaps
	RawPacketCaps    uint32
	TM               TMCaps
	CQModeration     CQModerationCaps
	MaxDMSize        uint64 // bytes of device memory
	PCIAtomic        PCIAtomicCaps

	// MaxOutOfOrderRecvWR is the largest number of receives of an RC QP with OutOfOrder, see
	// [QPInitAttr]. 0: the device has no such QPs.
	MaxOutOfOrderRecvWR int
}

// AtomicCap is enum ibv_atomic_cap.
type AtomicCap uint32

// The scopes within which atomic operations are atomic.
const (
	AtomicNone AtomicCap = 0 // IBV_ATOMIC_NONE
	AtomicHCA  AtomicCap = 1 // IBV_ATOMIC_HCA: among the QPs of this device
	AtomicGlob AtomicCap = 2 // IBV_ATOMIC_GLOB: also with the CPU
)

var atomicCapNames = map[AtomicCap]string{AtomicNone: "none", AtomicHCA: "hca", AtomicGlob: "glob"}

func (a AtomicCap) String() string { return nameOf(atomicCapNames, a) }

// The ways of timed calls (post, poll, arm, take an event) from Go into a C library.
const (
	CallsDirect = "direct"
	CallsCgo    = "cgo" // slower: each call goes through the Go scheduler
)

// LibraryCaller is a [Context] whose calls go into a C library.
type LibraryCaller interface {
	// CallPath returns the way of timed calls: CallsDirect or CallsCgo.
	CallPath() string
}
