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

func TestDeviceListAndLookup(t *testing.T) {
	all := must(verbs.Devices())(t)
	var names []string
	for _, d := range all {
		if d.Backend() == "shm" {
			names = append(names, d.Name())
		}
		if !strings.Contains(d.Software(), "not RDMA hardware") {
			t.Errorf("%s is not labelled as software: %q", d.Name(), d.Software())
		}
	}
	if !slices.Equal(names, listed) {
		t.Errorf("listed devices: %v, want %v", names, listed)
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
		t.Errorf("the error lists shm_liar: %v", err)
	}
}

// TestDeviceCapabilities covers that atomic operations are global, as CPU instructions are, and
// that on-demand paging is supported.
func TestDeviceCapabilities(t *testing.T) {
	for _, name := range devices {
		ctx := openDevice(t, name)
		d := must(ctx.QueryDevice())(t)
		if d.AtomicCap != verbs.AtomicGlob || !d.ODP.Supported() {
			t.Errorf("%s: atomics %s, ODP %+v", name, d.AtomicCap, d.ODP)
		}
	}
}

// TestContextGIDsAreUnique covers that each context has its own link-local GID.
func TestContextGIDsAreUnique(t *testing.T) {
	ctx, other := openDevice(t, "shm_whole"), openDevice(t, "shm_whole")
	g, o := must(ctx.QueryGID(1, 0))(t), must(other.QueryGID(1, 0))(t)
	if g.Type != verbs.GIDTypeRoCEv2 || g.GID == o.GID || g.GID[0] != 0xfe {
		t.Errorf("%+v, another context's %+v", g, o)
	}
}

// TestQueryReturnsModifiedAttributes covers that every attribute has the value that was set, and
// zero after RESET.
func TestQueryReturnsModifiedAttributes(t *testing.T) {
	c := conf()
	c.SigAll, c.PSN = true, 77
	a, b := pair(t, c)
	x, _, err := a.QP.Query(0)
	noError(t, err)
	gid := must(b.Ctx.QueryGID(1, 0))(t)
	want := verbs.QPAttr{
		State: verbs.QPRTS, CurState: verbs.QPRTS, PathMTU: verbs.MTU1024, RQPSN: 77, SQPSN: 77,
		DestQPNum: b.QP.QPNum(), AccessFlags: allRights, Cap: c.Cap, PortNum: 1,
		AH:          verbs.AHAttr{IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: gid.GID, HopLimit: 64}},
		MaxRdAtomic: 16, MaxDestRdAtomic: 16, MinRNRTimer: 1, Timeout: 8, RetryCnt: 1, RNRRetry: 1,
	}
	if x != want {
		t.Errorf("attributes %+v\nwant %+v", x, want)
	}
	a.To(verbs.QPReset, b)
	if x, _, _ = a.QP.Query(0); x != (verbs.QPAttr{Cap: c.Cap}) {
		t.Errorf("after RESET %+v", x)
	}
}

// TestPromisedOrder covers each device's promise, which it gives only in RTS.
func TestPromisedOrder(t *testing.T) {
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
			return must(a.QP.QueryDataInOrder(op, flags))(t)
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
			if order, _, err := verbs.AskOrder(a.QP, op); err != nil || order != words[promise] {
				t.Errorf("%s %s: AskOrder returned %s, %v", name, op, order, err)
			}
		}
		for _, op := range []verbs.Opcode{verbs.OpSendWithImm, verbs.OpRDMAWriteWithImm, 5, 99} {
			if got := ask(op, verbs.OrderReturnCaps); got != 0 {
				t.Errorf("%s %s: %d, want 0", name, op, got)
			}
		}
	}
	for _, state := range states {
		a, _ := inState(t, conf(), state)
		got := must(a.QP.QueryDataInOrder(verbs.OpSend, verbs.OrderReturnCaps))(t)
		if (got != 0) != (state == verbs.QPRTS && runtime.GOARCH == "amd64") {
			t.Errorf("QueryDataInOrder in %s: %d", state, got)
		}
	}
}

// TestObjectsOutliveContext covers that objects can be closed after their context.
func TestObjectsOutliveContext(t *testing.T) {
	c := conf()
	c.Channel = true
	a, b := pair(t, c)
	b.PostRecv(recv{})
	noError(t, b.Ctx.Close())
	noError(t, b.Ctx.Close())
	wantErrno(t, b.QP.Modify(&verbs.QPAttr{}, verbs.MaskState), syscall.EBADF)
	_, err := b.Ctx.AllocPD()
	wantErrno(t, err, syscall.EBADF)
	a.Post(send{}.Toward(b, 0))
	a.SendCQ.Expect(0, verbs.WCRetryExcErr)
}
