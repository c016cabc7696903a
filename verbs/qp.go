package verbs

// QP is a queue pair, struct ibv_qp: one end of a connection, or with UD and SRD a
// destination for messages of any QP.
//
// # States
//
// [PD] CreateQP makes a QP in RESET. Modify moves it and sets the attributes that the move
// requires besides [MaskState]; [CheckModify] names those that are missing or not allowed.
// [Connect] makes the three moves to RTS for RC and XRC, [ConnectUC] for UC, [Activate] for
// UD and SRD.
//
//	move            required (Mask...)
//	RESET -> INIT   PKeyIndex Port AccessFlags; UD, SRD: PKeyIndex Port QKey
//	INIT  -> RTR    RC, XRC_RECV: AV PathMTU DestQPN RQPSN MaxDestRdAtomic MinRNRTimer
//	                UC, XRC_SEND: AV PathMTU DestQPN RQPSN
//	RTR   -> RTS    RC, XRC_SEND: SQPSN Timeout RetryCnt RNRRetry MaxRdAtomic
//	                UC, UD, SRD: SQPSN; XRC_RECV: SQPSN Timeout
//	RTS   -> SQD    and back; in SQD the QP begins no further send
//	SQE   -> RTS    UC, UD and SRD, after a send request has failed
//	any   -> RESET  drops all work, without completions
//	any   -> ERR    flushes all work; refused from RESET
//
// The state decides what a QP does with work requests and with the peer's requests:
//
//	        post_recv   peer's requests   post_send
//	RESET   refused     not answered      refused
//	INIT    kept        not answered      refused
//	RTR     kept        executed          refused
//	RTS     kept        executed          executed
//	SQD     kept        executed          kept until RTS
//	SQE     kept        executed          flushed
//	ERR     flushed     not answered      flushed
//
// A flushed request completes with [WCWRFlushErr]. A failed request moves its QP
// to ERR (UC and UD: to SQE); the cause is in the first completion that is neither
// successful nor flushed.
type QP interface {
	// QPNum returns the QP number, 24 bits.
	QPNum() uint32
	// Modify sets the attributes named by mask. With [MaskState] it moves the QP to
	// another state.
	//
	//	int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
	Modify(attr *QPAttr, mask QPAttrMask) error
	// Query returns at least the attributes named by mask, and the creation attributes.
	//
	//	int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask, struct ibv_qp_init_attr *init_attr)
	Query(mask QPAttrMask) (QPAttr, QPInitAttr, error)
	// QueryDataInOrder returns the promised order in which incoming data of op becomes
	// visible to this side's CPU; see [AskOrder]. ErrNotSupported if the library lacks
	// the call.
	//
	//	int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
	QueryDataInOrder(op Opcode, flags OrderFlags) (OrderCaps, error)
	// PostSend posts the list that begins at wr. On an error bad is the first request
	// that was not posted; the requests before it were posted.
	//
	//	int ibv_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
	PostSend(wr *SendWR) (bad *SendWR, err error)
	// PostRecv posts the list that begins at wr, as PostSend does.
	//
	//	int ibv_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
	PostRecv(wr *RecvWR) (bad *RecvWR, err error)
	// AttachMcast makes a UD QP receive the messages of a multicast group, each once
	// even if attached several times. lid is in host byte order, 0 on Ethernet.
	//
	//	int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
	AttachMcast(gid GID, lid uint16) error
	// DetachMcast undoes AttachMcast; EINVAL if the QP is not attached.
	//
	//	int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
	DetachMcast(gid GID, lid uint16) error
	// Close destroys the QP in any state, without waiting for its work; EBUSY while
	// it is attached to a multicast group. For a handle from [XRCD] OpenQP it closes
	// the handle.
	//
	//	int ibv_destroy_qp(struct ibv_qp *qp)
	Close() error
}

// QPType is enum ibv_qp_type: the transport. A QP refuses opcodes that its type lacks.
//
//	                           RC, XRC   UC    UD    SRD
//	SEND, SEND_WITH_IMM        yes       yes   yes   yes
//	  longest                  MaxMsgSize same MTU   MTU
//	RDMA_WRITE, with _WITH_IMM yes       yes   no    some devices
//	RDMA_READ                  yes       no    no    some devices
//	ATOMIC_...                 yes       no    no    no
//	[MW]: BIND_MW, LOCAL_INV,
//	  SEND_WITH_INV            yes       yes   no    no
//	acknowledged, retransmitted yes      no    no    yes
//	in the order of posting    yes       yes   no    no
//	receives of an [SRQ]       yes       no    yes   no
//	peers                      one       one   any   any, see [AH]
//
// RC and XRC deliver every message, once and in order, or fail the request. UC and UD do
// not report a message that is lost or has no receive; UD messages have no order. A
// completion of UC or UD means only that the device has sent the message. SRD, which only
// EFA has, delivers each message once or fails the request, over several paths and in any
// order (efadv_create_driver_qp(3)). All its requests must be signaled, and each names its
// peer: see [SendWR.SetSRD].
type QPType uint32

