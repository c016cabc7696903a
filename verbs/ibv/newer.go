//go:build linux

package ibv

// #include "newer.h"
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

// QueryPortSpeed returns the effective speed of a port.
//
//	int ibv_query_port_speed(struct ibv_context *context, uint32_t port_num, uint64_t *port_speed)
func (c *context) QueryPortSpeed(port int) (uint64, error) {
	object := fmt.Sprintf("%s port %d", c.dev.name, port)
	if c.c == nil {
		return 0, closed("query_port_speed", object)
	}
	var speed C.uint64_t
	ret, err := C.ib_query_port_speed(c.c, C.uint32_t(port), &speed)
	errno := newerErrno(ret, err)
	return uint64(speed), check("query_port_speed", object, errno, func() string { return newerHint(errno, 62) })
}
