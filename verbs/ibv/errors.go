//go:build linux

package ibv

import "C"

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"golang.org/x/sys/unix"
)

// opError returns the error of a verb with the errno that cgo returned.
func opError(verb, object string, err error, detail string) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) || errno == 0 {
		errno = syscall.EIO // a failure that sets no errno
	}
	return &verbs.OpError{Verb: verb, Object: object, Errno: errno, Detail: detail}
}

// closed returns the error of a call on an object that was closed, or whose context was
// closed: its C object is freed.
func closed(verb, object string) error {
	return opError(verb, object, verbs.ErrClosed, "the object or its context is closed")
}

// errnoOf returns the errno of a verb that returned ret and left err in errno. Manuals
// promise 0 or an errno. ibv_close_device(3) and others return -1 and set errno, and some
// providers (cxgb4, bnxt_re and efa in rdma-core 65) return negated errnos.
func errnoOf(ret C.int, err error) syscall.Errno {
	errno, _ := err.(syscall.Errno)
	switch {
	case ret == -1 && errno != 0:
		return errno
	case ret == -1:
		return syscall.EIO
	case ret < 0:
		return syscall.Errno(-ret)
	}
	return syscall.Errno(ret)
}

// check returns the error of a verb with an errno, nil for 0.
func check(verb, object string, errno syscall.Errno, detail func() string) error {
	if errno == 0 {
		return nil
	}
	text := ""
	if detail != nil {
		text = detail()
	}
	return opError(verb, object, errno, text)
}

// createHint returns the usual cause of a failure to create an object with queues.
func createHint(err error) string {
	const limits = "see the device's limits in ib_caps"
	if errors.Is(err, syscall.ENOMEM) {
		return "the limit of locked memory may be too low: " + lockLimit() + "; or " + limits
	}
	return limits
}

// registerHint returns the usual cause of a failure to register memory.
func registerHint(err error) string {
	if errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.EPERM) {
		return "registered memory is locked: " + lockLimit() + "; or see the device's limits in ib_caps"
	}
	return ""
}

// lockLimit returns the limit of locked memory, in words.
func lockLimit() string {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil {
		return "RLIMIT_MEMLOCK is unknown: " + err.Error()
	}
	if limit.Cur == unix.RLIM_INFINITY {
		return "RLIMIT_MEMLOCK is unlimited, so the host may lack memory"
	}
	return fmt.Sprintf("RLIMIT_MEMLOCK is %d KiB, raise it by ulimit -l or memlock in /etc/security/limits.conf", limit.Cur>>10)
}

// postError returns the error of a post to the QP.
func (q *qp) postError(verb string, errno C.int) error {
	full := fmt.Sprintf("the receive queue of %d requests is full", q.init.Cap.MaxRecvWR)
	if verb != "post_recv" {
		full = q.sendCauses()
	}
	return postError(verb, q.object(), errno, full)
}

// sendCauses returns the causes of ENOMEM from a post of sends. libmlx5 returns it in four cases
// (_mlx5_post_send, set_data_inl_seg and set_qp_operational_state in rdma-core's providers/mlx5).
func (q *qp) sendCauses() string {
	c := q.init.Cap
	full := fmt.Sprintf("the send queue of %d requests is full", c.MaxSendWR)
	if !q.ctx.isMlx5() {
		return full
	}
	return fmt.Sprintf("%s, the QP has not reached RTS, or a request has more than %d SGEs or %d bytes of inline data: mlx5 has this errno for each of them",
		full, c.MaxSendSGE, c.MaxInlineData)
}

// postError returns the error of a post. full is the cause of ENOMEM.
func postError(verb, object string, errno C.int, full string) error {
	return check(verb, object, syscall.Errno(errno), func() string {
		switch syscall.Errno(errno) {
		case syscall.ENOMEM:
			return full
		case verbs.ErrNotSupported:
			return "the QP was created without the operation"
		}
		return ""
	})
}