// The transports.
const (
	QPTypeRC QPType = 2 // IBV_QPT_RC
	QPTypeUC QPType = 3 // IBV_QPT_UC
	QPTypeUD QPType = 4 // IBV_QPT_UD

	QPTypeXRCSend QPType = 9  // IBV_QPT_XRC_SEND
	QPTypeXRCRecv QPType = 10 // IBV_QPT_XRC_RECV

	QPTypeSRD QPType = 0xff // IBV_QPT_DRIVER, as EFADV_QP_DRIVER_TYPE_SRD
)

var qpTypeNames = map[QPType]string{
	QPTypeRC: "RC", QPTypeUC: "UC", QPTypeUD: "UD", QPTypeXRCSend: "XRC_SEND", QPTypeXRCRecv: "XRC_RECV",
	QPTypeSRD: "SRD",
}

func (t QPType) String() string { return nameOf(qpTypeNames, t) }

// QPState is enum ibv_qp_state.
type QPState uint32

// The states of a QP.
const (
	QPReset QPState = 0 // IBV_QPS_RESET
	QPInit  QPState = 1 // IBV_QPS_INIT
	QPRTR   QPState = 2 // IBV_QPS_RTR: ready to receive
	QPRTS   QPState = 3 // IBV_QPS_RTS: ready to send
	QPSQD   QPState = 4 // IBV_QPS_SQD: send queue drained
	QPSQE   QPState = 5 // IBV_QPS_SQE: send queue error
	QPErr   QPState = 6 // IBV_QPS_ERR

	QPUnknown QPState = 7 // IBV_QPS_UNKNOWN: a handle from [XRCD] OpenQP that was not queried yet
)

var qpStateNames = map[QPState]string{
	QPReset: "RESET", QPInit: "INIT", QPRTR: "RTR", QPRTS: "RTS", QPSQD: "SQD", QPSQE: "SQE", QPErr: "ERR",
	QPUnknown: "UNKNOWN",
}

func (s QPState) String() string { return nameOf(qpStateNames, s) }

// QPCap is struct ibv_qp_cap.
type QPCap struct {
	MaxSendWR     int
	MaxRecvWR     int
	MaxSendSGE    int
	MaxRecvSGE    int
	MaxInlineData int // bytes
}

// QPInitAttr is struct ibv_qp_init_attr.
type QPInitAttr struct {
	SendCQ   CQ
	RecvCQ   CQ
	SRQ      SRQ // in place of a receive queue; nil: the QP has its own
	Cap      QPCap
	Type     QPType
	SigAll   bool // every send produces a completion (sq_sig_all)
	QPNumber uint32

	// SendOps are the operations that PostSend posts through ibv_wr_post(3). The QP refuses
	// other operations. Some devices offer more operations there than through
	// ibv_post_send(3). 0 stands for those of ibv_post_send, and with SRD for all that the
	// device has. libmlx5 sizes the entries of the send queue by SendOps: a WRITE alone takes 64
	// bytes, all operations take 256 (_sq_overhead in providers/mlx5/verbs.c of rdma-core). The
	// embedded device ignores SendOps.
	SendOps SendOps

	// NoScatterToCQE asks for a QP whose incoming data is in memory before its CQ is polled,
	// as a poller of memory needs it. Some devices write a short message into the completion
	// queue entry instead, and ibv_poll_cq copies it into the buffer. libmlx5 enables this by
	// default on RC and UC, for a SEND of up to 32 bytes (64 bytes where CQEs have 128), and
	// with SigAll for the data of a READ
	// (mlx5dv_create_qp(3), MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE; handle_responder in
	// providers/mlx5/cq.c of rdma-core; configure_requester_scat_cqe in Linux). A poller of
	// the CQ leaves it false: scatter to CQE saves the device a write.
	NoScatterToCQE bool
	// OutOfOrder asks for an RC QP whose messages may be placed in memory, and take receives, in any
	// order, and with them their packets. A poller of memory must not rely on such a QP. The peer's
	// QP must have it too. Completions keep their order; the wr_id tells which receive a message
	// has taken. Only some mlx5 devices have such QPs, see MaxOutOfOrderRecvWR of [DeviceAttr];
	// others return ErrNotSupported (mlx5dv_create_qp(3), MLX5DV_QP_CREATE_OOO_DP).
	OutOfOrder bool

	// MaxScatterToCQE is set by CreateQP: a SEND of up to MaxScatterToCQE bytes may be in the
	// CQE alone until it is polled, although NoScatterToCQE was set. It is 0 if the device
	// does not do so, or if NoScatterToCQE was not set.
	MaxScatterToCQE int
	// MaxRDMASize is set by CreateQP of an SRD QP: the longest WRITE or READ in bytes
	// (efadv_query_device(3), max_rdma_size). It is 0 for other QPs, and if unknown.
	MaxRDMASize int
}

