package verbs

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

func TestOpError(t *testing.T) {
	err := error(&OpError{Verb: "modify_qp", Object: "rxe0 qp 0x11", Errno: syscall.EINVAL, Detail: "RC INIT to RTR: missing DEST_QPN"})
	if want := "modify_qp rxe0 qp 0x11: invalid argument (RC INIT to RTR: missing DEST_QPN)"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	bare := &OpError{Verb: "reg_mr", Object: "rxe0", Errno: syscall.ENOMEM}
	if want := "reg_mr rxe0: cannot allocate memory"; bare.Error() != want {
		t.Errorf("error %q, want %q", bare, want)
	}
	wrapped := fmt.Errorf("connect: %w", err)
	if !errors.Is(wrapped, syscall.EINVAL) || errors.Is(wrapped, syscall.EBUSY) {
		t.Error("errors.Is does not see the errno")
	}
	var op *OpError
	if !errors.As(wrapped, &op) || op.Verb != "modify_qp" {
		t.Error("errors.As does not find the OpError")
	}
	if !errors.Is(&OpError{Errno: syscall.EOPNOTSUPP}, ErrNotSupported) {
		t.Error("EOPNOTSUPP is not ErrNotSupported")
	}
}

func TestStatusError(t *testing.T) {
	err := error(&StatusError{Object: "rxe0 qp 0x11", WRID: 7, Status: WCRNRRetryExcErr})
	if want := "completion rxe0 qp 0x11 wr_id 7: RNR_RETRY_EXC_ERR (the peer posted no receive in time)"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	var status *StatusError
	if !errors.As(fmt.Errorf("iteration 5: %w", err), &status) || status.Status != WCRNRRetryExcErr {
		t.Error("errors.As does not find the StatusError")
	}
}

// fakeBackend offers devices by name and fails on "broken".
type fakeBackend []string

type fakeDevice struct {
	Device
	name string
}

func (d fakeDevice) Name() string { return d.name }

func (fakeBackend) Name() string    { return "fake" }
func (fakeBackend) Version() string { return "1" }

func (b fakeBackend) Devices() (list []Device, err error) {
	for _, n := range b {
		list = append(list, fakeDevice{name: n})
	}
	return list, nil
}

func (b fakeBackend) Absence() error {
	if len(b) == 0 {
		return errors.New("no card")
	}
	return nil
}

var errBroken = errors.New("broken library")

func (b fakeBackend) Lookup(name string) (Device, error) {
	if name == "broken" {
		return nil, errBroken
	}
	for _, n := range b {
		if n == name {
			return fakeDevice{name: n}, nil
		}
	}
	return nil, nil
}

func TestLookup(t *testing.T) {
	saved := Backends()
	t.Cleanup(func() { registry.backends = saved })
	registry.backends = nil
	Register(fakeBackend{"one_0", "one_1"})
	Register(fakeBackend{"two_0"})
	if d, err := Lookup("two_0"); err != nil || d.Name() != "two_0" {
		t.Errorf("%v, %v", d, err)
	}
	_, err := Lookup("three_0")
	if !errors.Is(err, ErrNoDevice) {
		t.Errorf("%v is not ErrNoDevice", err)
	}
	if want := `device "three_0": no such RDMA device; there are: one_0, one_1, two_0`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := Lookup("broken"); !errors.Is(err, errBroken) {
		t.Errorf("%v hides the backend's error", err)
	}
	Register(fakeBackend{})
	_, err = Lookup("three_0")
	if want := `; there are: one_0, one_1, two_0; backend fake has none: no card`; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want %s at its end", err, want)
	}
	all, err := Devices()
	var names []string
	for _, d := range all {
		names = append(names, d.Name())
	}
	if got := strings.Join(names, " "); err != nil || got != "one_0 one_1 two_0" {
		t.Errorf("devices %s, %v", got, err)
	}
}

// orderedQP answers the question about order in a given way.
type orderedQP struct {
	QP
	caps OrderCaps
	err  error
}

func (q orderedQP) QueryDataInOrder(Opcode, OrderFlags) (OrderCaps, error) { return q.caps, q.err }

func TestAskOrder(t *testing.T) {
	for _, c := range []struct {
		name string
		qp   orderedQP
		want Order
		fail bool
	}{
		{"whole", orderedQP{caps: OrderWholeMsg | OrderAligned128Bytes}, OrderWhole, false},
		{"whole alone, of an old library", orderedQP{caps: OrderWholeMsg}, OrderWhole, false},
		{"blocks", orderedQP{caps: OrderAligned128Bytes}, OrderBlocks, false},
		{"none", orderedQP{}, OrderNone, false},
		{"library lacks the call", orderedQP{err: ErrNotSupported}, OrderUnknown, false},
		{"fails", orderedQP{caps: OrderWholeMsg, err: syscall.EIO}, OrderUnknown, true},
	} {
		got, call, err := AskOrder(c.qp, OpRDMAWrite)
		if got != c.want || (err != nil) != c.fail {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
		if !strings.Contains(call, "ibv_query_qp_data_in_order(qp, IBV_WR_RDMA_WRITE") {
			t.Errorf("the call is named %q", call)
		}
	}
}
