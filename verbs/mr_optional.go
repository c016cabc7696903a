package verbs

// Reregistrar is an [MR] that can become another region and keep its place.
type Reregistrar interface {
	// Rereg changes what flags name: memory, with the address that work requests name it
	// by; domain; access. The keys may change with it: look at LKey and RKey afterwards.
	// If it fails with [ErrMRUnusable] in the error, the region can only be closed, else it
	// is as it was.
	//
	//	int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
	Rereg(flags ReregFlags, pd PD, buf []byte, access Access) error
}

// ReregFlags is a mask of enum ibv_rereg_mr_flags.
type ReregFlags uint32

// What Rereg changes.
const (
	ReregTranslation ReregFlags = 1 << 0 // IBV_REREG_MR_CHANGE_TRANSLATION: the memory
	ReregPD          ReregFlags = 1 << 1 // IBV_REREG_MR_CHANGE_PD
	ReregAccess      ReregFlags = 1 << 2 // IBV_REREG_MR_CHANGE_ACCESS
)

// DMABufRegistrar is a [PD] that registers memory of other devices.
type DMABufRegistrar interface {
	// RegDMABufMR registers length bytes from offset on of the dma-buf of a descriptor,
	// such as a GPU's memory. Work requests name them by the addresses from iova on, which
	// is as far into a page as offset is.
	//
	//	struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
	RegDMABufMR(offset uint64, length int, iova uint64, fd int, access Access) (MR, error)
}

// Advisor is a [PD] that takes advice on regions with [AccessOnDemand].
type Advisor interface {
	// AdviseMR tells what will be used. It is done when the call returns if flush is set,
	// and may begin later otherwise. ENOENT, EINVAL or EFAULT for a range that is in no
	// region of this domain, EPERM for a write to one without [AccessLocalWrite].
	//
	//	int ibv_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge)
	AdviseMR(advice Advice, flush bool, sges []SGE) error
}

// Advice is enum ibv_advise_mr_advice.
type Advice uint32

// The kinds of advice.
const (
	AdvicePrefetch        Advice = 0 // IBV_ADVISE_MR_ADVICE_PREFETCH: for reading
	AdvicePrefetchWrite   Advice = 1 // IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE
	AdvicePrefetchNoFault Advice = 2 // IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT: of pages that are present
)
