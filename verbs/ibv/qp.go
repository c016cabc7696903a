//go:build linux

package ibv

/*
#cgo noescape ib_create_qp
#cgo noescape ib_create_qp_ex
#cgo noescape ib_modify_qp
#cgo noescape ib_query_qp
#cgo nocallback ib_query_qp_data_in_order
#include "post_poll.h"
#include "library.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

type qp struct {
	ctx  *context
	c    *C.struct_abi_qp
	init verbs.QPInitAttr
	ex   *C.struct_abi_qp_ex // nil: PostSend uses ibv_post_send, otherwise ibv_wr_start
	ops  verbs.SendOps       // of ex

	noInline bool // the provider ignores SendInline
}

// CreateQP creates a QP in state RESET.
//
//	struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
func (p *pd) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	object := fmt.Sprintf("%s, %s", p.ctx.dev.name, init.Type)
	if p.gone() {
		return nil, closed("create_qp", object)
	}
	in, wrong := p.fromQPInitAttr(init)
	if wrong != "" {
		return nil, opError("create_qp", object, syscall.EINVAL, wrong)
	}
	c, verb, err := p.createQP(init, &in)
	if c == nil {
		return nil, opError(verb, object, err, createQPHint(err))
	}
	init.Cap, init.QPNumber = toCap(in.cap), uint32(c.qp_num)
	noInline := init.Cap.MaxInlineData > 0 && p.ctx.ignoresInline()
	if noInline {
		init.Cap.MaxInlineData = 0
	}
	q := p.ctx.newQP(c, *init)
	q.noInline = noInline
	if q.ops = verbs.SendOps(in.send_ops_flags); q.ops == 0 {
		return q, nil
	}
	if q.ex = C.ib_qp_to_qp_ex(c); q.ex == nil {
		return nil, errors.Join(opError("qp_to_qp_ex", object, verbs.ErrNotSupported, "the driver lacks ibv_wr_post"), q.Close())
	}
	return q, nil
}

// createQP creates a QP with the call that init requires. verb is the name of the call; c is
// nil on an error.
//
//	struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
//	struct ibv_qp *ibv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *qp_init_attr_ex)
func (p *pd) createQP(init *verbs.QPInitAttr, in *C.struct_abi_qp_init_attr_ex) (c *C.struct_abi_qp, verb string, err error) {
	init.MaxScatterToCQE, init.MaxRDMASize = 0, 0
	if init.Type == verbs.QPTypeSRD {
		return p.createSRD(init, in)
	}
	if init.SendOps != 0 {
		in.comp_mask |= C.ABI_QP_INIT_ATTR_SEND_OPS_FLAGS
		in.send_ops_flags = C.uint64_t(init.SendOps)
	}
	flags := p.ctx.mlx5Flags(init)
	switch {
	case flags != 0:
		return p.createMlx5(in, flags)
	case init.OutOfOrder:
		return nil, "create_qp", verbs.ErrNotSupported
	case init.SendOps != 0:
		verb = "create_qp_ex"
		c, err = C.ib_create_qp_ex(p.ctx.c, in)
	default: // ibv_qp_init_attr_ex begins with the members of ibv_qp_init_attr
		verb = "create_qp"
		c, err = C.ib_create_qp(p.c, (*C.struct_abi_qp_init_attr)(unsafe.Pointer(in)))
	}
	if c != nil && init.NoScatterToCQE {
		init.MaxScatterToCQE = p.ctx.heldInCQE(init)
	}
	return c, verb, err
}

func createQPHint(err error) string {
	if err == verbs.ErrNotSupported {
		return "the device lacks QPs of this type, ibv_wr_post for these operations, or out-of-order placement"
	}
	return createHint(err)
}

// fromQPInitAttr converts the attributes. wrong is what is wrong with them, or "". XRC_SEND
// has no receives and needs no receive CQ.
func (p *pd) fromQPInitAttr(init *verbs.QPInitAttr) (in C.struct_abi_qp_init_attr_ex, wrong string) {
	if c := init.Cap; min(c.MaxSendWR, c.MaxRecvWR, c.MaxSendSGE, c.MaxRecvSGE, c.MaxInlineData) < 0 {
		return in, "a capability is negative"
	}
	in.cap, in.qp_type = fromCap(init.Cap), C.uint32_t(init.Type)
	in.comp_mask, in.pd = C.ABI_QP_INIT_ATTR_PD, p.c
	if init.SigAll {
		in.sq_sig_all = 1
	}
	send, ok := init.SendCQ.(*cq)
	if !ok || send.ctx != p.ctx || send.gone() {
		return in, "the send CQ must be of this context, and open"
	}
	in.send_cq = send.c
	if init.RecvCQ != nil || init.Type != verbs.QPTypeXRCSend {
		recv, ok := init.RecvCQ.(*cq)
		if !ok || recv.ctx != p.ctx || recv.gone() {
			return in, "the receive CQ must be of this context, and open"
		}
		in.recv_cq = recv.c
	}
	if init.SRQ != nil {
		shared, ok := init.SRQ.(*srq)
		if !ok || shared.ctx != p.ctx || shared.gone() {
			return in, "the SRQ must be of this context, and open"
		}
		in.srq = shared.c
	}
	return in, ""
}

func (c *context) newQP(cptr *C.struct_abi_qp, init verbs.QPInitAttr) *qp {
	init.QPNumber = uint32(cptr.qp_num)
	q := &qp{ctx: c, c: cptr, init: init}
	c.hold(unsafe.Pointer(cptr), q)
	return q
}

func (q *qp) gone() bool { return q.c == nil || q.ctx.c == nil }

func (q *qp) QPNum() uint32 { return q.init.QPNumber }

func (q *qp) object() string { return fmt.Sprintf("%s qp %#x", q.ctx.dev.name, q.QPNum()) }

// Modify sets attributes and moves the QP between states.
//
//	int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
func (q *qp) Modify(attr *verbs.QPAttr, mask verbs.QPAttrMask) error {
	if q.gone() {
		return closed("modify_qp", q.object())
	}
	a := fromQPAttr(attr)
	ret, err := C.ib_modify_qp(q.c, &a, C.int(mask))
	errno := errnoOf(ret, err)
	return check("modify_qp", q.object(), errno, func() string { return q.modifyHint(errno, attr, mask) })
}

// modifyHint returns the usual cause of a refused move. It queries the QP's state, which
// struct ibv_qp does not always have.
func (q *qp) modifyHint(errno syscall.Errno, attr *verbs.QPAttr, mask verbs.QPAttrMask) string {
	now, _, err := q.Query(verbs.MaskState)
	if err != nil {
		return ""
	}
	from, to := now.State, now.State
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
	return fmt.Sprintf("%s to %s: %s", from, to, pathHint(&attr.AH))
}

// Query returns the QP's attributes.
//
//	int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask, struct ibv_qp_init_attr *init_attr)
func (q *qp) Query(mask verbs.QPAttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	if q.gone() {
		return verbs.QPAttr{}, verbs.QPInitAttr{}, closed("query_qp", q.object())
	}
	var a C.struct_abi_qp_attr
	var in C.struct_abi_qp_init_attr
	ret, err := C.ib_query_qp(q.c, &a, C.int(mask), &in)
	if err := check("query_qp", q.object(), errnoOf(ret, err), nil); err != nil {
		return verbs.QPAttr{}, verbs.QPInitAttr{}, err
	}
	init := q.init
	init.Cap, init.SigAll = toCap(in.cap), in.sq_sig_all != 0
	if q.noInline {
		init.Cap.MaxInlineData = 0
	}
	return toQPAttr(&a), init, nil
}

// The first versions of rdma-core whose query of data order knows the flags.
const (
	knowsReturnCaps = 46
	knowsDeviceOnly = 60
)

// orderVersion returns the rdma-core version of the library that has the query. It is
// computed once: every QP is asked, and links on a network file system are slow.
var orderVersion = sync.OnceValue(func() int { return versionOf(fileOf(C.ib_order_file())) })

// QueryDataInOrder returns the promised data order: ErrNotSupported if the library lacks the
// call, EINVAL if it does not know a flag. It does not ask such a library: one passes unknown
// flags to the device's driver, whose answer then means nothing.
//
//	int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
func (q *qp) QueryDataInOrder(op verbs.Opcode, flags verbs.OrderFlags) (verbs.OrderCaps, error) {
	if q.gone() {
		return 0, closed("query_qp_data_in_order", q.object())
	}
	if C.ib_order_file() == nil {
		return 0, opError("query_qp_data_in_order", q.object(), verbs.ErrNotSupported, "libibverbs lacks the call: it needs rdma-core 36 or later")
	}
	version := orderVersion()
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
	if q.gone() {
		return wr, closed("post_send", q.object())
	}
	if q.ex != nil {
		return q.postSendEx(wr)
	}
	p := C.struct_post_send{qp: q.c, wr: (*C.struct_abi_send_wr)(unsafe.Pointer(wr))}
	if !q.ctx.stacks.Call(C.fast_post_send, unsafe.Pointer(&p)) {
		var pins runtime.Pinner
		pinSends(&pins, wr)
		throughCgo(C.fast_post_send, unsafe.Pointer(&p), &pins)
	}
	if p.err != 0 {
		return (*verbs.SendWR)(unsafe.Pointer(p.bad)), q.postError("post_send", p.err)
	}
	return nil, nil
}

// postSendEx posts a list in one session. If the device refuses the session, no request of
// the list is posted.
//
//	void ibv_wr_start(struct ibv_qp_ex *qp)
//	int ibv_wr_complete(struct ibv_qp_ex *qp)
func (q *qp) postSendEx(wr *verbs.SendWR) (*verbs.SendWR, error) {
	p := C.struct_post_send_ex{qp: q.ex, wr: (*C.struct_abi_send_wr)(unsafe.Pointer(wr)), send_ops: C.uint64_t(q.ops)}
	if !q.ctx.stacks.Call(C.fast_post_send_ex, unsafe.Pointer(&p)) {
		var pins runtime.Pinner
		pinSends(&pins, wr)
		throughCgo(C.fast_post_send_ex, unsafe.Pointer(&p), &pins)
	}
	if p.err != 0 {
		return (*verbs.SendWR)(unsafe.Pointer(p.bad)), q.postError("wr_complete", p.err)
	}
	return nil, nil
}

// PostRecv posts a list, in one call into C.
//
//	int ibv_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
func (q *qp) PostRecv(wr *verbs.RecvWR) (*verbs.RecvWR, error) {
	if q.gone() {
		return wr, closed("post_recv", q.object())
	}
	p := C.struct_post_recv{qp: q.c, wr: (*C.struct_abi_recv_wr)(unsafe.Pointer(wr))}
	if !q.ctx.stacks.Call(C.fast_post_recv, unsafe.Pointer(&p)) {
		var pins runtime.Pinner
		pinRecvs(&pins, wr)
		throughCgo(C.fast_post_recv, unsafe.Pointer(&p), &pins)
	}
	if p.err != 0 {
		return (*verbs.RecvWR)(unsafe.Pointer(p.bad)), q.postError("post_recv", p.err)
	}
	return nil, nil
}

// Close destroys the QP, once all its events are acknowledged.
//
//	int ibv_destroy_qp(struct ibv_qp *qp)
func (q *qp) Close() error {
	if q.gone() {
		return nil
	}
	ret, err := C.ib_destroy_qp(q.c)
	err = check("destroy_qp", q.object(), errnoOf(ret, err), func() string { return "is it attached to a multicast group?" })
	if err != nil {
		return err
	}
	q.ctx.drop(unsafe.Pointer(q.c), q)
	q.c = nil
	return nil
}
