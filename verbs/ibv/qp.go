//go:build linux

package ibv

/*
#cgo noescape ib_modify_qp
#cgo noescape ib_query_qp
#cgo noescape fast_post_send
#cgo nocallback fast_post_send
#cgo noescape fast_post_recv
#cgo nocallback fast_post_recv
#cgo nocallback ib_query_qp_data_in_order
#include "fast.h"
#include "library.h"
*/
import "C"

import (
	"fmt"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

type qp struct {
	ctx  *context
	c    *C.struct_abi_qp
	init verbs.QPInitAttr
}

func (q *qp) QPNum() uint32 { return uint32(q.c.qp_num) }

func (q *qp) object() string { return fmt.Sprintf("%s qp %#x", q.ctx.dev.name, q.QPNum()) }

// Modify sets attributes and moves the QP through its states.
//
//	int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
func (q *qp) Modify(attr *verbs.QPAttr, mask verbs.QPAttrMask) error {
	a := fromQPAttr(attr)
	from := verbs.QPState(q.c.state)
	ret := C.ib_modify_qp(q.c, &a, C.int(mask))
	return check("modify_qp", q.object(), ret, func() string { return q.modifyHint(syscall.Errno(ret), from, attr, mask) })
}

// modifyHint says what the usual cause of a refused move is.
func (q *qp) modifyHint(errno syscall.Errno, from verbs.QPState, attr *verbs.QPAttr, mask verbs.QPAttrMask) string {
	to := from
	if mask&verbs.MaskState != 0 {
		to = attr.State
	}
	if errno == syscall.EINVAL {
		if wrong := verbs.CheckModify(q.init.Type, from, to, mask); wrong != "" {
			return wrong
		}
	}
	if mask&verbs.MaskAV == 0 {
		return fmt.Sprintf("%s to %s", from, to)
	}
	return fmt.Sprintf("%s to %s: is the peer %s reachable from GID index %d of port %d?",
		from, to, attr.AH.GRH.DGID, attr.AH.GRH.SGIDIndex, attr.AH.PortNum)
}

// Query returns the QP's attributes.
//
//	int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask, struct ibv_qp_init_attr *init_attr)
func (q *qp) Query(mask verbs.QPAttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	var a C.struct_abi_qp_attr
	var in C.struct_abi_qp_init_attr
	if ret := C.ib_query_qp(q.c, &a, C.int(mask), &in); ret != 0 {
		return verbs.QPAttr{}, verbs.QPInitAttr{}, check("query_qp", q.object(), ret, nil)
	}
	init := q.init
	init.Cap, init.SigAll = toCap(in.cap), in.sq_sig_all != 0
	return toQPAttr(&a), init, nil
}

// The first versions of rdma-core whose query of data order knows the flags.
const (
	knowsReturnCaps = 46
	knowsDeviceOnly = 60
)

// QueryDataInOrder asks about data order: ErrNotSupported if the library lacks the
// call, EINVAL if it is older than a flag. Older ones hand flags that they do not
// know to the device's driver, whose answer then means nothing.
//
//	int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
func (q *qp) QueryDataInOrder(op verbs.Opcode, flags verbs.OrderFlags) (verbs.OrderCaps, error) {
	file := C.ib_order_file()
	if file == nil {
		return 0, opError("query_qp_data_in_order", q.object(), verbs.ErrNotSupported, "libibverbs lacks the call: rdma-core 40 or later has it")
	}
	version := versionOf(fileOf(file))
	unknown := flags&verbs.OrderReturnCaps != 0 && version > 0 && version < knowsReturnCaps ||
		flags&verbs.OrderDeviceOnly != 0 && version > 0 && version < knowsDeviceOnly
	if unknown {
		return 0, opError("query_qp_data_in_order", q.object(), syscall.EINVAL, fmt.Sprintf("rdma-core %d does not know flags %#x", version, uint32(flags)))
	}
	return verbs.OrderCaps(C.ib_query_qp_data_in_order(q.c, C.uint32_t(op), C.uint32_t(flags))), nil
}

// PostSend posts a list, in one call into C.
//
//	int ibv_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
func (q *qp) PostSend(wr *verbs.SendWR) (*verbs.SendWR, error) {
	p := C.struct_post_send{qp: q.c, wr: (*C.struct_abi_send_wr)(unsafe.Pointer(wr))}
	if !q.ctx.stacks.Call(C.fast_post_send, unsafe.Pointer(&p)) {
		C.fast_post_send(unsafe.Pointer(&p))
	}
	if p.err != 0 {
		return (*verbs.SendWR)(unsafe.Pointer(p.bad)), q.postError("post_send", p.err)
	}
	return nil, nil
}

// PostRecv posts a list, in one call into C.
//
//	int ibv_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
func (q *qp) PostRecv(wr *verbs.RecvWR) (*verbs.RecvWR, error) {
	p := C.struct_post_recv{qp: q.c, wr: (*C.struct_abi_recv_wr)(unsafe.Pointer(wr))}
	if !q.ctx.stacks.Call(C.fast_post_recv, unsafe.Pointer(&p)) {
		C.fast_post_recv(unsafe.Pointer(&p))
	}
	if p.err != 0 {
		return (*verbs.RecvWR)(unsafe.Pointer(p.bad)), q.postError("post_recv", p.err)
	}
	return nil, nil
}

func (q *qp) postError(verb string, errno C.int) error {
	return check(verb, q.object(), errno, func() string {
		if syscall.Errno(errno) == syscall.ENOMEM {
			return "the queue is full"
		}
		return ""
	})
}

// Close destroys the QP, once all its events are acknowledged.
//
//	int ibv_destroy_qp(struct ibv_qp *qp)
func (q *qp) Close() error {
	if q.c == nil {
		return nil
	}
	twin, object := unsafe.Pointer(q.c), q.object()
	err := check("destroy_qp", object, C.ib_destroy_qp(q.c), nil)
	if err == nil {
		q.ctx.drop(twin)
		q.c = nil
	}
	return err
}
