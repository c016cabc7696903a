package verbs

import "encoding/binary"

// MWAllocator is a [PD] that allocates memory windows.
type MWAllocator interface {
	// AllocMW allocates an unbound window; EOPNOTSUPP if the device lacks the type, see
	// [DeviceCapMemWindow].
	//
	//	struct ibv_mw *ibv_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
	AllocMW(t MWType) (MW, error)
}

// MW is a memory window, struct ibv_mw: an rkey for a part of a region. Work requests bind
// and invalidate it, in the order of a QP's work and without a system call. It is bound to
// a region with [AccessMWBind], which cannot be deregistered while the window is bound. A
// request outside its bounds or [Access] flags is refused as with a region.
//
//	                  type 1                    type 2
//	bound by          Bind                      PostSend of [OpBindMW]
//	new rkey          RKey after Bind           chosen by the caller, see [IncRKey]
//	invalidated by    Bind of 0 bytes, Close    [OpLocalInv], the peer's [OpSendWithInv], Close
//	usable through    any QP of its domain      the QP that bound it
type MW interface {
	// RKey returns the window's rkey. Binding changes its lowest 8 bits.
	RKey() uint32
	// SetRKey sets the key that RKey returns: for type 2 after an [OpBindMW] has
	// completed, for type 1 the former key after a bind has failed.
	SetRKey(rkey uint32)
	// Handle returns the value that work requests carry: in libibverbs, struct ibv_mw *.
	Handle() uint64
	// Bind posts a bind of a window of type 1 to a QP of RC, UC or XRC_SEND. It completes
	// as [WCBindMW]. Before that, only a later SEND of the same QP may carry the rkey to
	// the peer. EINVAL for a window of type 2, EPERM for a region of another domain.
	//
	//	int ibv_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *mw_bind)
	Bind(qp QP, bind *MWBind) error
	// Close deallocates the window, bound or not.
	//
	//	int ibv_dealloc_mw(struct ibv_mw *mw)
	Close() error
}

// MWType is enum ibv_mw_type.
type MWType uint32

// The types of memory windows.
const (
	MWType1 MWType = 1 // IBV_MW_TYPE_1
	MWType2 MWType = 2 // IBV_MW_TYPE_2
)

// MWBind is struct ibv_mw_bind.
type MWBind struct {
	WRID      uint64
	SendFlags SendFlags // SendFence and SendSignaled
	Info      MWBindInfo
}

// MWBindInfo is struct ibv_mw_bind_info: the part of a region that a window covers.
type MWBindInfo struct {
	MR     BindableMR // required, also with Length 0
	Addr   uint64     // in the region, as in work requests
	Length uint64     // bytes
	Access Access     // remote flags and AccessZeroBased; write flags need the region's AccessLocalWrite
}

// BindableMR is an [MR] that windows can be bound to: each MR of an [MWAllocator].
type BindableMR interface {
	MR
	// Handle returns the value that work requests carry: in libibverbs, struct ibv_mr *.
	Handle() uint64
}

// IncRKey returns the next rkey of a window: its lowest 8 bits are incremented.
//
//	uint32_t ibv_inc_rkey(uint32_t rkey)
func IncRKey(rkey uint32) uint32 { return rkey&^0xff | (rkey+1)&0xff }

// SetBindMW sets the window of type 2, its new rkey and its range in an [OpBindMW]: union
// member bind_mw.
func (w *SendWR) SetBindMW(mw MW, rkey uint32, info MWBindInfo) {
	w.ext = [6]uint64{mw.Handle(), uint64(rkey), info.MR.Handle(), info.Addr, info.Length, uint64(info.Access)}
}

// BindMW returns the values of [SendWR.SetBindMW], with the handles of window and region.
func (w *SendWR) BindMW() (mw uint64, rkey uint32, mr, addr, length uint64, access Access) {
	return w.ext[0], uint32(w.ext[1]), w.ext[2], w.ext[3], w.ext[4], Access(w.ext[5])
}

// SetInvalidate sets the rkey that an [OpLocalInv] invalidates here, or an [OpSendWithInv] at
// the peer: union member invalidate_rkey, which overlaps Imm.
func (w *SendWR) SetInvalidate(rkey uint32) { binary.NativeEndian.PutUint32(w.Imm[:], rkey) }

// Invalidate returns the rkey of [SendWR.SetInvalidate].
func (w *SendWR) Invalidate() (rkey uint32) { return binary.NativeEndian.Uint32(w.Imm[:]) }

// InvalidatedRKey returns the rkey that the message invalidated; valid with [WCWithInv].
func (w *WC) InvalidatedRKey() uint32 { return binary.NativeEndian.Uint32(w.Imm[:]) }
