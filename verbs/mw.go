package verbs

import "encoding/binary"

// MWAllocator is a [PD] that allocates memory windows.
type MWAllocator interface {
	// AllocMW allocates a window, which is not bound; EOPNOTSUPP if the device has none
	// of the type, see [DeviceCapMemWindow].
	//
	//	struct ibv_mw *ibv_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
	AllocMW(t MWType) (MW, error)
}

// MW is a memory window, struct ibv_mw: a key to a part of a region that is given to
// peers and taken back by work requests, in the order of a QP's work and without a system
// call. It must be bound to a region with [AccessMWBind], which cannot be deregistered
// meanwhile. What is outside of it, or not its [Access], is refused as with a region.
//
//	                 type 1                    type 2
//	bound by         Bind                      PostSend of [OpBindMW]
//	whose new rkey   is RKey afterwards        is the caller's, see [IncRKey]
//	taken back by    Bind of no bytes, Close   [OpLocalInv], the peer's [OpSendWithInv], Close
//	used through     any QP of its domain      the QP that it was bound by
type MW interface {
	// RKey returns what peers name the window by. Binding changes its lowest 8 bits.
	RKey() uint32
	// SetRKey tells the key that the window has: of type 2 when an [OpBindMW] has
	// completed, of type 1 the former one if a bind has failed.
	SetRKey(rkey uint32)
	// Handle is what a work request names it by: of libibverbs, struct ibv_mw *.
	Handle() uint64
	// Bind posts a bind of a window of type 1 to a QP of RC, UC or XRC_SEND. It completes
	// as [WCBindMW]; until then peers may be told the rkey by a later SEND of the same QP
	// alone. EINVAL for a window of type 2, EPERM for a region of another domain.
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

// MWBindInfo is struct ibv_mw_bind_info: what of a region a window gives access to.
type MWBindInfo struct {
	MR     BindableMR // needed, also with no bytes
	Addr   uint64     // as work requests name it
	Length uint64     // bytes
	Access Access     // remote rights and AccessZeroBased; those to write need the region's AccessLocalWrite
}

// BindableMR is an [MR] that windows can be bound to: each of a PD that is an [MWAllocator].
type BindableMR interface {
	MR
	// Handle is what a work request names it by: of libibverbs, struct ibv_mr *.
	Handle() uint64
}

// IncRKey returns the rkey with its lowest 8 bits increased by one, as the next rkey of a
// window.
//
//	uint32_t ibv_inc_rkey(uint32_t rkey)
func IncRKey(rkey uint32) uint32 { return rkey&^0xff | (rkey+1)&0xff }

// SetBindMW makes an [OpBindMW] bind a window of type 2: union member bind_mw. rkey is the
// window's new one.
func (w *SendWR) SetBindMW(mw MW, rkey uint32, info MWBindInfo) {
	w.ext = [6]uint64{mw.Handle(), uint64(rkey), info.MR.Handle(), info.Addr, info.Length, uint64(info.Access)}
}

// BindMW returns what [SendWR.SetBindMW] set, with the handles of window and region.
func (w *SendWR) BindMW() (mw uint64, rkey uint32, mr, addr, length uint64, access Access) {
	return w.ext[0], uint32(w.ext[1]), w.ext[2], w.ext[3], w.ext[4], Access(w.ext[5])
}

// SetInvalidate sets the rkey that an [OpLocalInv], or at the peer an [OpSendWithInv], makes
// invalid: union member invalidate_rkey, which shares its place with Imm.
func (w *SendWR) SetInvalidate(rkey uint32) { binary.NativeEndian.PutUint32(w.Imm[:], rkey) }

// Invalidate returns what [SendWR.SetInvalidate] set.
func (w *SendWR) Invalidate() (rkey uint32) { return binary.NativeEndian.Uint32(w.Imm[:]) }

// InvalidatedRKey returns the rkey that the message made invalid; valid with [WCWithInv].
func (w *WC) InvalidatedRKey() uint32 { return binary.NativeEndian.Uint32(w.Imm[:]) }
