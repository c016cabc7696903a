//go:build linux && cgo

package ibv

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestPostWithoutMemory: the error of a post with ENOMEM names the causes that the provider has for it.
func TestPostWithoutMemory(t *testing.T) {
	if !onStub(t) {
		return
	}
	t.Setenv("STUB_FAIL", "none:1") // so that posting looks at it, too
	for _, mlx5 := range []string{"0", "1"} {
		t.Setenv("STUB_MLX5", mlx5)
		o := newStubObjects(t)
		init := verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: o.cq, RecvCQ: o.cq,
			Cap: verbs.QPCap{MaxSendWR: 3, MaxRecvWR: 5, MaxSendSGE: 2, MaxRecvSGE: 1, MaxInlineData: 44}}
		o.qp = made(o.pd.CreateQP(&init))(t)
		t.Setenv("STUB_FAIL", fmt.Sprint(int(syscall.ENOMEM)))
		errs := o.calls(t)
		t.Setenv("STUB_FAIL", "none:1")
		full := fmt.Sprintf("(the send queue of %d requests is full", init.Cap.MaxSendWR)
		want := map[string]string{
			"post_send":     full + ")",
			"post_recv":     fmt.Sprintf("(the receive queue of %d requests is full)", init.Cap.MaxRecvWR),
			"post_srq_recv": "(the SRQ is full)",
		}
		if mlx5 == "1" {
			want["post_send"] = full + fmt.Sprintf(", the QP has not reached RTS, or a request has more than %d SGEs or %d bytes of inline data: mlx5",
				init.Cap.MaxSendSGE, init.Cap.MaxInlineData)
		}
		for call, text := range want {
			if err := errs[call]; err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("STUB_MLX5=%s: %v, want %q", mlx5, err, text)
			}
		}
	}
}
