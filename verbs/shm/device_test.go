package shm_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

func TestListing(t *testing.T) {
	all := must(verbs.Devices())(t)
	var names []string
	for _, d := range all {
		if d.Backend() == "shm" {
			names = append(names, d.Name())
		}
		if !strings.Contains(d.Software(), "not RDMA hardware") {
			t.Errorf("%s does not say that it is software: %q", d.Name(), d.Software())
		}
	}
	if !slices.Equal(names, listed) {
		t.Errorf("listed are %v, want %v", names, listed)
	}
	for _, name := range devices {
		if d, err := verbs.Lookup(name); err != nil || d.Name() != name {
			t.Errorf("lookup of %s: %v, %v", name, d, err)
		}
	}
	_, err := verbs.Lookup("shm_wohle")
	if !errors.Is(err, verbs.ErrNoDevice) || !strings.Contains(err.Error(), strings.Join(listed, ", ")) {
		t.Errorf("lookup of an unknown device: %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "liar") {
		t.Errorf("shm_liar is named by %v", err)
	}
}

func TestQueryDevice(t *testing.T) {
	for _, name := range devices {
		ctx := openDevice(t, name)
		if ctx.Device().Name() != name {
			t.Errorf("device %s opened as %s", name, ctx.Device().Name())
		}
		d := must(ctx.QueryDevice())(t)
		for what, v := range map[string]uint64{
			"node_guid": d.NodeGUID, "sys_image_guid": d.SysImageGUID, "vendor_id": uint64(d.VendorID),
			"max_qp": uint64(d.MaxQP), "max_qp_wr": uint64(d.MaxQPWR), "max_sge": uint64(d.MaxSGE),
			"max_cq": uint64(d.MaxCQ), "max_cqe": uint64(d.MaxCQE), "max_mr": uint64(d.MaxMR),
			"max_pd": uint64(d.MaxPD), "max_pkeys": uint64(d.MaxPKeys), "num_comp_vectors": uint64(d.NumCompVectors),
			"max_qp_rd_atom": uint64(d.MaxQPRdAtomic), "max_qp_init_rd_atom": uint64(d.MaxQPInitRdAtom),
			"ports": uint64(d.PhysPortCount),
		} {
			if v == 0 {
				t.Errorf("DEV-7 DEV-18 DEV-23: %s: %s is 0", name, what)
			}
		}
		if d.MaxMRSize <= 4096 || d.PageSizeCap < 4096 {
			t.Errorf("DEV-18: max_mr_size %d, page_size_cap %#x", d.MaxMRSize, d.PageSizeCap)
		}
		if d.ODP.Supported() || d.ODP != (verbs.ODPCaps{}) {
			t.Errorf("DEV-13: %+v", d.ODP)
		}
		if d.AtomicCap != verbs.AtomicNone || d.MaxSRQ != 0 {
			t.Errorf("offers what it lacks: atomics %s, %d SRQs", d.AtomicCap, d.MaxSRQ)
		}
	}
}

func TestQueryPort(t *testing.T) {
	ctx := openDevice(t, "shm_whole")
	p := must(ctx.QueryPort(1))(t)
	if p.State != verbs.PortActive || p.ActiveMTU > p.MaxMTU || p.ActiveMTU.Bytes() == 0 || p.MaxMsgSize <= 0x1000 {
		t.Errorf("PORT-1: %+v", p)
	}
	if p.LinkLayer != verbs.LinkEthernet || p.LID != 0 || !p.GRHRequired {
		t.Errorf("PORT-3: %+v", p)
	}
	for _, bad := range []int{-1, 0, 2, 257} {
		_, err := ctx.QueryPort(bad)
		wantErrno(t, err, syscall.EINVAL) // PORT-2
		_, err = ctx.QueryGID(bad, 0)
		wantErrno(t, err, syscall.EINVAL) // PORT-7
	}
	for _, bad := range []int{-1, p.GIDTableLen} {
		_, err := ctx.QueryGID(1, bad)
		wantErrno(t, err, syscall.EINVAL)
	}
	g, other := must(ctx.QueryGID(1, 0))(t), must(openDevice(t, "shm_whole").QueryGID(1, 0))(t)
	if g.Port != 1 || g.Index != 0 || g.Type != verbs.GIDTypeRoCEv2 || g.GID == other.GID || g.GID[0] != 0xfe {
		t.Errorf("PORT-9 DEV-5: %+v, another context's %+v", g, other)
	}
}

// TestLimits covers DEV-17, CQ-2 and E-1 to E-4.
func TestLimits(t *testing.T) {
	s := newSide(t, conf())
	d := must(s.ctx.QueryDevice())(t)
	create := func(cap verbs.QPCap, kind verbs.QPType) error {
		init := verbs.QPInitAttr{SendCQ: s.sendCQ, RecvCQ: s.recvCQ, Cap: cap, Type: kind}
		qp, err := s.pd.CreateQP(&init)
		if err == nil {
			_, got, _ := qp.Query(0)
			c := got.Cap
			if c.MaxSendWR < cap.MaxSendWR || c.MaxRecvWR < cap.MaxRecvWR || c.MaxInlineData < cap.MaxInlineData {
				t.Errorf("QRY-3: granted %+v of %+v", c, cap)
			}
			err = qp.Close()
		}
		return err
	}
	for _, cap := range []verbs.QPCap{{}, {MaxSendWR: d.MaxQPWR, MaxRecvWR: d.MaxQPWR, MaxSendSGE: d.MaxSGE, MaxRecvSGE: d.MaxSGE}} {
		noError(t, create(cap, verbs.QPTypeRC))
	}
	for _, cap := range []verbs.QPCap{
		{MaxSendWR: d.MaxQPWR + 1}, {MaxRecvWR: d.MaxQPWR + 1}, {MaxSendSGE: d.MaxSGE + 1},
		{MaxRecvSGE: d.MaxSGE + 1}, {MaxInlineData: 1 << 20}, {MaxSendWR: -1}, {MaxRecvSGE: -1},
	} {
		wantErrno(t, create(cap, verbs.QPTypeRC), syscall.EINVAL)
	}
	for _, kind := range []verbs.QPType{verbs.QPTypeUC, verbs.QPTypeUD, 9} {
		wantErrno(t, create(verbs.QPCap{}, kind), verbs.ErrNotSupported)
	}
	other := newSide(t, conf())
	_, err := s.pd.CreateQP(&verbs.QPInitAttr{SendCQ: s.sendCQ, RecvCQ: other.recvCQ, Type: verbs.QPTypeRC})
	wantErrno(t, err, syscall.EINVAL) // DEV-5
	_, err = s.pd.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeRC})
	wantErrno(t, err, syscall.EINVAL)
}

