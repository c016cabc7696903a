package harness

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// paced counts what a side posts, on a clock that passes by its readings alone.
type paced struct {
	now   atomic.Int64
	step  int64  // ns of a reading
	posts []post // messages of the size
}

// post is a message, and when it was posted.
type post struct {
	qpn uint32
	at  int64
}

func (s *paced) time() int64 { return s.now.Add(s.step) }

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

// A timed run with a limited rate lasts its time and keeps its rate, whatever a burst may be, and
// shares it out among its QPs. Where a message takes longer than the run, one goes.
func TestRateLimitOfTimedRuns(t *testing.T) {
	const second = time.Second
	for _, c := range []limited{
		{op: option.OpWrite, perSecond: 16, duration: second},
		{op: option.OpWrite, perSecond: 16, duration: second, burst: 128},
		{op: option.OpWrite, perSecond: 160, duration: second, qps: 4, unit: option.RateMiB},
		{op: option.OpWrite, perSecond: 100, duration: second / 2, unit: option.RateMessages},
		{op: option.OpRead, perSecond: 1907, duration: second, list: 8, qps: 2},
		{op: option.OpAtomic, perSecond: 50_000, duration: second / 4},
		{op: option.OpWrite, perSecond: 0.1, duration: second / 10, above: true},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) { c.run(t) })
	}
}

// limited is a test with a limited rate: of 3000 messages or of a duration.
type limited struct {
	op               option.Op
	unit             option.RateUnit
	burst, list, qps int // 0: what the program takes
	perSecond        float64
	duration         time.Duration
	above            bool // the run is too short for the rate
}

func (c *limited) run(t *testing.T) {
	messages, size, qps := 3000, 4096, max(c.qps, 1)
	if c.op == option.OpAtomic {
		size = 8
	}
	p := testPlan(c.op, option.KindBandwidth, size, uint64(messages/qps))
	side, perSecond := &paced{step: 50}, c.perSecond
	if c.duration > 0 {
		p.Iterations, p.Duration, messages, side.step = 0, c.duration, max(1, int(c.duration.Seconds()*perSecond)), 500
	} else {
		perSecond = 400_000
	}
	p.RateLimit = map[option.RateUnit]float64{
		"": perSecond * float64(size) * 8 / 1e9, option.RateMiB: perSecond * float64(size) / (1 << 20), option.RateMessages: perSecond,
	}[c.unit]
	p.RateUnits, p.Burst, p.PostList, p.QPs, p.TxDepth = c.unit, c.burst, c.list, qps, 32
	files, errs := pair{device: "shm_whole", plan: p,
		wrap: func(i int, ctx verbs.Context) verbs.Context {
			if i == 1 {
				return ctx
			}
			return wrap.Context(ctx, wrap.Options{OnPostSend: func(qp verbs.QP, wr *verbs.SendWR) {
				if wrap.Length(wr) == uint64(size) {
					side.posts = append(side.posts, post{qp.QPNum(), side.now.Load()})
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
	r := onlyRow(t, files[0])
	b := r.Bandwidth
	if !near(b.MsgRate, perSecond, 0.005) != c.above {
		t.Errorf("%.1f messages/s, want %.1f", b.MsgRate, perSecond)
	}
	if warned := slices.ContainsFunc(r.Warnings, func(w result.Warning) bool { return w.ID == "above-rate-limit" }); warned != c.above {
		t.Errorf("warnings %+v", r.Warnings)
	}
	apart := 1 / perSecond
	if c.duration > 0 && (b.Messages != uint64(messages) || math.Abs(b.Seconds-c.duration.Seconds()) > min(apart, 1e-4)+0.001*c.duration.Seconds()) {
		t.Errorf("%d messages in %.4f s, want %d in %v", b.Messages, b.Seconds, messages, c.duration)
	}
	posts := side.posts[len(side.posts)-messages:]
	checkBursts(t, posts, max(c.burst, c.list), perSecond)
	checkShares(t, posts, qps, max(c.list, 1))
}

// checkShares holds the numbers of posts of each QP together.
func checkShares(t *testing.T, posts []post, qps, list int) {
	t.Helper()
	count := map[uint32]int{}
	for _, p := range posts {
		count[p.qpn]++
	}
	for qpn, n := range count {
		if want := len(posts) / qps; n < want-list || n > want+list {
			t.Errorf("QP %#x: %d messages of %d, of %d QPs", qpn, n, len(posts), qps)
		}
	}
}

// checkBursts holds the times of posts to a rate: a burst may be ahead of it, and no more.
func checkBursts(t *testing.T, posts []post, burst int, perSecond float64) {
	t.Helper()
	if burst == 0 {
		burst = 32
	}
	for i, p := range posts {
		if ahead := float64(i) - float64(p.at-posts[0].at)/1e9*perSecond; ahead > float64(2*burst) {
			t.Fatalf("message %d is posted %.1f messages ahead of the rate, in bursts of %d", i, ahead, burst)
		}
	}
}
