package shm_test

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// failure is one way in which a request fails, and what both sides see.
type failure struct {
	name  string
	conf  func(c *config)
	setup func(t *testing.T, a, b *side)
	req   func(t *testing.T, a, b *side) send
	want  verbs.WCStatus // of the request
	recv  verbs.WCStatus // of b's first receive; WCSuccess: it stays posted
	state verbs.QPState  // of b afterwards
}

var failures = []failure{
	{
		name: "ERR-4 unknown lkey",
		req: func(_ *testing.T, a, b *side) send {
			return send{sges: []verbs.SGE{{Addr: a.mr.Addr(), Length: 8, LKey: 0xbad00}}}.toward(b, 0)
		},
		want: verbs.WCLocProtErr, state: verbs.QPRTS,
	},
	{
		name: "ERR-4 lkey with another low byte",
		req: func(_ *testing.T, a, b *side) send {
			return send{op: verbs.OpSend, sges: []verbs.SGE{{Addr: a.mr.Addr(), Length: 8, LKey: a.mr.LKey() ^ 1}}}
		},
		want: verbs.WCLocProtErr, state: verbs.QPRTS,
	},
	{
		name: "ERR-4 MR-14 lkey of another PD",
		req: func(t *testing.T, a, b *side) send {
			mr := otherPD(t, a)
			return send{sges: []verbs.SGE{{Addr: mr.Addr(), Length: 8, LKey: mr.LKey()}}}.toward(b, 0)
		},
		want: verbs.WCLocProtErr, state: verbs.QPRTS,
	},
	{
		name: "ERR-5 MR-9 READ into a region without LOCAL_WRITE",
		req: func(t *testing.T, a, b *side) send {
			_, mr := a.register(t, 64, verbs.AccessRemoteRead)
			return send{op: verbs.OpRDMARead, sges: []verbs.SGE{{Addr: mr.Addr(), Length: 8, LKey: mr.LKey()}}}.toward(b, 0)
		},
		want: verbs.WCLocProtErr, state: verbs.QPRTS,
	},
	{
		name: "ERR-7 receive too short",
		req: func(_ *testing.T, a, b *side) send {
			return send{op: verbs.OpSend, sges: []verbs.SGE{a.sge(0, 65)}}
		},
		want: verbs.WCRemInvReqErr, recv: verbs.WCLocLenErr, state: verbs.QPErr,
	},
	{
		name: "ERR-7 receive too short for many packets",
		req: func(_ *testing.T, a, b *side) send {
			return send{op: verbs.OpSendWithImm, sges: []verbs.SGE{a.sge(0, 20000)}}
		},
		want: verbs.WCRemInvReqErr, recv: verbs.WCLocLenErr, state: verbs.QPErr,
	},
	{
		name: "ERR-8 receive with a bad lkey",
		setup: func(t *testing.T, a, b *side) {
			b.mustRecv(t, recv{id: 100, sges: []verbs.SGE{{Addr: b.mr.Addr(), Length: 64, LKey: b.mr.LKey() + 256}}})
		},
		req: sendEight, want: verbs.WCRemOpErr, recv: verbs.WCLocProtErr, state: verbs.QPErr,
	},
	{
		name: "ERR-8 receive out of its region",
		setup: func(t *testing.T, a, b *side) {
			b.mustRecv(t, recv{id: 100, sges: []verbs.SGE{b.sge(b.conf.size-4, 8)}})
		},
		req: sendEight, want: verbs.WCRemOpErr, recv: verbs.WCLocProtErr, state: verbs.QPErr,
	},
	{
		name: "ERR-8 MR-9 receive without LOCAL_WRITE",
		setup: func(t *testing.T, a, b *side) {
			_, mr := b.register(t, 64, verbs.AccessRemoteRead)
			b.mustRecv(t, recv{id: 100, sges: []verbs.SGE{{Addr: mr.Addr(), Length: 64, LKey: mr.LKey()}}})
		},
		req: sendEight, want: verbs.WCRemOpErr, recv: verbs.WCLocProtErr, state: verbs.QPErr,
	},
	{
		name: "ERR-9 RMA-15 WRITE not allowed by the QP",
		conf: func(c *config) { c.qpAccess = verbs.AccessRemoteRead },
		req:  writeEight, want: verbs.WCRemInvReqErr, recv: verbs.WCWRFlushErr, state: verbs.QPErr,
	},
	{
		name: "ERR-9 RMA-15 READ not allowed by the QP",
		conf: func(c *config) { c.qpAccess = verbs.AccessRemoteWrite },
		req:  readEight, want: verbs.WCRemInvReqErr, recv: verbs.WCWRFlushErr, state: verbs.QPErr,
	},
	{
		name: "ERR-10 RMA-13 READ with max_dest_rd_atomic 0",
		conf: func(c *config) { c.destRdAtomic = 0 },
		req:  readEight, want: verbs.WCRemInvReqErr, recv: verbs.WCWRFlushErr, state: verbs.QPErr,
	},
	{
		name: "ERR-11 unknown rkey",
		req: func(_ *testing.T, a, b *side) send {
			w := send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
			w.rkey = 0xffffffff
			return w
		},
		want: verbs.WCRemAccessErr, recv: verbs.WCWRFlushErr, state: verbs.QPErr,
	},
	{
		name: "ERR-11 rkey with another low byte",
		req: func(_ *testing.T, a, b *side) send {
			w := send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
			w.rkey++
			return w
		},
		want: verbs.WCRemAccessErr, recv: verbs.WCWRFlushErr, state: verbs.QPErr,
	},
	{
		name: "ERR-11 MR-12 WRITE without REMOTE_WRITE",
		req:  intoRegion(verbs.OpRDMAWrite, verbs.AccessLocalWrite|verbs.AccessRemoteRead),
		want: verbs.WCRemAccessErr, recv: verbs.WCWRFlushErr, state: verbs.QPErr,
	},
	{
		name: "ERR-11 MR-12 READ without REMOTE_READ",
		req:  intoRegion(verbs.OpRDMARead, verbs.AccessLocalWrite|verbs.AccessRemoteWrite),
		want: verbs.WCRemAccessErr, recv: verbs.WCWRFlushErr, state: verbs.QPErr,
	},
	{
		name: "ERR-11 MR-13 lkey as rkey",
		req: func(t *testing.T, a, b *side) send {
			_, mr := b.register(t, 64, verbs.AccessLocalWrite)
			return send{sges: []verbs.SGE{a.sge(0, 8)}, raddr: mr.Addr(), rkey: mr.LKey()}
		},
		want: verbs.WCRemAccessErr, recv: verbs.WCWRFlushErr, state: verbs.QPErr,
	},
	{
		name: "ERR-11 MR-14 rkey of another PD",
		req: func(t *testing.T, a, b *side) send {
			mr := otherPD(t, b)
			return send{sges: []verbs.SGE{a.sge(0, 8)}, raddr: mr.Addr(), rkey: mr.RKey()}
		},
		want: verbs.WCRemAccessErr, recv: verbs.WCWRFlushErr, state: verbs.QPErr,
	},
	{
		name: "ERR-11 MR-15 rkey of a deregistered region",
		req: func(t *testing.T, a, b *side) send {
			_, mr := b.register(t, 64, allRights)
			w := send{sges: []verbs.SGE{a.sge(0, 8)}, raddr: mr.Addr(), rkey: mr.RKey(), flags: verbs.SendSignaled}
			a.mustPost(t, w)
			pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
			noError(t, mr.Close())
			return w
		},
		want: verbs.WCRemAccessErr, recv: verbs.WCWRFlushErr, state: verbs.QPErr,
	},
	{
		name: "ERR-12 WRITE_WITH_IMM with a bad rkey",
		req: func(_ *testing.T, a, b *side) send {
			w := send{op: verbs.OpRDMAWriteWithImm, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
			w.rkey ^= 0x100
			return w
		},
		want: verbs.WCRemAccessErr, recv: verbs.WCWRFlushErr, state: verbs.QPErr,
	},
}
