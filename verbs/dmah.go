package verbs

// DMAHandler is a [Context] that makes DMA handles: hints to the PCIe root complex (TPH) about where to
// place data that the device writes, such as the cache of a CPU.
type DMAHandler interface {
	// AllocDMAH makes a handle; ErrNotSupported if the library, before rdma-core 59, the driver or the
	// device lacks handles.
	//
	//	struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context, struct ibv_dmah_init_attr *attr)
	AllocDMAH(init *DMAHInitAttr) (DMAH, error)
}

// DMAHInitAttr is struct ibv_dmah_init_attr. Mask says which members are valid.
type DMAHInitAttr struct {
	Mask   DMAHMask
	CPU    uint32     // whose caches data is for
	Hint   uint8      // processing hint of TPH, 0 to 3
	Memory TPHMemType // that data is for
}

// DMAHMask is enum ibv_dmah_init_attr_mask.
type DMAHMask uint32

// The members of [DMAHInitAttr].
const (
	DMAHCPU    DMAHMask = 1 << 0
	DMAHHint   DMAHMask = 1 << 1
	DMAHMemory DMAHMask = 1 << 2
)

// TPHMemType is enum ibv_tph_mem_type.
type TPHMemType uint8

// The types of memory.
const (
	TPHVolatile   TPHMemType = 0
	TPHPersistent TPHMemType = 1
)

// DMAH is a DMA handle, struct ibv_dmah.
type DMAH interface {
	// Close frees the handle; EBUSY while a region has it.
	//
	//	int ibv_dealloc_dmah(struct ibv_dmah *dmah)
	Close() error
}

// HintedRegistrar is a [PD] that registers memory with a DMA handle.
type HintedRegistrar interface {
	// RegMRHinted registers a buffer, as [PD] RegMR does, with a handle of the same context.
	//
	//	struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *mr_init_attr)
	RegMRHinted(buf []byte, access Access, hints DMAH) (MR, error)
}
