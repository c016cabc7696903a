package verbs

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// Sentinels for errors.Is, with the errors of every backend.
var (
	// ErrNoDevice means that no device has the name.
	ErrNoDevice = errors.New("no such RDMA device")
	// ErrNotSupported means that the backend or the device lacks the call.
	ErrNotSupported = syscall.EOPNOTSUPP
	// ErrClosed means that the object, or its context, was closed before the call.
	ErrClosed = syscall.EBADF
	// ErrMRUnusable means that a change of a region failed and left it unusable.
	ErrMRUnusable = errors.New("the region is unusable: close it")
	// ErrTimeout means that the timeout of a wait has passed.
	ErrTimeout = os.ErrDeadlineExceeded
)

// OpError is the failure of a verb: which call, on which object, with which errno.
type OpError struct {
	Verb   string        // the verb's C name without "ibv_": "modify_qp"
	Object string        // device and object: "shm_whole qp 0x11"
	Errno  syscall.Errno // as libibverbs returns it
	Detail string        // cause or remedy; may be empty
}

func (e *OpError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s", e.Verb, e.Object, e.Errno.Error())
	if e.Detail != "" {
		fmt.Fprintf(&b, " (%s)", e.Detail)
	}
	return b.String()
}

// Unwrap returns the errno, so that errors.Is(err, syscall.EINVAL) works.
func (e *OpError) Unwrap() error { return e.Errno }

// StatusError is a failed completion as an error.
type StatusError struct {
	Object string // device and QP: "shm_whole qp 0x11"
	WRID   uint64
	Status WCStatus
	Vendor uint32 // vendor_err
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("completion %s wr_id %d: %s (%s)", e.Object, e.WRID, e.Status, e.Status.Cause())
}
