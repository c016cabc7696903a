//go:build linux && cgo

package ibv

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// stubObjects are an object of each kind.
type stubObjects struct {
	ctx verbs.Context
	pd  verbs.PD
	mr  verbs.MR
	cq  verbs.CQ
	qp  verbs.QP
	srq verbs.SRQ
	ah  verbs.AH
}

func newStubObjects(t *testing.T) (o stubObjects) {
	o.ctx = stubContext(t)
	o.pd = made(o.ctx.AllocPD())(t)
	o.mr = made(o.pd.RegMR(make([]byte, 8), 0))(t)
	o.cq = made(o.ctx.CreateCQ(1, nil, 0))(t)
	o.qp = made(o.pd.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: o.cq, RecvCQ: o.cq}))(t)
	o.srq = made(o.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 1}}))(t)
	gid := made(o.ctx.QueryGID(1, 0))(t)
	o.ah = made(o.pd.CreateAH(&verbs.AHAttr{PortNum: 1, IsGlobal: true, GRH: verbs.GlobalRoute{DGID: gid.GID}}))(t)
	return o
}

// calls makes the calls whose function in C returns an int.
func (o *stubObjects) calls(t *testing.T) map[string]error {
	t.Helper()
	send, receive := made(verbs.Make[verbs.SendWR](1))(t), made(verbs.Make[verbs.RecvWR](1))(t)
	second := func(_ any, err error) error { return err }
	_, _, query := o.qp.Query(verbs.MaskState)
	return map[string]error{
		"query_port":      second(o.ctx.QueryPort(1)),
		"query_gid_ex":    second(o.ctx.QueryGID(1, 0)),
		"query_gid_table": second(o.ctx.QueryGIDTable(1)),
		"query_pkey":      second(o.ctx.QueryPKey(1, 0)),
		"get_pkey_index":  second(o.ctx.PKeyIndex(1, 0xffff)),
		"init_ah_from_wc": second(o.ctx.InitAHFromWC(1, &verbs.WC{}, nil)),
		"dereg_mr":        o.mr.Close(),
		"req_notify_cq":   o.cq.ReqNotify(false),
		"resize_cq":       o.cq.Resize(2),
		"modify_qp":       o.qp.Modify(&verbs.QPAttr{}, verbs.MaskState),
		"query_qp":        query,
		"post_send":       second(o.qp.PostSend(&send[0])),
		"post_recv":       second(o.qp.PostRecv(&receive[0])),
		"attach_mcast":    o.qp.AttachMcast(verbs.GID{}, 0),
		"detach_mcast":    o.qp.DetachMcast(verbs.GID{}, 0),
		"modify_srq":      o.srq.Modify(verbs.SRQAttr{}, 0),
		"query_srq":       second(o.srq.Query()),
		"post_srq_recv":   second(o.srq.PostRecv(&receive[0])),
		"destroy_ah":      o.ah.Close(),
		"destroy_qp":      o.qp.Close(),
		"destroy_cq":      o.cq.Close(),
		"destroy_srq":     o.srq.Close(),
		"dealloc_pd":      o.pd.Close(),
	}
}

// TestErrnos: errors have the provider's errno, in whichever form the provider returns it.
func TestErrnos(t *testing.T) {
	if !onStub(t) {
		return
	}
	for _, c := range []struct {
		how, variable, value string
		want                 syscall.Errno
	}{
		{"-1, in errno", "STUB_FAIL", fmt.Sprint(int(syscall.ENOSPC)), syscall.ENOSPC},
		{"as it is", "STUB_RETURN", fmt.Sprint(int(syscall.ENOSPC)), syscall.ENOSPC},
		{"negated", "STUB_RETURN", fmt.Sprint(-int(syscall.ENOSPC)), syscall.ENOSPC},
		{"-1, without errno", "STUB_RETURN", "-1", syscall.EIO},
	} {
		t.Run(c.how, func(t *testing.T) {
			t.Setenv(c.variable, "0") // so that posting looks at it, too
			o := newStubObjects(t)
			t.Setenv(c.variable, c.value)
			for call, err := range o.calls(t) {
				// These calls return an index or a count, so a positive value is a success.
				if index := call == "get_pkey_index" || call == "query_gid_table"; index && c.how == "as it is" {
					continue
				}
				if !errors.Is(err, c.want) {
					t.Errorf("%s: %v, want %v", call, err, c.want)
				}
			}
		})
	}
}

// TestNoMemory: the error for ENOMEM names both usual causes.
func TestNoMemory(t *testing.T) {
	if !onStub(t) {
		return
	}
	o := newStubObjects(t)
	t.Setenv("STUB_FAIL", fmt.Sprint(int(syscall.ENOMEM)))
	var old unix.Rlimit
	made(0, unix.Getrlimit(unix.RLIMIT_MEMLOCK, &old))(t)
	for limit, want := range map[uint64]string{64 << 10: "RLIMIT_MEMLOCK is 64 KiB", old.Cur: "RLIMIT_MEMLOCK is "} {
		made(0, unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: limit, Max: old.Max}))(t)
		_, cq := o.ctx.CreateCQ(1, nil, 0)
		_, qp := o.pd.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: o.cq, RecvCQ: o.cq})
		_, srq := o.pd.CreateSRQ(&verbs.SRQInitAttr{})
		_, mr := o.pd.RegMR(make([]byte, 8), 0)
		for what, err := range map[string]error{"create_cq": cq, "create_qp": qp, "create_srq": srq, "reg_mr": mr, "resize_cq": o.cq.Resize(2)} {
			if !errors.Is(err, syscall.ENOMEM) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "ib_caps") {
				t.Errorf("%s: %v, want %q and ib_caps", what, err, want)
			}
		}
	}
}

// TestClosed checks calls on closed objects by the suite's statements, on the stub, which
// crashes if one of them reaches C.
func TestClosed(t *testing.T) {
	t.Parallel()
	runOnStub(t, "^TestConformance$/^E-2[78]$")
}

// TestAlternatePath: Modify passes the attributes of the alternate path to C, and Query
// returns them.
func TestAlternatePath(t *testing.T) {
	if !onStub(t) {
		return
	}
	t.Setenv("STUB_LINK", "1") // of InfiniBand: RoCE has none
	l := newLoopback(t, stubContext(t), false)
	want := verbs.QPAttr{
		AltAH: verbs.AHAttr{DLID: 7, SL: 3, PortNum: 2, IsGlobal: true, GRH: verbs.GlobalRoute{DGID: verbs.GID{0xfe, 0x80, 15: 9}, SGIDIndex: 4}},

		AltPKeyIndex: 5, AltPortNum: 2, AltTimeout: 14, PathMigState: verbs.MigRearm,
	}
	made(0, l.QP.Modify(&want, verbs.MaskAltPath|verbs.MaskPathMigState))(t)
	all, _, err := l.QP.Query(verbs.MaskAltPath | verbs.MaskPathMigState)
	got := verbs.QPAttr{
		AltAH: all.AltAH, AltPKeyIndex: all.AltPKeyIndex, AltPortNum: all.AltPortNum, AltTimeout: all.AltTimeout, PathMigState: all.PathMigState,
	}
	if err != nil || got != want {
		t.Errorf("%+v, want %+v: %v", got, want, err)
	}
}
