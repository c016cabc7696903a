//go:build linux && cgo

package ibv

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// creations makes the calls that create an object, and optional calls.
func (o *stubObjects) creations(t *testing.T) map[string]error {
	second := func(object any, err error) error {
		if c, ok := object.(io.Closer); ok && err == nil {
			t.Cleanup(func() { c.Close() })
		}
		return err
	}
	init := verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: o.cq, RecvCQ: o.cq}
	gid, _ := o.ctx.QueryGID(1, 0)
	parents := o.ctx.(verbs.ParentDomainAllocator)
	return map[string]error{
		"open_device":         second(o.ctx.Device().Open()),
		"query_device":        second(o.ctx.QueryDevice()),
		"open_xrcd":           second(o.ctx.OpenXRCD(-1, syscall.O_CREAT)),
		"alloc_pd":            second(o.ctx.AllocPD()),
		"alloc_td":            second(parents.AllocTD()),
		"alloc_parent_domain": second(parents.AllocParentDomain(o.pd, nil)),
		"reg_mr":              second(o.pd.RegMR(make([]byte, 4096), 0)),
		"rereg_mr":            o.mr.(verbs.Reregistrar).Rereg(verbs.ReregAccess, nil, nil, verbs.AccessLocalWrite),
		"advise_mr":           o.pd.(verbs.Advisor).AdviseMR(verbs.AdvicePrefetch, true, nil),
		"alloc_mw":            second(o.pd.(verbs.MWAllocator).AllocMW(verbs.MWType1)),
		"create_comp_channel": second(o.ctx.CreateCompChannel()),
		"create_cq":           second(o.ctx.CreateCQ(1, nil, 0)),
		"modify_cq":           o.cq.(verbs.Moderator).Moderate(0, 0),
		"poll_cq":             second(o.cq.Poll(make([]verbs.WC, 1))),
		"create_qp":           second(o.pd.CreateQP(&init)),
		"create_srq":          second(o.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 1}})),
		"create_ah":           second(o.pd.CreateAH(&verbs.AHAttr{PortNum: 1, IsGlobal: true, GRH: verbs.GlobalRoute{DGID: gid.GID}})),
	}
}

// TestFailuresByName: the error of a failed call names the call, the device and the errno,
// and all other calls succeed.
func TestFailuresByName(t *testing.T) {
	if !onStub(t) {
		return
	}
	t.Setenv("STUB_FAIL", "none:1") // so that posting looks at it, too
	all := func(fails string) map[string]error {
		o := newStubObjects(t)
		t.Setenv("STUB_FAIL", fmt.Sprintf("%s:%d", fails, syscall.EXDEV))
		defer t.Setenv("STUB_FAIL", "none:1")
		errs := o.creations(t)
		for call, err := range o.calls(t) {
			errs[call] = err
		}
		delete(errs, "query_gid_table") // which the stub knows as query_gid_ex
		return errs
	}
	for call := range all("none") {
		want := syscall.EXDEV
		if call == "poll_cq" {
			want = syscall.EIO // its -1 comes without an errno
		}
		for other, err := range all(call) {
			var op *verbs.OpError
			switch {
			case other != call && errors.Is(err, syscall.EXDEV):
				t.Errorf("%s fails with %s: %v", other, call, err)
			case other == call && (!errors.As(err, &op) || !strings.HasPrefix(call, op.Verb) || !strings.Contains(op.Object, stub) || op.Errno != want):
				t.Errorf("%s: %v", call, err)
			}
		}
	}
}

// TestEventsOfThePort: an event without an object names the port.
func TestEventsOfThePort(t *testing.T) {
	if !onStub(t) {
		return
	}
	for _, typ := range []verbs.EventType{verbs.EventPortActive, verbs.EventPortErr, verbs.EventClientReregist, verbs.EventGIDChange} {
		t.Setenv("STUB_ASYNC", fmt.Sprint(int(typ)))
		ctx := stubContext(t)
		event := made(ctx.GetAsyncEvent(patience))(t)
		if event.Type != typ || event.Port != 1 || event.QP != nil || event.CQ != nil || event.SRQ != nil {
			t.Errorf("%+v, want %s of port 1", event, typ)
		}
		ctx.AckAsyncEvent(event)
		if event, err := ctx.GetAsyncEvent(time.Millisecond); err != verbs.ErrTimeout {
			t.Errorf("a further event %+v, %v", event, err)
		}
	}
}

// TestAgesOfTheLibrary: the error for an operation that the library is too old for names the
// operation, also if its context ends within the operation. All other operations succeed.
func TestAgesOfTheLibrary(t *testing.T) {
	if !onStub(t) {
		return
	}
	newer := []string{"open_xrcd", "alloc_td", "alloc_parent_domain", "advise_mr", "modify_cq"}
	refused := 0
	for size := 0; size < 700; size += 20 {
		t.Setenv("STUB_ABI", fmt.Sprint(size))
		o := newStubObjects(t)
		for call, err := range o.creations(t) {
			var op *verbs.OpError
			switch isNew := strings.Contains(strings.Join(newer, " "), call); {
			case err == nil || call == "advise_mr" && !errors.Is(err, verbs.ErrNotSupported):
			case isNew && errors.As(err, &op) && op.Verb == call && op.Errno == verbs.ErrNotSupported:
				refused++
			default:
				t.Errorf("of %d bytes: %s: %v", size, call, err)
			}
		}
		if size == 0 && refused != len(newer) {
			t.Errorf("%d operations are refused without any, want %d", refused, len(newer))
		}
	}
}
