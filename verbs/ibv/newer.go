//go:build linux

package ibv

import "C"

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// knownCall returns [verbs.ErrNotSupported] for the errnos of a kernel or driver without a call:
// EPROTONOSUPPORT, and ENOTTY of kernels that have no such calls at all (libibverbs/cmd_fallback.c of rdma-core
// 65). libibverbs returns them where there is no older call to fall back to.
func knownCall(err error) error {
	if errors.Is(err, syscall.EPROTONOSUPPORT) || errors.Is(err, syscall.ENOTTY) {
		return verbs.ErrNotSupported
	}
	return err
}

// newerErrno is [errnoOf] for a call that older kernels and drivers lack.
func newerErrno(ret C.int, err error) syscall.Errno {
	errno := errnoOf(ret, err)
	if errors.Is(knownCall(errno), verbs.ErrNotSupported) {
		return verbs.ErrNotSupported
	}
	return errno
}

// newerHint returns why a newer call is not supported. since is the first rdma-core that has it.
func newerHint(errno error, since int) string {
	if errors.Is(errno, verbs.ErrNotSupported) {
		return fmt.Sprintf("it needs rdma-core %d and a driver with the call", since)
	}
	return ""
}
