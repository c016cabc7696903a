package verbsupport

import (
	"fmt"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// verb is a row of a table: a verb of the manual, with a function that tries it on a transport.
type verb struct {
	name string
	on   map[verbs.QPType]bool // transports that have it; nil: all
	try  func(r *resources, typ verbs.QPType) error
}

var transports = []struct {
	name string
	typ  verbs.QPType
}{{"RC", verbs.QPTypeRC}, {"UC", verbs.QPTypeUC}, {"UD", verbs.QPTypeUD}, {"XRC", verbs.QPTypeXRCSend}}

// only returns the set of transports that have a verb.
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
	{"ibv_create_qp, ibv_modify_qp to RTS", nil, func(r *resources, typ verbs.QPType) error {
		_, err := r.connect(typ, nil)
		return err
	}},
	{"ibv_query_qp", nil, with(func(_ *resources, c *conn) error {
		a, _, err := c.from.QP.Query(verbs.MaskState)
		if err == nil && a.State != verbs.QPRTS {
			err = fmt.Errorf("in %s", a.State)
		}
		return err
	})},
	{"ibv_post_recv", only(verbs.QPTypeRC, verbs.QPTypeUC, verbs.QPTypeUD), with(func(r *resources, c *conn) error { return r.receive(c) })},
	{"SEND", nil, sends(verbs.OpSend, 0)},
	{"SEND_WITH_IMM", nil, sends(verbs.OpSendWithImm, 0)},
	{"SEND, inline", nil, sends(verbs.OpSend, verbs.SendInline)},
	{"RDMA_WRITE", rdma, sends(verbs.OpRDMAWrite, 0)},
	{"RDMA_WRITE_WITH_IMM", rdma, sends(verbs.OpRDMAWriteWithImm, 0)},
	{"RDMA_READ", fetches, sends(verbs.OpRDMARead, 0)},
	{"ATOMIC_CMP_AND_SWP", fetches, sends(verbs.OpAtomicCmpAndSwp, 0)},
	{"ATOMIC_FETCH_AND_ADD", fetches, sends(verbs.OpAtomicFetchAndAdd, 0)},
	{"receives of an SRQ", only(verbs.QPTypeRC, verbs.QPTypeUD, verbs.QPTypeXRCSend), fromSRQ},
	{"ibv_attach_mcast, ibv_detach_mcast", only(verbs.QPTypeUD), with(func(_ *resources, c *conn) error {
		group := verbs.GID{10: 0xff, 11: 0xff, 12: 239, 13: 1, 14: 2, 15: 3}
		if err := c.to.QP.AttachMcast(group, 0); err != nil {
			return err
		}
		return c.to.QP.DetachMcast(group, 0)
	})},
	{"ibv_query_qp_data_in_order, flags 0", connected, order(0)},
	{"ibv_query_qp_data_in_order, RETURN_CAPS", connected, order(verbs.OrderReturnCaps)},
	{"ibv_query_qp_data_in_order, RETURN_CAPS and DEVICE_ONLY", connected, order(verbs.OrderReturnCaps | verbs.OrderDeviceOnly)},
}

// order asks for the data order of WRITEs.
func order(flags verbs.OrderFlags) func(*resources, verbs.QPType) error {
	return with(func(_ *resources, c *conn) error {
		caps, err := c.to.QP.QueryDataInOrder(verbs.OpRDMAWrite, flags)
		switch {
		case err != nil:
			return err
		case caps&verbs.OrderWholeMsg != 0:
			return otherAnswer(verbs.OrderWhole.String())
		case caps&verbs.OrderAligned128Bytes != 0:
			return otherAnswer(verbs.OrderBlocks.String())
		}
		return otherAnswer(verbs.OrderNone.String())
	})
}

// with returns a function that calls try with QPs in RTS.
func with(try func(r *resources, c *conn) error) func(*resources, verbs.QPType) error {
	return func(r *resources, typ verbs.QPType) error {
		c, err := r.connect(typ, nil)
		if err != nil {
			return err
		}
		return try(r, c)
	}
}

// sends tries an operation until its completions on both sides.
func sends(op verbs.Opcode, flags verbs.SendFlags) func(*resources, verbs.QPType) error {
	return with(func(r *resources, c *conn) error { return r.send(c, op, flags) })
}

func fromSRQ(r *resources, typ verbs.QPType) error {
	if typ == verbs.QPTypeXRCSend { // all its receives are of an SRQ
		return sends(verbs.OpSend, 0)(r, typ)
	}
	srq, err := r.PD.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 4, MaxSGE: 1}})
	if err != nil {
		return err
	}
	fixture.Own(r.T, srq, nil)
	c, err := r.connect(typ, srq)
	if err != nil {
		return err
	}
	return r.send(c, verbs.OpSend, 0)
}

const (
	idSend = 1
	idRecv = 2
)

func (r *resources) receive(c *conn) error {
	_, err := c.to.TryPostRecv(fixture.Recv{ID: idRecv, SGEs: []verbs.SGE{r.SGE(2048, verbs.GRHSize+messageSize)}})
	return err
}

func (r *resources) send(c *conn, op verbs.Opcode, flags verbs.SendFlags) error {
	completions := 1
	switch op {
	case verbs.OpSend, verbs.OpSendWithImm, verbs.OpRDMAWriteWithImm:
		completions = 2
		if err := r.receive(c); err != nil {
			return err
		}
	}
	w := fixture.Send{ID: idSend, Op: op, Flags: flags | verbs.SendSignaled, SGEs: []verbs.SGE{r.SGE(0, messageSize)}, Swap: 1}.Toward(&c.to, 1024)
	if c.ah != nil {
		w = w.ToUD(c.ah, &c.to)
	}
	if _, err := c.from.TryPost(w); err != nil {
		return err
	}
	return r.completes(completions)
}

// completes waits for n successful completions.
func (r *resources) completes(n int) error {
	for range n {
		if err := r.SendCQ.Await(); err != nil {
			return err
		}
		if wc := r.SendCQ.WC[0]; wc.WRID == idRecv {
			r.received = wc
		}
	}
	return nil
}
