package verbs

// CQExCreator is a [Context] that makes extended CQs.
type CQExCreator interface {
	// CreateCQEx creates an extended CQ; EOPNOTSUPP if the device lacks what init asks for.
	//
	//	struct ibv_cq_ex *ibv_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *cq_attr)
	CreateCQEx(init *CQInitAttrEx) (CQEx, error)
}

// CQInitAttrEx is struct ibv_cq_init_attr_ex, without a parent domain.
type CQInitAttrEx struct {
	CQE            int         // least number of entries
	Channel        CompChannel // or nil
	CompVector     int
	Timestamps     Timestamps
	SingleThreaded bool // without locks: used by one goroutine at a time (IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
}

// Timestamps is the kind of timestamps that the completions of a CQ have.
type Timestamps uint64

// The kinds of timestamps: bits of enum ibv_create_cq_wc_flags.
const (
	TimestampNone      Timestamps = 0
	TimestampTicks     Timestamps = 1 << 7  // IBV_WC_EX_WITH_COMPLETION_TIMESTAMP: ticks of the device's clock, see [DeviceAttr] CoreClockKHz
	TimestampWallClock Timestamps = 1 << 11 // IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK: ns since 1970
)

// CQEx is an extended CQ, struct ibv_cq_ex. It can be used wherever a [CQ] can.
type CQEx interface {
	CQ
	// PollTimes is PollSpin and stores the timestamp of wc[i] in times[i]. times is at least
	// as long as wc. EINVAL if the CQ was created without timestamps. In a timestamp in ticks
	// the bits of [DeviceAttr] TimestampMask are valid. A failed completion has timestamp 0.
	//
	//	int ibv_start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
	//	int ibv_next_poll(struct ibv_cq_ex *cq)
	//	void ibv_end_poll(struct ibv_cq_ex *cq)
	//	uint64_t ibv_wc_read_completion_ts(struct ibv_cq_ex *cq)
	//	uint64_t ibv_wc_read_completion_wallclock_ns(struct ibv_cq_ex *cq)
	PollTimes(wc []WC, times []uint64, max int) (int, error)
}

// Moderator is a [CQ] with event moderation.
type Moderator interface {
	// Moderate makes an armed CQ raise its event only after count completions, or periodUs
	// microseconds after the first. 0 and 0 end the moderation; [CQModerationCaps] has the
	// maxima.
	//
	//	int ibv_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
	Moderate(count, periodUs uint16) error
}
