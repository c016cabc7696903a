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

// TestOffers: atomic operations are those of the CPU, and there is no paging on demand.
func TestOffers(t *testing.T) {
	for _, name := range devices {
		ctx := openDevice(t, name)
		d := must(ctx.QueryDevice())(t)
		if d.AtomicCap != verbs.AtomicGlob || !d.ODP.Supported() {
			t.Errorf("%s: atomics %s, ODP %+v", name, d.AtomicCap, d.ODP)
		}
	}
}

// TestGIDs: each context has a GID of its own, which is link-local.
func TestGIDs(t *testing.T) {
	ctx, other := openDevice(t, "shm_whole"), openDevice(t, "shm_whole")
	g, o := must(ctx.QueryGID(1, 0))(t), must(other.QueryGID(1, 0))(t)
	if g.Type != verbs.GIDTypeRoCEv2 || g.GID == o.GID || g.GID[0] != 0xfe {
		t.Errorf("%+v, another context's %+v", g, o)
	}
}

// TestQueryQP: every attribute is what was set, and zero after RESET.
func TestQueryQP(t *testing.T) {
	c := conf()
	c.sigAll, c.psn = true, 77
	a, b := pair(t, c)
	x, _, err := a.qp.Query(0)
	noError(t, err)
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
	a.to(t, verbs.QPReset, b)
	if x, _, _ = a.qp.Query(0); x != (verbs.QPAttr{Cap: c.cap}) {
		t.Errorf("after RESET %+v", x)
	}
}

// TestDataInOrder: each device promises what its name says, in RTS alone.
func TestDataInOrder(t *testing.T) {
	const both = verbs.OrderWholeMsg | verbs.OrderAligned128Bytes
	promises := map[string]verbs.OrderCaps{
		"shm_whole": both, "shm_block128": verbs.OrderAligned128Bytes, "shm_unordered": 0, "shm_liar": both,
	}
	words := map[verbs.OrderCaps]verbs.Order{both: verbs.OrderWhole, verbs.OrderAligned128Bytes: verbs.OrderBlocks, 0: verbs.OrderNone}
	for name, promise := range promises {
		if runtime.GOARCH != "amd64" {
			promise = 0
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
					t.Errorf("%s %s: %d, want %d", name, op, got, promise)
				}
				if got := ask(op, extra); got != promise&verbs.OrderWholeMsg {
					t.Errorf("%s %s: %d without RETURN_CAPS", name, op, got)
				}
			}
			if got := ask(op, verbs.OrderReturnCaps|1<<5); got != 0 {
				t.Errorf("%d with an unknown flag", got)
			}
			if order, _, err := verbs.AskOrder(a.qp, op); err != nil || order != words[promise] {
				t.Errorf("%s %s: asked order %s, %v", name, op, order, err)
			}
		}
		for _, op := range []verbs.Opcode{verbs.OpSendWithImm, verbs.OpRDMAWriteWithImm, 5, 99} {
			if got := ask(op, verbs.OrderReturnCaps); got != 0 {
				t.Errorf("%s %s: %d", name, op, got)
			}
		}
	}
	for _, state := range states {
		a, _ := inState(t, conf(), state)
		got := must(a.qp.QueryDataInOrder(verbs.OpSend, verbs.OrderReturnCaps))(t)
		if (got != 0) != (state == verbs.QPRTS && runtime.GOARCH == "amd64") {
			t.Errorf("%d in %s", got, state)
		}
	}
}

// TestClosedContext: everything may be closed after its device.
func TestClosedContext(t *testing.T) {
	c := conf()
	c.channel = true
	a, b := pair(t, c)
	b.mustRecv(t, recv{})
	noError(t, b.ctx.Close())
	noError(t, b.ctx.Close())
	wantErrno(t, b.qp.Modify(&verbs.QPAttr{}, verbs.MaskState), syscall.EBADF)
	_, err := b.ctx.AllocPD()
	wantErrno(t, err, syscall.EBADF)
	a.mustPost(t, send{}.toward(b, 0))
	pollOne(t, a.sendCQ, 0, verbs.WCRetryExcErr)
}