// TestQueryQP covers QRY-1 to QRY-8 and QRY-11 to QRY-13.
func TestQueryQP(t *testing.T) {
	c := conf()
	c.sigAll, c.psn = true, 77
	a, b := pair(t, c)
	x, init, err := a.qp.Query(0)
	noError(t, err)
	y, _, _ := a.qp.Query(verbs.MaskState | verbs.MaskCap)
	if x != y {
		t.Errorf("QRY-13: %+v, then %+v", x, y)
	}
	gid := must(b.ctx.QueryGID(1, 0))(t)
	want := verbs.QPAttr{
		State: verbs.QPRTS, CurState: verbs.QPRTS, PathMTU: verbs.MTU1024, RQPSN: 77, SQPSN: 77,
		DestQPNum: b.qp.QPNum(), AccessFlags: allRights, Cap: c.cap, PortNum: 1,
		AH:          verbs.AHAttr{IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: gid.GID, HopLimit: 255}},
		MaxRdAtomic: 16, MaxDestRdAtomic: 16, MinRNRTimer: 1, Timeout: 8, RetryCnt: 1, RNRRetry: 1,
	}
	if x != want {
		t.Errorf("attributes %+v\nwant %+v", x, want)
	}
	if init.SendCQ != a.sendCQ || init.RecvCQ != a.recvCQ || !init.SigAll || init.Type != verbs.QPTypeRC || init.QPNumber != a.qp.QPNum() {
		t.Errorf("QRY-3: %+v", init)
	}
	a.to(t, verbs.QPReset, b)
	if x, _, _ = a.qp.Query(0); x != (verbs.QPAttr{Cap: c.cap}) {
		t.Errorf("QRY-11: after RESET %+v", x)
	}
}

