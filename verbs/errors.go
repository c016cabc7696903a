package verbs

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// Sentinels that every backend's errors answer to with errors.Is.
var (
	// ErrNoDevice says that no device of the name exists.
	ErrNoDevice = errors.New("no such RDMA device")
	// ErrNotSupported says that the backend or the device lacks the call.
	ErrNotSupported = syscall.EOPNOTSUPP
	// ErrClosed says that the object, or the context that it was made from, was closed
	// before the call.
	ErrClosed = syscall.EBADF
	// ErrMRUnusable says that a region could not be changed, and cannot be used any more.
	ErrMRUnusable = errors.New("the region is not usable any more: close it")
	// ErrTimeout is returned by waits whose time has passed.
	ErrTimeout = os.ErrDeadlineExceeded
)

// OpError is the failure of a verb: which call, on which object, with which errno.
type OpError struct {
	Verb   string        // the verb's C name without "ibv_": "modify_qp"
	Object string        // device and object: "shm_whole qp 0x11"
	Errno  syscall.Errno // as libibverbs returns it
	Detail string        // cause or cure where known; may be empty
}

func (e *OpError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s", e.Verb, e.Object, e.Errno.Error())
	if e.Detail != "" {
		fmt.Fprintf(&b, " (%s)", e.Detail)
	}
	return b.String()
}

// Unwrap makes errors.Is(err, syscall.EINVAL) and the like work.
func (e *OpError) Unwrap() error { return e.Errno }

// StatusError is a completion whose status is not [WCSuccess].
type StatusError struct {
	Object string // device and QP: "shm_whole qp 0x11"
	WRID   uint64
	Status WCStatus
	Vendor uint32 // vendor_err
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("completion %s wr_id %d: %s (%s)", e.Object, e.WRID, e.Status, e.Status.Cause())
}
