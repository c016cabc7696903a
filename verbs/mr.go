package verbs

// PD is a protection domain, struct ibv_pd. Memory regions, QPs, shared receive
// queues and address handles work together within one domain. A key of another domain
// is refused as an unknown key is.
type PD interface {
	// RegMR registers memory of a [Buffer], which must stay open until the region is
	// closed.
	//
	//	struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
	RegMR(buf []byte, access Access) (MR, error)
	// RegMRIova registers a buffer that has the addresses from iova on in work requests.
	// iova and the buffer must have the same offset within a page.
	//
	//	struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va, int access)
	RegMRIova(buf []byte, iova uint64, access Access) (MR, error)
	// CreateSRQ creates a shared receive queue and stores the granted capacity in init.Attr.
	//
	//	struct ibv_srq *ibv_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *srq_init_attr_ex)
	CreateSRQ(init *SRQInitAttr) (SRQ, error)
	// CreateAH creates an address handle.
	//
	//	struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
	CreateAH(attr *AHAttr) (AH, error)
	// CreateAHFromWC creates an address handle to the sender of the UD message that
	// completed as wc; see [Context] InitAHFromWC.
	//
	//	struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port_num)
	CreateAHFromWC(wc *WC, grh []byte, port int) (AH, error)
	// CreateQP creates a QP in state RESET and stores the granted capabilities in init.Cap.
	//
	//	struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
	CreateQP(init *QPInitAttr) (QP, error)
	// Close frees the domain; EBUSY while objects of it exist.
	//
	//	int ibv_dealloc_pd(struct ibv_pd *pd)
	Close() error
}

// MR is a memory region, struct ibv_mr: memory that a device may access, within its bounds
// and [Access] flags. A request outside them fails and moves no data: with [WCLocProtErr]
// if the memory is the requester's, with [WCRemAccessErr] if it is the responder's.
type MR interface {
	Addr() uint64 // of the first byte, in work requests
	Len() int     // bytes
	LKey() uint32 // for SGEs of this side
	RKey() uint32 // for RDMA by the peer; only with a remote access flag
	// Close deregisters the region. Its keys are invalid when Close returns.
	//
	//	int ibv_dereg_mr(struct ibv_mr *mr)
	Close() error
}

// Access is a mask of enum ibv_access_flags.
type Access uint32

// The access flags of a memory region, and of a QP's incoming requests: both must allow
// a peer's request. Local read is always allowed. LOCAL_WRITE is for receives and for the
// results of READs and atomics. REMOTE_WRITE and REMOTE_ATOMIC require it.
const (
	AccessLocalWrite      Access = 1 << 0  // IBV_ACCESS_LOCAL_WRITE
	AccessRemoteWrite     Access = 1 << 1  // IBV_ACCESS_REMOTE_WRITE
	AccessRemoteRead      Access = 1 << 2  // IBV_ACCESS_REMOTE_READ
	AccessRemoteAtomic    Access = 1 << 3  // IBV_ACCESS_REMOTE_ATOMIC
	AccessMWBind          Access = 1 << 4  // IBV_ACCESS_MW_BIND
	AccessZeroBased       Access = 1 << 5  // IBV_ACCESS_ZERO_BASED
	AccessOnDemand        Access = 1 << 6  // IBV_ACCESS_ON_DEMAND
	AccessHugeTLB         Access = 1 << 7  // IBV_ACCESS_HUGETLB
	AccessRelaxedOrdering Access = 1 << 20 // IBV_ACCESS_RELAXED_ORDERING: without any promise of data order

	// AccessOptional are the bits that a device may ignore (IBV_ACCESS_OPTIONAL_RANGE).
	AccessOptional Access = 0x3ff << 20
)

var accessNames = []string{
	0: "LOCAL_WRITE", 1: "REMOTE_WRITE", 2: "REMOTE_READ", 3: "REMOTE_ATOMIC", 4: "MW_BIND",
	5: "ZERO_BASED", 6: "ON_DEMAND", 7: "HUGETLB", 20: "RELAXED_ORDERING",
}

func (a Access) String() string { return bitNames(uint32(a), accessNames) }
