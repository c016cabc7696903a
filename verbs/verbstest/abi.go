package verbstest

import (
	"errors"
	"runtime"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// The part of the binary interface that package verbs exposes. The tests of package ibv
// check the symbols and headers of libibverbs.
var abiStatements = []statement{
	{"ABI-6", "the unions of a send request overlap as in C", unionsOverlap},
	{"ABI-7", "requests may lie outside Go's heap or on it, and lists of them can be posted", anyMemory},
	{"ABI-8", "a failed call has its own errno, and a later success has none", ownErrno},
	{"ABI-9", "constants that older headers lack have their values", youngConstants},
}

func unionsOverlap(e *env) {
	w := &fixture.Array[verbs.SendWR](e, 1)[0]
	const addr, low, high = 0x1122334455667788, 0x99aabbcc, 0xddeeff01
	w.SetRDMA(addr, low)
	if ah, qpn, qkey := w.UD(); ah != addr || qpn != low || qkey != 0 {
		e.Errorf("wr.rdma %#x, %#x is wr.ud %#x, %#x, %#x", uint64(addr), uint32(low), ah, qpn, qkey)
	}
	w.SetAtomic(addr, low, high<<32|low, 7)
	if raddr, rkey := w.RDMA(); raddr != addr || rkey != low {
		e.Errorf("wr.atomic is wr.rdma %#x, %#x", raddr, rkey)
	}
	if _, qpn, qkey := w.UD(); qpn != low || qkey != high {
		e.Errorf("compare_add is remote_qpn %#x and remote_qkey %#x", qpn, qkey)
	}
	w.SetXRC(high)
	if raddr, rkey, compareAdd, swap := w.Atomic(); raddr != addr || rkey != low || compareAdd != high<<32|low || swap != 7 || w.XRC() != high {
		e.Errorf("wr.atomic %#x, %#x, %#x, %d and remote_srqn %#x", raddr, rkey, compareAdd, swap, w.XRC())
	}
}

func anyMemory(e *env) {
	const n, size = 1 << 19, 128 << 19
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	list, err := verbs.Make[verbs.SendWR](n)
	e.ok(err)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > size/2 {
		e.Errorf("%d MiB of requests took %d MiB of Go's heap", size>>20, grown>>20)
	}
	e.ok(verbs.Free(list))
	a, b := e.pair(conf())
	postList(a, b, fixture.Array[verbs.SendWR](e, depth), fixture.Array[verbs.SGE](e, depth))
	postList(a, b, make([]verbs.SendWR, depth), make([]verbs.SGE, depth))
}

func postList(a, b *side, list []verbs.SendWR, sges []verbs.SGE) {
	for i := range list {
		sges[i] = a.SGE(i, 1)
		list[i] = verbs.SendWR{WRID: uint64(i), SendFlags: signaled, SGList: &sges[i], NumSGE: 1}
		list[i].SetRDMA(b.MR.Addr(), b.MR.RKey())
		if i > 0 {
			list[i-1].Next = &list[i]
		}
	}
	runtime.GC() // must neither move nor free the list
	_, err := a.QP.PostSend(&list[0])
	a.ok(err)
	a.SendCQ.ExpectInOrder(0, depth-1)
}

func ownErrno(e *env) {
	s := e.side(conf())
	for range 2 {
		_, err := s.Ctx.QueryPort(0)
		var op *verbs.OpError
		if !errors.As(err, &op) || op.Errno != syscall.EINVAL || op.Verb == "" {
			e.Errorf("query_port 0: %v", err)
		}
		_, err = s.Ctx.QueryPort(e.target.Port)
		e.ok(err)
		_, err = s.PD.RegMR(s.Mem, verbs.AccessRemoteWrite)
		e.refused("reg_mr without LOCAL_WRITE", err, syscall.EINVAL)
		e.ok(s.tryRegister(s.Mem, allRights))
		_, err = s.TryPost(send{})
		e.refusedBelowRTS(verbs.QPReset, err)
		e.refused("dealloc_pd", s.PD.Close(), syscall.EBUSY)
		_, _, err = s.QP.Query(verbs.MaskState)
		e.ok(err)
	}
}

func youngConstants(e *env) {
	for what, v := range map[string][2]uint64{
		"QUERY_QP_DATA_IN_ORDER_RETURN_CAPS":       {uint64(verbs.OrderReturnCaps), 1 << 0},
		"QUERY_QP_DATA_IN_ORDER_DEVICE_ONLY":       {uint64(verbs.OrderDeviceOnly), 1 << 1},
		"QUERY_QP_DATA_IN_ORDER_WHOLE_MSG":         {uint64(verbs.OrderWholeMsg), 1 << 0},
		"QUERY_QP_DATA_IN_ORDER_ALIGNED_128_BYTES": {uint64(verbs.OrderAligned128Bytes), 1 << 1},
		"ACCESS_RELAXED_ORDERING":                  {uint64(verbs.AccessRelaxedOrdering), 1 << 20},
		"EVENT_QP_LAST_WQE_REACHED":                {uint64(verbs.EventQPLastWQE), 16},
	} {
		if v[0] != v[1] {
			e.Errorf("%s is %d, want %d", what, v[0], v[1])
		}
	}
	for name, bit := range map[string]verbs.ODPTransport{"SRQ_RECV": 1 << 5, "FLUSH": 1 << 6, "ATOMIC_WRITE": 1 << 7} {
		if bit.String() != name {
			e.Errorf("ODP bit %#x is %s, want %s", uint32(bit), bit, name)
		}
	}
}
