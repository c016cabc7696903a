//go:build linux

package ibv

import "C"

import (
	"fmt"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

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
