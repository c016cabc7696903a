package harness

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// paced counts what a side posts, on a clock that passes by its readings alone.
type paced struct {
	now   atomic.Int64
	posts []int64 // when each message of the size was posted
}

func (s *paced) time() int64 { return s.now.Add(50) }

// A sender with a limited rate sends its bursts at their times: what has left at any moment is
// no more than the limit allows, and in the end no less.
func TestRateLimit(t *testing.T) {
	for _, c := range []limited{
		{op: option.OpWrite, unit: option.RateMessages},
		{op: option.OpWrite, unit: option.RateMiB, burst: 1},
		{op: option.OpWrite, burst: 16, list: 8, qps: 2},
		{op: option.OpWrite, burst: 5, list: 8},
		{op: option.OpSend, unit: option.RateMessages, burst: 10, qps: 3},
		{op: option.OpSend},
		{op: option.OpRead, unit: option.RateMiB, burst: 5, list: 8},
		{op: option.OpRead, burst: 10, qps: 2},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) { c.run(t) })
	}
}

// limited is a test with a limited rate.
type limited struct {
	op               option.Op
	unit             option.RateUnit
	burst, list, qps int // 0: what the program takes
}

func (c *limited) run(t *testing.T) {
	const size, messages, perSecond = 4096, 3000, 400_000.0
	qps := max(c.qps, 1)
	p := testPlan(c.op, option.KindBandwidth, size, uint64(messages/qps))
	p.RateLimit = map[option.RateUnit]float64{
		"": perSecond * size * 8 / 1e9, option.RateMiB: perSecond * size / (1 << 20), option.RateMessages: perSecond,
	}[c.unit]
	p.RateUnits, p.Burst, p.PostList, p.QPs, p.TxDepth = c.unit, c.burst, c.list, qps, 32
	side := &paced{}
	files, errs := pair{device: "shm_whole", plan: p,
		wrap: func(i int, ctx verbs.Context) verbs.Context {
			if i == 1 {
				return ctx
			}
			return wrap.Context(ctx, wrap.Options{OnPostSend: func(_ verbs.QP, wr *verbs.SendWR) {
				if wrap.Length(wr) == size {
					side.posts = append(side.posts, side.now.Load())
				}
			}})
		},
		clock: func(i int) *clock.Clock {
			if i == 1 {
				return clock.New()
			}
			return clock.Func(side.time)
		},
	}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	if b := onlyRow(t, files[0]).Bandwidth; !near(b.MsgRate, perSecond, 0.005) {
		t.Errorf("%.0f messages/s, want %.0f", b.MsgRate, perSecond)
	}
	checkBursts(t, side.posts[len(side.posts)-messages:], max(c.burst, c.list), perSecond)
}

// checkBursts holds the times of posts to a rate: a burst may be ahead of it, and no more.
func checkBursts(t *testing.T, posts []int64, burst int, perSecond float64) {
	t.Helper()
	if burst == 0 {
		burst = 32
	}
	for i, at := range posts {
		if ahead := float64(i) - float64(at-posts[0])/1e9*perSecond; ahead > float64(2*burst) {
			t.Fatalf("message %d is posted %.1f messages ahead of the rate, in bursts of %d", i, ahead, burst)
		}
	}
}
