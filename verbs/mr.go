package verbs

// PD is a protection domain: memory regions and QPs work together within one.
type PD interface {
	// RegMR registers a buffer, which must be memory of a [Buffer] and stay
	// unclosed as long as the region lives.
	//
	//	struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
	RegMR(buf []byte, access Access) (MR, error)
	// RegMRIova registers a buffer that work requests name by the addresses from
	// iova on, which is as far into a page as the buffer is.
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
	// CreateAHFromWC creates an address handle to where the UD message of the
	// completion came from; see [Context] InitAHFromWC.
	//
	//	struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port_num)
	CreateAHFromWC(wc *WC, grh []byte, port int) (AH, error)
	// CreateQP creates a QP in state RESET and stores the granted capabilities in init.Cap.
	//
	//	struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
	CreateQP(init *QPInitAttr) (QP, error)
	// Close frees the domain; EBUSY while anything made from it lives.
	//
	//	int ibv_dealloc_pd(struct ibv_pd *pd)
	Close() error
}

// MR is a memory region.
type MR interface {
	Addr() uint64 // first byte, as work requests name it
	Len() int     // bytes
	LKey() uint32 // for SGEs of this side
	RKey() uint32 // for RDMA by the peer; useless without a remote right
	// Close deregisters the region: its keys are dead when Close returns.
	//
	//	int ibv_dereg_mr(struct ibv_mr *mr)
	Close() error
}

// Access is a mask of enum ibv_access_flags.
type Access uint32

// The access rights of a memory region, and of a QP's incoming requests. Local
// read is always allowed. REMOTE_WRITE needs LOCAL_WRITE.
const (
	AccessLocalWrite      Access = 1 << 0
	AccessRemoteWrite     Access = 1 << 1
	AccessRemoteRead      Access = 1 << 2
	AccessRemoteAtomic    Access = 1 << 3
	AccessMWBind          Access = 1 << 4
	AccessZeroBased       Access = 1 << 5
	AccessOnDemand        Access = 1 << 6
	AccessHugeTLB         Access = 1 << 7
	AccessRelaxedOrdering Access = 1 << 20 // gives up every promise about data order

	// AccessOptional are the bits a device may ignore (IBV_ACCESS_OPTIONAL_RANGE).
	AccessOptional Access = 0x3ff << 20
)

var accessNames = []string{
	0: "LOCAL_WRITE", 1: "REMOTE_WRITE", 2: "REMOTE_READ", 3: "REMOTE_ATOMIC", 4: "MW_BIND",
	5: "ZERO_BASED", 6: "ON_DEMAND", 7: "HUGETLB", 20: "RELAXED_ORDERING",
}

func (a Access) String() string { return bitNames(uint32(a), accessNames) }
