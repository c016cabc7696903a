//go:build linux && cgo

package ibv

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestOutOfOrder: a QP with OutOfOrder is made by mlx5dv_create_qp, promises no order, and posts
// by ibv_wr_post; others of the device keep their promise. A device without the capability refuses it.
func TestOutOfOrder(t *testing.T) {
	if *deviceName != stub {
		t.Parallel()
		for _, env := range [][]string{{"STUB_MLX5=1", "STUB_OOO=64"}, {"STUB_MLX5=1"}, {"STUB_OOO=64"}} {
			runOnStub(t, "^TestOutOfOrder$", env...)
		}
		return
	}
	has := os.Getenv("STUB_MLX5") != "" && os.Getenv("STUB_OOO") != ""
	ctx := stubContext(t)
	a := made(ctx.QueryDevice())(t)
	if want := map[bool]int{true: 64}[has]; a.MaxOutOfOrderRecvWR != want {
		t.Errorf("%d receives, want %d", a.MaxOutOfOrderRecvWR, want)
	}
	pd, cq := made(ctx.AllocPD())(t), made(ctx.CreateCQ(1, nil, 0))(t)
	for _, c := range []struct {
		receives   int
		outOfOrder bool
		want       error
		order      verbs.Order
	}{{64, true, nil, verbs.OrderNone}, {65, true, syscall.EINVAL, 0}, {65, false, nil, verbs.OrderWhole}} {
		if c.outOfOrder && !has {
			c.want = verbs.ErrNotSupported
		}
		created, err := pd.CreateQP(&verbs.QPInitAttr{
			SendCQ: cq, RecvCQ: cq, Type: verbs.QPTypeRC, OutOfOrder: c.outOfOrder, SendOps: verbs.SendOpRDMAWrite,
			Cap: verbs.QPCap{MaxSendWR: 1, MaxSendSGE: 1, MaxRecvWR: c.receives, MaxRecvSGE: 1},
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil {
			continue
		}
		if order, _, err := verbs.AskOrder(created, verbs.OpRDMAWrite); err != nil || order != c.order {
			t.Errorf("%+v: order %s, %v", c, order, err)
		}
		if created.(*qp).ex == nil {
			t.Errorf("%+v: posts by ibv_post_send", c)
		}
		if err := created.Close(); err != nil {
			t.Error(err)
		}
	}
}