// QPAttr is struct ibv_qp_attr. Timeout and RetryCnt apply when the peer does not respond
// ([WCRetryExcErr]); the peer's MinRNRTimer and RNRRetry apply when the peer has no receive
// posted ([WCRNRRetryExcErr]).
type QPAttr struct {
	State           QPState
	CurState        QPState
	PathMTU         MTU
	RQPSN           uint32 // 24 bits
	SQPSN           uint32 // 24 bits
	DestQPNum       uint32
	AccessFlags     Access // operations that the peer may execute
	Cap             QPCap
	AH              AHAttr
	PKeyIndex       uint16
	EnSQDNotify     bool
	SQDraining      bool
	MaxRdAtomic     uint8 // READs and atomics outstanding as requester
	MaxDestRdAtomic uint8 // READs and atomics accepted as responder
	MinRNRTimer     uint8 // code of the delay that an RNR NAK asks for
	PortNum         uint8
	Timeout         uint8 // local ACK timeout, 4.096 µs * 2^Timeout; 0 infinite
	RetryCnt        uint8
	RNRRetry        uint8 // 7 infinite
	QKey            uint32

	// The alternate path, which MaskAltPath sets as a whole, and its state. Only InfiniBand
	// has path migration.
	AltAH        AHAttr
	AltPKeyIndex uint16
	AltPortNum   uint8
	AltTimeout   uint8 // as Timeout
	PathMigState MigState
}

// MigState is enum ibv_mig_state: whether a QP may move to its alternate path.
type MigState uint32

// The states of path migration.
const (
	MigMigrated MigState = 0 // IBV_MIG_MIGRATED: without an alternate path
	MigRearm    MigState = 1 // IBV_MIG_REARM: the alternate path is loaded, and armed once the peer's is
	MigArmed    MigState = 2 // IBV_MIG_ARMED: the QP moves to the alternate path when the path fails
)

var migStateNames = map[MigState]string{MigMigrated: "MIGRATED", MigRearm: "REARM", MigArmed: "ARMED"}

// String returns the manual's name without IBV_MIG_.
func (s MigState) String() string { return nameOf(migStateNames, s) }

// QPAttrMask is enum ibv_qp_attr_mask.
type QPAttrMask uint32

// The attribute mask bits.
const (
	MaskState           QPAttrMask = 1 << 0  // IBV_QP_STATE
	MaskCurState        QPAttrMask = 1 << 1  // IBV_QP_CUR_STATE
	MaskEnSQDNotify     QPAttrMask = 1 << 2  // IBV_QP_EN_SQD_ASYNC_NOTIFY
	MaskAccessFlags     QPAttrMask = 1 << 3  // IBV_QP_ACCESS_FLAGS
	MaskPKeyIndex       QPAttrMask = 1 << 4  // IBV_QP_PKEY_INDEX
	MaskPort            QPAttrMask = 1 << 5  // IBV_QP_PORT
	MaskQKey            QPAttrMask = 1 << 6  // IBV_QP_QKEY
	MaskAV              QPAttrMask = 1 << 7  // IBV_QP_AV
	MaskPathMTU         QPAttrMask = 1 << 8  // IBV_QP_PATH_MTU
	MaskTimeout         QPAttrMask = 1 << 9  // IBV_QP_TIMEOUT
	MaskRetryCnt        QPAttrMask = 1 << 10 // IBV_QP_RETRY_CNT
	MaskRNRRetry        QPAttrMask = 1 << 11 // IBV_QP_RNR_RETRY
	MaskRQPSN           QPAttrMask = 1 << 12 // IBV_QP_RQ_PSN
	MaskMaxRdAtomic     QPAttrMask = 1 << 13 // IBV_QP_MAX_QP_RD_ATOMIC
	MaskAltPath         QPAttrMask = 1 << 14 // IBV_QP_ALT_PATH
	MaskMinRNRTimer     QPAttrMask = 1 << 15 // IBV_QP_MIN_RNR_TIMER
	MaskSQPSN           QPAttrMask = 1 << 16 // IBV_QP_SQ_PSN
	MaskMaxDestRdAtomic QPAttrMask = 1 << 17 // IBV_QP_MAX_DEST_RD_ATOMIC
	MaskPathMigState    QPAttrMask = 1 << 18 // IBV_QP_PATH_MIG_STATE
	MaskCap             QPAttrMask = 1 << 19 // IBV_QP_CAP
	MaskDestQPN         QPAttrMask = 1 << 20 // IBV_QP_DEST_QPN
)

var maskNames = []string{
	"STATE", "CUR_STATE", "EN_SQD_ASYNC_NOTIFY", "ACCESS_FLAGS", "PKEY_INDEX", "PORT", "QKEY",
	"AV", "PATH_MTU", "TIMEOUT", "RETRY_CNT", "RNR_RETRY", "RQ_PSN", "MAX_QP_RD_ATOMIC",
	"ALT_PATH", "MIN_RNR_TIMER", "SQ_PSN", "MAX_DEST_RD_ATOMIC", "PATH_MIG_STATE", "CAP", "DEST_QPN",
}

// String returns the manual's names without IBV_QP_, joined by "|".
func (m QPAttrMask) String() string { return bitNames(uint32(m), maskNames) }
