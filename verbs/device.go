package verbs

import "time"

// Device is an RDMA device of a backend, not yet opened.
type Device interface {
	// Name is what users pass with -d: "mlx5_0", "rxe0", "shm_whole".
	Name() string
	// Backend is the name of the backend that offers the device: "ibv", "shm".
	Backend() string
	// Software says what stands in for hardware, or "" for a device that may be hardware.
	Software() string
	// Present reports whether the device is still there. A driver that cannot take a
	// device from under its users removes it when they go, and raises no event for that.
	Present() bool
	// Open opens the device.
	//
	//	struct ibv_context *ibv_open_device(struct ibv_device *device)
	Open() (Context, error)
}

// Context is an opened device. Objects made from one context work only with each other.
type Context interface {
	Device() Device
	// QueryDevice returns the device's attributes. Maxima are upper limits, not promises.
	//
	//	int ibv_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr)
	QueryDevice() (DeviceAttr, error)
	// QueryPort returns the attributes of a port; ports count from 1.
	//
	//	int ibv_query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *port_attr)
	QueryPort(port int) (PortAttr, error)
	// QueryGID returns a GID table entry; ENODATA if the entry is empty.
	//
	//	int ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index, struct ibv_gid_entry *entry, uint32_t flags)
	QueryGID(port, index int) (GIDEntry, error)
	// QueryGIDTable returns the entries of all ports that are not empty; EINVAL if
	// they are more than max.
	//
	//	ssize_t ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries, uint32_t flags)
	QueryGIDTable(max int) ([]GIDEntry, error)
	// QueryPKey returns an entry of a port's P_Key table, in host byte order.
	//
	//	int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey)
	QueryPKey(port, index int) (uint16, error)
	// PKeyIndex returns where a P_Key, in host byte order, stands in a port's table.
	//
	//	int ibv_get_pkey_index(struct ibv_context *context, uint8_t port_num, __be16 pkey)
	PKeyIndex(port int, pkey uint16) (int, error)
	// InitAHFromWC returns the way back to the sender of the UD message of the
	// completion. grh is the first [GRHSize] bytes of its receive.
	//
	//	int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc, struct ibv_grh *grh, struct ibv_ah_attr *ah_attr)
	InitAHFromWC(port int, wc *WC, grh []byte) (AHAttr, error)
	// OpenXRCD opens an XRC domain: a private one with fd -1, else the one that the
	// file of the descriptor stands for. oflags are O_CREAT and O_EXCL of open(2).
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
	// after timeout. Each event must be given to AckAsyncEvent.
	//
	//	int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
	GetAsyncEvent(timeout time.Duration) (AsyncEvent, error)
	// AckAsyncEvent acknowledges an event; Close of the object that it is about
	// waits for that.
	//
	//	void ibv_ack_async_event(struct ibv_async_event *event)
	AckAsyncEvent(event AsyncEvent)
	// Close closes the device. Objects made from it are dead afterwards.
	//
	//	int ibv_close_device(struct ibv_context *context)
	Close() error
}

// DeviceAttr holds the attributes of struct ibv_device_attr_ex.
type DeviceAttr struct {
	Transport        TransportType // of struct ibv_device
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
	DeviceCapFlags   DeviceCapFlags // struct member device_cap_flags_ex, whose lower half is device_cap_flags
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
	CoreClockKHz     uint64 // of completion timestamps
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
}

// AtomicCap is enum ibv_atomic_cap.
type AtomicCap uint32

// The scopes within which atomic operations are atomic.
const (
	AtomicNone AtomicCap = 0 // IBV_ATOMIC_NONE
	AtomicHCA  AtomicCap = 1 // IBV_ATOMIC_HCA: among the QPs of this device
	AtomicGlob AtomicCap = 2 // IBV_ATOMIC_GLOB: with the CPU too
)

var atomicCapNames = map[AtomicCap]string{AtomicNone: "none", AtomicHCA: "hca", AtomicGlob: "glob"}

func (a AtomicCap) String() string { return nameOf(atomicCapNames, a) }
