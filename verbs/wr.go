package verbs

// SGE is a scatter/gather element. Layout of struct ibv_sge (16 bytes).
type SGE struct {
	Addr   uint64 // virtual address within a registered region
	Length uint32 // bytes
	LKey   uint32 // the region's local key
}

// SendWR is a work request for the send queue. Layout of struct ibv_send_wr
// (128 bytes).
type SendWR struct {
	WRID      uint64    // returned in the completion, unchanged
	Next      *SendWR   // the next request of the list, or nil
	SGList    *SGE      // the first of NumSGE elements
	NumSGE    int32     // 0: an empty message
	Opcode    Opcode    //
	SendFlags SendFlags //
	Imm       [4]byte   // immediate data, network byte order

	wr  [4]uint64 // union wr: rdma, atomic or ud; see SetRDMA
	xrc [2]uint32 // union qp_type and padding
	ext [6]uint64 // union of bind_mw and tso
}

// SetRDMA sets the remote side of a WRITE or READ: union member wr.rdma.
func (w *SendWR) SetRDMA(remoteAddr uint64, rkey uint32) {
	w.wr[0], w.wr[1] = remoteAddr, uint64(rkey)
}

// RDMA returns the values of [SendWR.SetRDMA].
func (w *SendWR) RDMA() (remoteAddr uint64, rkey uint32) {
	return w.wr[0], uint32(w.wr[1])
}

// SetAtomic sets the remote side of an atomic operation: union member wr.atomic.
// [OpAtomicCmpAndSwp] writes swap if the 8 bytes at remoteAddr equal compareAdd;
// [OpAtomicFetchAndAdd] adds compareAdd to them.
func (w *SendWR) SetAtomic(remoteAddr uint64, rkey uint32, compareAdd, swap uint64) {
	w.wr = [4]uint64{remoteAddr, compareAdd, swap, uint64(rkey)}
}

// Atomic returns the values of [SendWR.SetAtomic].
func (w *SendWR) Atomic() (remoteAddr uint64, rkey uint32, compareAdd, swap uint64) {
	return w.wr[0], uint32(w.wr[3]), w.wr[1], w.wr[2]
}

// SetUD sets the destination of a UD message: union member wr.ud. A Q_Key with the top
// bit set selects the sending QP's own Q_Key.
func (w *SendWR) SetUD(ah AH, remoteQPN, remoteQKey uint32) {
	w.wr[0], w.wr[1] = ah.Handle(), uint64(remoteQPN)|uint64(remoteQKey)<<32
}

// UD returns the values of [SendWR.SetUD].
func (w *SendWR) UD() (ah uint64, remoteQPN, remoteQKey uint32) {
	return w.wr[0], uint32(w.wr[1]), uint32(w.wr[1] >> 32)
}

// SetXRC sets the number of the peer's SRQ: union member qp_type.xrc.remote_srqn.
func (w *SendWR) SetXRC(remoteSRQN uint32) { w.xrc[0] = remoteSRQN }

// XRC returns the value of [SendWR.SetXRC].
func (w *SendWR) XRC() (remoteSRQN uint32) { return w.xrc[0] }

// SetSRD sets the destination of a request of an SRD QP, and the remote address of a WRITE
// or READ: the arguments of ibv_wr_set_ud_addr(3), ibv_wr_rdma_write and ibv_wr_rdma_read.
// For a SEND remoteAddr and rkey are 0.
func (w *SendWR) SetSRD(ah AH, remoteQPN, remoteQKey uint32, remoteAddr uint64, rkey uint32) {
	w.SetUD(ah, remoteQPN, remoteQKey)
	w.wr[2], w.wr[3] = remoteAddr, uint64(rkey)
}

// SRD returns the values of [SendWR.SetSRD].
func (w *SendWR) SRD() (ah uint64, remoteQPN, remoteQKey uint32, remoteAddr uint64, rkey uint32) {
	ah, remoteQPN, remoteQKey = w.UD()
	return ah, remoteQPN, remoteQKey, w.wr[2], uint32(w.wr[3])
}

// RecvWR is a work request for a receive queue. Layout of struct ibv_recv_wr (32 bytes).
type RecvWR struct {
	WRID   uint64
	Next   *RecvWR
	SGList *SGE
	NumSGE int32
	_      int32
}

// Opcode is the operation of a send work request: enum ibv_wr_opcode.
type Opcode uint32

// The opcodes.
const (
	OpRDMAWrite        Opcode = 0 // IBV_WR_RDMA_WRITE
	OpRDMAWriteWithImm Opcode = 1 // IBV_WR_RDMA_WRITE_WITH_IMM
	OpSend             Opcode = 2 // IBV_WR_SEND
	OpSendWithImm      Opcode = 3 // IBV_WR_SEND_WITH_IMM
	OpRDMARead         Opcode = 4 // IBV_WR_RDMA_READ

	OpAtomicCmpAndSwp   Opcode = 5 // IBV_WR_ATOMIC_CMP_AND_SWP
	OpAtomicFetchAndAdd Opcode = 6 // IBV_WR_ATOMIC_FETCH_AND_ADD

	// Memory windows, see [MW].
	OpLocalInv    Opcode = 7 // IBV_WR_LOCAL_INV
	OpBindMW      Opcode = 8 // IBV_WR_BIND_MW
	OpSendWithInv Opcode = 9 // IBV_WR_SEND_WITH_INV
)

