//go:build linux

package ibv

// #include "newer.h"
import "C"

import "fmt"

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
