package verbs

// CompCounterCreator is a [Context] that makes completion counters, which count completed operations of
// QPs. An operation may be the peer's: a counter of [CountRemoteWrites] tells of WRITEs that have arrived.
type CompCounterCreator interface {
	// QueryCompCounterCaps returns what counters can do; ErrNotSupported if the library, before rdma-core
	// 65, or the driver lacks them.
	//
	//	int ibv_query_comp_cntr_caps(struct ibv_context *context, struct ibv_comp_cntr_caps *caps)
	QueryCompCounterCaps() (CompCounterCaps, error)
	// CreateCompCounter makes a counter of work requests.
	//
	//	struct ibv_comp_cntr *ibv_create_comp_cntr(struct ibv_context *context, struct ibv_comp_cntr_init_attr *cc_attr)
	CreateCompCounter() (CompCounter, error)
}

// CompCounterCaps is struct ibv_comp_cntr_caps.
type CompCounterCaps struct {
	MaxValue uint64 // of a counter; the next value is 0
	Max      int    // counters of the device
	Ops      CountedOps
}

// CountedOps is a mask of enum ibv_qp_attach_comp_cntr_op.
type CountedOps uint32

// The operations that a counter counts.
const (
	CountSends        CountedOps = 1 << 0
	CountRecvs        CountedOps = 1 << 1
	CountReads        CountedOps = 1 << 2
	CountRemoteReads  CountedOps = 1 << 3
	CountWrites       CountedOps = 1 << 4
	CountRemoteWrites CountedOps = 1 << 5
)

// CompCounter is a completion counter, struct ibv_comp_cntr.
type CompCounter interface {
	// Read returns the number of operations that completed successfully.
	//
	//	int ibv_read_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t *value)
	Read() (uint64, error)
	// ReadSpin reads the counter until it differs from old, at most max times: one call into the library
	// for all of them.
	ReadSpin(old uint64, max int) (uint64, error)
	// Close destroys the counter; EBUSY while a QP has it.
	//
	//	int ibv_destroy_comp_cntr(struct ibv_comp_cntr *comp_cntr)
	Close() error
}

// CompCounterAttacher is a [QP] that can have completion counters.
type CompCounterAttacher interface {
	// AttachCompCounter makes a counter count operations of the QP, which is in RESET or INIT, until the
	// QP is closed. EBUSY if another counter counts one of them.
	//
	//	int ibv_qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *comp_cntr, struct ibv_qp_attach_comp_cntr_attr *attr)
	AttachCompCounter(counter CompCounter, ops CountedOps) error
}