// TestDataInOrder covers DIO-1 to DIO-8 and DIO-12.
func TestDataInOrder(t *testing.T) {
	const both = verbs.OrderWholeMsg | verbs.OrderAligned128Bytes
	promises := map[string]verbs.OrderCaps{
		"shm_whole": both, "shm_block128": verbs.OrderAligned128Bytes, "shm_unordered": 0, "shm_liar": both,
	}
	words := map[verbs.OrderCaps]verbs.Order{both: verbs.OrderWhole, verbs.OrderAligned128Bytes: verbs.OrderBlocks, 0: verbs.OrderNone}
	for name, promise := range promises {
		if runtime.GOARCH != "amd64" {
			promise = 0 // DIO-6
		}
		c := conf()
		c.device = name
		a, _ := pair(t, c)
		ask := func(op verbs.Opcode, flags verbs.OrderFlags) verbs.OrderCaps {
			return must(a.qp.QueryDataInOrder(op, flags))(t)
		}
		for _, op := range []verbs.Opcode{verbs.OpSend, verbs.OpRDMAWrite, verbs.OpRDMARead} {
			for _, extra := range []verbs.OrderFlags{0, verbs.OrderDeviceOnly} {
				if got := ask(op, verbs.OrderReturnCaps|extra); got != promise {
					t.Errorf("DIO-2 DIO-5: %s %s: %d, want %d", name, op, got, promise)
				}
				if got := ask(op, extra); got != promise&verbs.OrderWholeMsg {
					t.Errorf("DIO-3 DIO-5: %s %s: %d without RETURN_CAPS", name, op, got)
				}
			}
			if got := ask(op, verbs.OrderReturnCaps|1<<5); got != 0 {
				t.Errorf("DIO-5: %d with an unknown flag", got)
			}
			if order, _, err := verbs.AskOrder(a.qp, op); err != nil || order != words[promise] {
				t.Errorf("%s %s: asked order %s, %v", name, op, order, err)
			}
		}
		for _, op := range []verbs.Opcode{verbs.OpSendWithImm, verbs.OpRDMAWriteWithImm, 5, 99} {
			if got := ask(op, verbs.OrderReturnCaps); got != 0 {
				t.Errorf("DIO-7: %s %s: %d", name, op, got)
			}
		}
	}
	for _, state := range states {
		a, _ := inState(t, conf(), state)
		got := must(a.qp.QueryDataInOrder(verbs.OpSend, verbs.OrderReturnCaps))(t)
		if (got != 0) != (state == verbs.QPRTS && runtime.GOARCH == "amd64") {
			t.Errorf("DIO-8: %d in %s", got, state)
		}
	}
}

// TestClosedContext covers DEV-6: everything may be closed after its device.
func TestClosedContext(t *testing.T) {
	c := conf()
	c.channel = true
	a, b := pair(t, c)
	b.mustRecv(t, recv{})
	noError(t, b.ctx.Close())
	noError(t, b.ctx.Close())
	if err := b.qp.Modify(&verbs.QPAttr{}, verbs.MaskState); err == nil {
		t.Error("a QP of a closed device can be modified")
	}
	_, err := b.ctx.AllocPD()
	wantErrno(t, err, syscall.EINVAL)
	a.mustPost(t, send{}.toward(b, 0))
	pollOne(t, a.sendCQ, 0, verbs.WCRetryExcErr)
}
