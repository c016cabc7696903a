package verbs

// Reregistrar is an [MR] that can be changed.
type Reregistrar interface {
	// Rereg changes the attributes that flags name: memory and its address in work requests,
	// domain, access. LKey and RKey may return other keys afterwards. If the error wraps
	// [ErrMRUnusable] the region can only be closed; after any other error it is unchanged.
	//
	//	int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
	Rereg(flags ReregFlags, pd PD, buf []byte, access Access) error
}

// ReregFlags is a mask of enum ibv_rereg_mr_flags.
type ReregFlags uint32

// The attributes that Rereg changes.
const (
	ReregTranslation ReregFlags = 1 << 0 // IBV_REREG_MR_CHANGE_TRANSLATION: the memory
	ReregPD          ReregFlags = 1 << 1 // IBV_REREG_MR_CHANGE_PD
	ReregAccess      ReregFlags = 1 << 2 // IBV_REREG_MR_CHANGE_ACCESS
)

// DMABufRegistrar is a [PD] that registers memory of other devices, such as a GPU.
type DMABufRegistrar interface {
	// RegDMABufMR registers length bytes at an offset of the dma-buf with file descriptor
	// fd. They have the addresses from iova on in work requests. iova and offset must have
	// the same offset within a page.
	//
	//	struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
	RegDMABufMR(offset uint64, length int, iova uint64, fd int, access Access) (MR, error)
}

// Advisor is a [PD] that takes advice on regions with [AccessOnDemand].
type Advisor interface {
	// AdviseMR announces accesses to ranges of regions. With flush it returns when the pages
	// are present; otherwise the device may fetch them later. ENOENT, EINVAL or EFAULT for a
	// range outside the regions of this domain, EPERM for [AdvicePrefetchWrite] in a region
	// without [AccessLocalWrite].
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
	AdvicePrefetchNoFault Advice = 2 // IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT: only pages that are present
)
