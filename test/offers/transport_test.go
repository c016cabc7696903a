package offers

import (
	"fmt"
	"runtime"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// verb is a row of a table: a verb of the manual and how to try it on a transport.
type verb struct {
	name string
	on   map[verbs.QPType]bool // transports that have it; nil: all
	try  func(r *rig, typ verbs.QPType) error
}

var transports = []struct {
	name string
	typ  verbs.QPType
}{{"RC", verbs.QPTypeRC}, {"UC", verbs.QPTypeUC}, {"UD", verbs.QPTypeUD}, {"XRC", verbs.QPTypeXRCSend}}

// only names the transports that have a verb.
func only(types ...verbs.QPType) map[verbs.QPType]bool {
	m := map[verbs.QPType]bool{}
	for _, t := range types {
		m[t] = true
	}
	return m
}

var (
	rdma    = only(verbs.QPTypeRC, verbs.QPTypeUC, verbs.QPTypeXRCSend)
	fetches = only(verbs.QPTypeRC, verbs.QPTypeXRCSend)

	connected = only(verbs.QPTypeRC, verbs.QPTypeUC)
)

var byTransport = []verb{
	{"ibv_create_qp, ibv_modify_qp to RTS", nil, func(r *rig, typ verbs.QPType) error {
		e, err := r.connect(typ, nil)
		e.close()
		return err
	}},
	{"ibv_query_qp", nil, with(func(_ *rig, e *end) error {
		a, _, err := e.from.Query(verbs.MaskState)
		if err == nil && a.State != verbs.QPRTS {
			err = fmt.Errorf("in %s", a.State)
		}
		return err
	})},
	{"ibv_post_recv", only(verbs.QPTypeRC, verbs.QPTypeUC, verbs.QPTypeUD), with(func(r *rig, e *end) error { return r.receive(e) })},
	{"SEND", nil, sends(verbs.OpSend, 0)},
	{"SEND_WITH_IMM", nil, sends(verbs.OpSendWithImm, 0)},
	{"SEND, inline", nil, sends(verbs.OpSend, verbs.SendInline)},
	{"RDMA_WRITE", rdma, sends(verbs.OpRDMAWrite, 0)},
	{"RDMA_WRITE_WITH_IMM", rdma, sends(verbs.OpRDMAWriteWithImm, 0)},
	{"RDMA_READ", fetches, sends(verbs.OpRDMARead, 0)},
	{"ATOMIC_CMP_AND_SWP", fetches, sends(verbs.OpAtomicCmpAndSwp, 0)},
	{"ATOMIC_FETCH_AND_ADD", fetches, sends(verbs.OpAtomicFetchAndAdd, 0)},
	{"receives of an SRQ", only(verbs.QPTypeRC, verbs.QPTypeUD, verbs.QPTypeXRCSend), fromSRQ},
	{"ibv_attach_mcast, ibv_detach_mcast", only(verbs.QPTypeUD), with(func(_ *rig, e *end) error {
		group := verbs.GID{10: 0xff, 11: 0xff, 12: 239, 13: 1, 14: 2, 15: 3}
		if err := e.to.AttachMcast(group, 0); err != nil {
			return err
		}
		return e.to.DetachMcast(group, 0)
	})},
	{"ibv_query_qp_data_in_order, flags 0", connected, order(0)},
	{"ibv_query_qp_data_in_order, RETURN_CAPS", connected, order(verbs.OrderReturnCaps)},
	{"ibv_query_qp_data_in_order, RETURN_CAPS and DEVICE_ONLY", connected, order(verbs.OrderReturnCaps | verbs.OrderDeviceOnly)},
}

// order asks for the order of data that a WRITE brings.
func order(flags verbs.OrderFlags) func(*rig, verbs.QPType) error {
	return with(func(_ *rig, e *end) error {
		caps, err := e.to.QueryDataInOrder(verbs.OpRDMAWrite, flags)
		switch {
		case err != nil:
			return err
		case caps&verbs.OrderWholeMsg != 0:
			return said(verbs.OrderWhole.String())
		case caps&verbs.OrderAligned128Bytes != 0:
			return said(verbs.OrderBlocks.String())
		}
		return said(verbs.OrderNone.String())
	})
}

// with tries something on QPs in RTS.
func with(try func(r *rig, e *end) error) func(*rig, verbs.QPType) error {
	return func(r *rig, typ verbs.QPType) error {
		e, err := r.connect(typ, nil)
		defer e.close()
		if err != nil {
			return err
		}
		return try(r, e)
	}
}

// sends tries an operation, to its completions on both sides.
func sends(op verbs.Opcode, flags verbs.SendFlags) func(*rig, verbs.QPType) error {
	return with(func(r *rig, e *end) error { return r.send(e, op, flags) })
}

func fromSRQ(r *rig, typ verbs.QPType) error {
	if typ == verbs.QPTypeXRCSend { // which has no other receives
		return sends(verbs.OpSend, 0)(r, typ)
	}
	srq, err := r.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 4, MaxSGE: 1}})
	if err != nil {
		return err
	}
	defer srq.Close()
	e, err := r.connect(typ, srq)
	defer e.close()
	if err != nil {
		return err
	}
	return r.send(e, verbs.OpSend, 0)
}