var opcodeNames = map[Opcode]string{
	OpRDMAWrite:        "RDMA_WRITE",
	OpRDMAWriteWithImm: "RDMA_WRITE_WITH_IMM",
	OpSend:             "SEND",
	OpSendWithImm:      "SEND_WITH_IMM",
	OpRDMARead:         "RDMA_READ",

	OpAtomicCmpAndSwp:   "ATOMIC_CMP_AND_SWP",
	OpAtomicFetchAndAdd: "ATOMIC_FETCH_AND_ADD",

	OpLocalInv:    "LOCAL_INV",
	OpBindMW:      "BIND_MW",
	OpSendWithInv: "SEND_WITH_INV",
}

// String returns the manual's name without IBV_WR_.
func (o Opcode) String() string { return nameOf(opcodeNames, o) }

// SendOps is a mask of enum ibv_qp_create_send_ops_flags: operations to post through
// ibv_wr_post(3), see [QPInitAttr].
type SendOps uint64

// The operations.
const (
	SendOpRDMAWrite         SendOps = 1 << 0 // IBV_QP_EX_WITH_RDMA_WRITE
	SendOpRDMAWriteWithImm  SendOps = 1 << 1 // IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM
	SendOpSend              SendOps = 1 << 2 // IBV_QP_EX_WITH_SEND
	SendOpSendWithImm       SendOps = 1 << 3 // IBV_QP_EX_WITH_SEND_WITH_IMM
	SendOpRDMARead          SendOps = 1 << 4 // IBV_QP_EX_WITH_RDMA_READ
	SendOpAtomicCmpAndSwp   SendOps = 1 << 5 // IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP
	SendOpAtomicFetchAndAdd SendOps = 1 << 6 // IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD
	SendOpLocalInv          SendOps = 1 << 7 // IBV_QP_EX_WITH_LOCAL_INV
	SendOpBindMW            SendOps = 1 << 8 // IBV_QP_EX_WITH_BIND_MW
	SendOpSendWithInv       SendOps = 1 << 9 // IBV_QP_EX_WITH_SEND_WITH_INV
)

// SendFlags modify a send work request: enum ibv_send_flags.
type SendFlags uint32

// The send flags. Without SIGNALED, and without the QP's SigAll, a successful request has
// no completion. It is done when a later request of the queue completes, and it occupies
// its queue entry until that completion is polled. A failed request always has a completion.
const (
	SendFence     SendFlags = 1 << 0 // IBV_SEND_FENCE: start only after this QP's earlier READs and atomics
	SendSignaled  SendFlags = 1 << 1 // IBV_SEND_SIGNALED: produce a completion
	SendSolicited SendFlags = 1 << 2 // IBV_SEND_SOLICITED: the receiver's completion is a solicited event
	SendInline    SendFlags = 1 << 3 // IBV_SEND_INLINE: PostSend copies the data; the buffer is free when it returns
)

// wcRecv is the bit that the opcodes of all receives have.
const wcRecv = 1 << 7

// WCOpcode is the operation of a completion: enum ibv_wc_opcode. Valid only with [WCSuccess].
type WCOpcode uint32

// The completion opcodes.
const (
	WCSend            WCOpcode = 0          // IBV_WC_SEND
	WCRDMAWrite       WCOpcode = 1          // IBV_WC_RDMA_WRITE
	WCRDMARead        WCOpcode = 2          // IBV_WC_RDMA_READ
	WCCompSwap        WCOpcode = 3          // IBV_WC_COMP_SWAP
	WCFetchAdd        WCOpcode = 4          // IBV_WC_FETCH_ADD
	WCBindMW          WCOpcode = 5          // IBV_WC_BIND_MW
	WCLocalInv        WCOpcode = 6          // IBV_WC_LOCAL_INV
	WCRecv            WCOpcode = wcRecv     // IBV_WC_RECV
	WCRecvRDMAWithImm WCOpcode = wcRecv + 1 // IBV_WC_RECV_RDMA_WITH_IMM
)

var wcOpcodeNames = map[WCOpcode]string{
	WCSend:            "SEND",
	WCRDMAWrite:       "RDMA_WRITE",
	WCRDMARead:        "RDMA_READ",
	WCCompSwap:        "COMP_SWAP",
	WCFetchAdd:        "FETCH_ADD",
	WCBindMW:          "BIND_MW",
	WCLocalInv:        "LOCAL_INV",
	WCRecv:            "RECV",
	WCRecvRDMAWithImm: "RECV_RDMA_WITH_IMM",
}

// String returns the manual's name without IBV_WC_.
func (o WCOpcode) String() string { return nameOf(wcOpcodeNames, o) }

// WCFlags describe a completion: enum ibv_wc_flags.
type WCFlags uint32

// The completion flags.
const (
	WCGRH     WCFlags = 1 << 0 // IBV_WC_GRH: UD: the first 40 bytes of the receive hold the GRH
	WCWithImm WCFlags = 1 << 1 // IBV_WC_WITH_IMM: Imm is valid
	WCIPCsum  WCFlags = 1 << 2 // IBV_WC_IP_CSUM_OK: the packet's IP checksums are correct
	WCWithInv WCFlags = 1 << 3 // IBV_WC_WITH_INV: InvalidatedRKey is valid
)

// WC is a work completion. Layout of struct ibv_wc (48 bytes). If Status is not
// [WCSuccess] only WRID, Status, VendorErr and QPNum are valid (ibv_poll_cq(3)).
type WC struct {
	WRID         uint64
	Status       WCStatus
	Opcode       WCOpcode
	VendorErr    uint32
	ByteLen      uint32  // bytes received or read; undefined for SENDs and WRITEs
	Imm          [4]byte // valid with WCWithImm, network byte order
	QPNum        uint32  // the local QP
	SrcQP        uint32  // UD only: the sender's QP
	Flags        WCFlags
	PKeyIndex    uint16
	SLID         uint16
	SL           uint8
	DLIDPathBits uint8
	_            uint16
}
