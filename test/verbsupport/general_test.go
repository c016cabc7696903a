package verbsupport

import (
	"errors"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// general are the verbs that do not depend on the transport.
var general = []verb{
	{"ibv_query_device_ex", nil, func(r *resources, _ verbs.QPType) error { return second(r.Ctx.QueryDevice()) }},
	{"ibv_query_port", nil, func(r *resources, _ verbs.QPType) error { return second(r.Ctx.QueryPort(1)) }},
	{"ibv_query_gid_ex", nil, func(r *resources, _ verbs.QPType) error { return second(r.Ctx.QueryGID(1, 0)) }},
	{"ibv_query_gid_table", nil, func(r *resources, _ verbs.QPType) error { return second(r.Ctx.QueryGIDTable(1024)) }},
	{"ibv_query_pkey", nil, func(r *resources, _ verbs.QPType) error { return second(r.Ctx.QueryPKey(1, 0)) }},
	{"ibv_get_pkey_index", nil, func(r *resources, _ verbs.QPType) error { return second(r.Ctx.PKeyIndex(1, 0xffff)) }},
	{"ibv_alloc_pd, ibv_dealloc_pd", nil, func(r *resources, _ verbs.QPType) error { return made(r.Ctx.AllocPD()) }},
	{"ibv_reg_mr, ibv_dereg_mr", nil, registers(local)},
	{"ibv_reg_mr, ZERO_BASED", nil, zeroBased},
	{"ibv_reg_mr, ON_DEMAND", nil, registers(local | verbs.AccessOnDemand)},
	{"ibv_reg_mr, RELAXED_ORDERING", nil, registers(local | verbs.AccessRelaxedOrdering)},
	{"ibv_reg_mr_iova", nil, func(r *resources, _ verbs.QPType) error {
		return made(r.PD.RegMRIova(r.Mem, 1<<32, local))
	}},
	{"ibv_create_comp_channel", nil, func(r *resources, _ verbs.QPType) error { return made(r.Ctx.CreateCompChannel()) }},
	{"ibv_create_cq, ibv_destroy_cq", nil, func(r *resources, _ verbs.QPType) error { return made(r.Ctx.CreateCQ(8, nil, 0)) }},
	{"ibv_resize_cq", nil, func(r *resources, _ verbs.QPType) error { return r.SendCQ.Resize(100) }},
	{"ibv_poll_cq", nil, func(r *resources, _ verbs.QPType) error { return second(r.SendCQ.Poll(r.SendCQ.WC)) }},
	{"ibv_req_notify_cq, ibv_get_cq_event, ibv_ack_cq_events", nil, sleeps},
	{"ibv_get_async_event", nil, func(r *resources, _ verbs.QPType) error {
		if _, err := r.Ctx.GetAsyncEvent(0); err != nil && !errors.Is(err, verbs.ErrTimeout) {
			return err
		}
		return nil
	}},
	{"ibv_create_srq, ibv_destroy_srq", nil, shared(func(verbs.SRQ) error { return nil })},
	{"ibv_modify_srq, SRQ_LIMIT", nil, shared(func(s verbs.SRQ) error { return s.Modify(verbs.SRQAttr{Limit: 1}, verbs.SRQLimit) })},
	{"ibv_modify_srq, SRQ_MAX_WR", nil, shared(func(s verbs.SRQ) error { return s.Modify(verbs.SRQAttr{MaxWR: 16}, verbs.SRQMaxWR) })},
	{"ibv_query_srq", nil, shared(func(s verbs.SRQ) error { return second(s.Query()) })},
	{"ibv_create_ah, ibv_destroy_ah", nil, func(r *resources, _ verbs.QPType) error { return made(r.PD.CreateAH(r.route())) }},
	{"ibv_init_ah_from_wc", nil, func(r *resources, _ verbs.QPType) error {
		return second(r.Ctx.InitAHFromWC(1, &verbs.WC{SrcQP: 1}, make([]byte, verbs.GRHSize)))
	}},
	{"ibv_create_ah_from_wc", nil, ahFromWC},
	{"ibv_open_xrcd, ibv_close_xrcd", nil, func(r *resources, _ verbs.QPType) error { return made(r.Ctx.OpenXRCD(-1, 0x40)) }},
	{"ibv_open_qp (ibv_query_xrc_rcv_qp)", nil, queryXRC},
	{"ibv_rereg_mr", nil, rereg},
	{"ibv_reg_dmabuf_mr", nil, dmabuf},
	{"ibv_advise_mr", nil, advises},
	{"ibv_alloc_mw, type 1", nil, windows(verbs.MWType1)},
	{"ibv_alloc_mw, type 2", nil, windows(verbs.MWType2)},
	{"ibv_create_cq_ex", nil, extended(verbs.TimestampNone)},
	{"ibv_create_cq_ex, COMPLETION_TIMESTAMP", nil, extended(verbs.TimestampTicks)},
	{"ibv_modify_cq", nil, moderates},
	{"ibv_alloc_td, ibv_alloc_parent_domain", nil, parents},
	{"rdma_cm", nil, func(r *resources, _ verbs.QPType) error {
		if _, ok := r.Ctx.(verbs.ConnManager); !ok {
			return errNotOffered
		}
		return nil
	}},
}

func second[T any](_ T, err error) error { return err }

// made closes the object of a call.
func made[T interface{ Close() error }](object T, err error) error {
	if err != nil {
		return err
	}
	return object.Close()
}

func registers(access verbs.Access) func(*resources, verbs.QPType) error {
	return func(r *resources, _ verbs.QPType) error { return made(r.PD.RegMR(r.Mem, access)) }
}

// zeroBased returns an error unless the region's addresses begin with 0.
func zeroBased(r *resources, _ verbs.QPType) error {
	mr, err := r.PD.RegMR(r.Mem, local|remote|verbs.AccessZeroBased)
	if err != nil {
		return err
	}
	defer mr.Close()
	return with(func(r *resources, c *conn) error {
		w := fixture.Send{ID: idSend, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{r.SGE(0, messageSize)}, RemoteAddr: 1024, RKey: mr.RKey()}
		if _, err := c.from.TryPost(w); err != nil {
			return err
		}
		err := r.completes(1)
		var failed *verbs.StatusError
		if errors.As(err, &failed) && failed.Status == verbs.WCRemAccessErr {
			return otherAnswer("ignored")
		}
		return err
	})(r, verbs.QPTypeRC)
}

func shared(try func(verbs.SRQ) error) func(*resources, verbs.QPType) error {
	return func(r *resources, _ verbs.QPType) error {
		srq, err := r.PD.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 8, MaxSGE: 1}})
		if err != nil {
			return err
		}
		defer srq.Close()
		return try(srq)
	}
}

// sleeps sleeps for the event of a completion.
func sleeps(r *resources, _ verbs.QPType) error {
	if err := r.SendCQ.ReqNotify(false); err != nil {
		return err
	}
	if err := sends(verbs.OpRDMAWrite, 0)(r, verbs.QPTypeRC); err != nil {
		return err
	}
	cq, err := r.Channel.GetEvent(fixture.WaitTimeout)
	if err == nil {
		cq.AckEvents(1)
	}
	return err
}

// wayBack makes an address handle of a message's completion.
func ahFromWC(r *resources, _ verbs.QPType) error {
	if err := sends(verbs.OpSend, 0)(r, verbs.QPTypeUD); err != nil {
		return err
	}
	return made(r.PD.CreateAHFromWC(&r.received, r.Mem[2048:][:verbs.GRHSize], 1))
}

func queryXRC(r *resources, _ verbs.QPType) error {
	domain, err := r.Ctx.OpenXRCD(-1, 0x40)
	if err != nil {
		return err
	}
	qp, err := domain.CreateRecvQP()
	if err != nil {
		return err
	}
	_, _, err = verbs.QueryXRCRecvQP(domain, qp.QPNum(), verbs.MaskState)
	return errors.Join(err, qp.Close(), domain.Close())
}