const (
	idSend = 1
	idRecv = 2
)

func (r *rig) receive(e *end) (err error) {
	r.sge[1] = verbs.SGE{Addr: r.mr.Addr() + 2048, Length: verbs.GRHSize + words, LKey: r.mr.LKey()}
	r.rcv[0] = verbs.RecvWR{WRID: idRecv, SGList: &r.sge[1], NumSGE: 1}
	if e.srq != nil {
		_, err = e.srq.PostRecv(&r.rcv[0])
	} else {
		_, err = e.to.PostRecv(&r.rcv[0])
	}
	return err
}

func (r *rig) send(e *end, op verbs.Opcode, flags verbs.SendFlags) error {
	completions := 1
	switch op {
	case verbs.OpSend, verbs.OpSendWithImm, verbs.OpRDMAWriteWithImm:
		completions = 2
		if err := r.receive(e); err != nil {
			return err
		}
	}
	r.sge[0] = verbs.SGE{Addr: r.mr.Addr(), Length: words, LKey: r.mr.LKey()}
	w := &r.snd[0]
	*w = verbs.SendWR{WRID: idSend, SGList: &r.sge[0], NumSGE: 1, Opcode: op, SendFlags: flags | verbs.SendSignaled}
	switch {
	case e.typ == verbs.QPTypeUD:
		w.SetUD(e.ah, e.to.QPNum(), qkey)
	case op == verbs.OpAtomicCmpAndSwp || op == verbs.OpAtomicFetchAndAdd:
		w.SetAtomic(r.mr.Addr()+1024, r.mr.RKey(), 0, 1)
	default:
		w.SetRDMA(r.mr.Addr()+1024, r.mr.RKey())
	}
	if e.typ == verbs.QPTypeXRCSend {
		num, err := e.srq.Num()
		if err != nil {
			return err
		}
		w.SetXRC(num)
	}
	if _, err := e.from.PostSend(w); err != nil {
		return err
	}
	return r.completes(completions)
}

// completes waits for the completions, which have to be successes.
func (r *rig) completes(want int) error {
	for end := time.Now().Add(soon); want > 0; runtime.Gosched() {
		n, err := r.cq.Poll(r.wc)
		if err != nil {
			return err
		}
		for _, wc := range r.wc[:n] {
			if wc.Status != verbs.WCSuccess {
				return &verbs.StatusError{Object: "wr", Status: wc.Status}
			}
		}
		if want -= n; time.Now().After(end) {
			return verbs.ErrTimeout
		}
	}
	return nil
}
