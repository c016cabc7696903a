//go:build linux

package ibv

import "C"

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// opError makes the error of a verb from what cgo returns as errno.
func opError(verb, object string, err error, detail string) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) || errno == 0 {
		errno = syscall.EIO // a failure that sets no errno
	}
	return &verbs.OpError{Verb: verb, Object: object, Errno: errno, Detail: detail}
}

// closed makes the error of a call on an object that was closed, or whose context was:
// there is nothing left that C could be handed.
func closed(verb, object string) error {
	return opError(verb, object, verbs.ErrClosed, "it is closed, or its context is")
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

// check makes the error of a verb with an errno, nil for 0.
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

// createHint explains why an object with queues was not created.
func createHint(err error) string {
	const limits = "the device's limits: ib_caps"
	if errors.Is(err, syscall.ENOMEM) {
		return "too little memory to lock: " + lockLimit() + "; or more than " + limits
	}
	return limits
}

// registerHint explains why memory was not registered.
func registerHint(err error) string {
	if errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.EPERM) {
		return "registered memory is locked: " + lockLimit() + "; or the device's limits: ib_caps"
	}
	return ""
}

// lockLimit says how much memory this process may lock.
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
