//go:build linux && cgo

package ibv

import (
	"errors"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestLoopbackPostPoll: a post with polls in the same call has the effects and results of both, on QPs and
// CQs of each kind.
func TestLoopbackPostPoll(t *testing.T) {
	ctx := openLoopback(t)
	for name, ops := range map[string]verbs.SendOps{"ibv_post_send": 0, "ibv_wr_post": verbs.SendOpRDMAWrite} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, ops)
			copy(s.Mem, "posted and polled")
			s.sge(0, 0, 17)
			began := time.Now()
			n, begin, end, err := s.QP.(verbs.PostPoller).PostPoll(s.list(s.toward(verbs.OpRDMAWrite, 512)), s.RecvCQ.CQ, s.req.wc, 1000)
			passed := time.Since(began)
			if n != 1 || err != nil || s.req.wc[0].Status != verbs.WCSuccess || string(s.Mem[512:529]) != "posted and polled" {
				t.Fatalf("%d completions, error %v, completion %+v, memory %q", n, err, s.req.wc[0], s.Mem[512:529])
			}
			// No counter ticks at more than 10 GHz.
			if ticks := end - begin; runtime.GOARCH == "amd64" && (ticks == 0 || ticks > uint64(10*passed)) {
				t.Errorf("%d ticks in %v", ticks, passed)
			}
			n, _, _, err = s.QP.(verbs.PostPoller).PostPoll(s.list(s.toward(verbs.OpRDMAWrite, 1024)), s.RecvCQ.CQ, nil, 1000)
			if all := s.completed(); n != 0 || err != nil || len(all) != 1 {
				t.Errorf("without room for completions: %d, error %v; left in the queue: %d", n, err, len(all))
			}
			n, _, _, err = s.QP.(verbs.PostPoller).PostPoll(s.list(verbs.SendWR{Opcode: 99, NumSGE: 1}), s.RecvCQ.CQ, s.req.wc, 1)
			if n != 0 || err == nil {
				t.Errorf("an unknown operation: %d completions, error %v", n, err)
			}
		})
	}
	l, other := newLoopback(t, ctx, false), newLoopback(t, stubContext(t), false)
	if _, _, _, err := l.QP.(verbs.PostPoller).PostPoll(&verbs.SendWR{}, other.RecvCQ.CQ, nil, 1); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("with the CQ of another context: %v, want EINVAL", err)
	}
}
