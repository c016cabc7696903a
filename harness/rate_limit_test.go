package harness

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// paced records the posts of a side, on a clock that advances by a step with each reading.
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

// A sender with --rate_limit posts its bursts on time: never ahead of the limit by more than a
// burst, and at the end it has reached the limit.
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

// A timed run with --rate_limit takes its time and keeps its rate with bursts of any size, and its
// QPs have equal shares. If a message takes longer than the run, one message is sent.
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

// A sender that does not reach --rate_limit gets a warning with both rates in the unit of the option,
// in timed and counted runs and with bursts of any size. Here each post takes longer than the time
// that the limit has for a message.
func TestRateLimitThatIsMissed(t *testing.T) {
	const second = time.Second
	for _, c := range []struct {
		limited
		asked string
		unit  string
		of    float64 // of a message a second in the unit
	}{
		{limited{op: option.OpWrite, unit: option.RateMessages}, "40000", "messages/s", 1},
		{limited{op: option.OpWrite, unit: option.RateMiB, burst: 1}, "156.2", "MiB/s", 1. / 256},
		{limited{op: option.OpSend, burst: 16, list: 8, qps: 2}, "1.311", "Gb/s", 4096 * 8 / 1e9},
		{limited{op: option.OpRead, unit: option.RateMessages, burst: 100}, "40000", "messages/s", 1},
		{limited{op: option.OpWrite, perSecond: 10_000, duration: second, unit: option.RateMessages}, "10000", "messages/s", 1},
		{limited{op: option.OpWrite, perSecond: 10_000, duration: second, burst: 500}, "0.3277", "Gb/s", 4096 * 8 / 1e9},
		{limited{op: option.OpRead, perSecond: 10_000, duration: second, unit: option.RateMiB, qps: 2}, "39.06", "MiB/s", 1. / 256},
	} {
		t.Run(fmt.Sprintf("%+v", c.limited), func(t *testing.T) {
			c.slow = 1.25
			r, _ := c.measure(t)
			w, reached := warningOf(r, "below-rate-limit"), 0.0
			asked := "--rate_limit was not reached: the limit is " + c.asked + " " + c.unit + " and the rate "
			rest, found := strings.CutPrefix(w, asked)
			fmt.Sscanf(rest, "%g "+c.unit+";", &reached)
			if rate := c.of * r.Bandwidth.MsgRate; !found || !near(reached, rate, 0.001) {
				t.Errorf("%.4g %s, warnings %+v, want %q", rate, c.unit, r.Warnings, asked)
			}
		})
	}
}

// A limit that no device can reach makes a warning in all modes of a comparison and in tests of both
// directions.
func TestAbsurdRateLimitIsMissed(t *testing.T) {
	for name, change := range map[string]func(p *option.Plan){
		"compared":        func(p *option.Plan) { p.Compare, p.Rounds = true, 2 },
		"both directions": func(p *option.Plan) { p.Both = true },
		"timed":           func(p *option.Plan) { p.Iterations, p.Duration = 0, 50*time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			p := testPlan(option.OpWrite, option.KindBandwidth, 64, 2000)
			p.RateLimit, p.RateUnits = 1e12, option.RateMessages
			change(&p)
			files, errs := pair{device: "shm_whole", plan: p}.run(t)
			if errs != [2]error{} {
				t.Fatal(errs)
			}
			for side, f := range files {
				if len(f.Rows) == 0 {
					t.Error("no rows")
				}
				for i := range f.Rows {
					if w := warningOf(&f.Rows[i], "below-rate-limit"); !strings.Contains(w, "000000000000 messages/s and the rate") {
						t.Errorf("side %d, mode %s: warnings %+v", side, f.Rows[i].Mode, f.Rows[i].Warnings)
					}
				}
			}
		})
	}
}

// warningOf returns the text of a row's warning, empty if the row does not have it.
func warningOf(r *result.Row, id result.WarningID) string {
	if i := slices.IndexFunc(r.Warnings, func(w result.Warning) bool { return w.ID == id }); i >= 0 {
		return r.Warnings[i].Text
	}
	return ""
}

// The limit is reached if the rate is within 1 % of it, or if one burst is missing. Lost messages
// count as sent.
func TestRateLimitsThatAreKept(t *testing.T) {
	for _, c := range []struct {
		name     string
		rate     float64 // messages/s of the 1000 asked for
		seconds  float64
		burst    uint64
		both     bool
		delivery *result.Delivery
		missed   bool
	}{
		{name: "kept", rate: 1000, seconds: 10, burst: 1},
		{name: "within 1 %", rate: 990.1, seconds: 10, burst: 1},
		{name: "below 1 %", rate: 989.9, seconds: 10, burst: 1, missed: true},
		{name: "one burst is missing", rate: 950, seconds: 10, burst: 500},
		{name: "more than one", rate: 949, seconds: 10, burst: 500, missed: true},
		{name: "both directions", rate: 1982, seconds: 10, burst: 1, both: true},
		{name: "one direction of both", rate: 1000, seconds: 10, burst: 1, both: true, missed: true},
		{name: "some were lost", rate: 500, seconds: 10, burst: 1, delivery: &result.Delivery{Sent: 10_000, Lost: 5_000}},
		{name: "some were lost, and it was missed", rate: 400, seconds: 10, burst: 1, delivery: &result.Delivery{Sent: 8_000, Lost: 4_000}, missed: true},
	} {
		p := &option.Plan{RateLimit: 1000, RateUnits: option.RateMessages}
		test := &testcase.Case{Interval: 1e6, Burst: c.burst, Senders: testcase.Sides{Client: true}, Size: 8}
		if c.both {
			test.Senders = testcase.Sides{Client: true, Server: true}
		}
		r := &result.Row{Bandwidth: &result.Bandwidth{MsgRate: c.rate, Seconds: c.seconds, MeasuredAt: "receiver"}, Delivery: c.delivery}
		r.Warnings = rateWarnings(test, p, r)
		if got := warningOf(r, "below-rate-limit") != ""; got != c.missed || len(r.Warnings) > 1 {
			t.Errorf("%s: warnings %+v", c.name, r.Warnings)
		}
	}
}

// limited is a test with a rate limit: of 3000 messages or of a duration.
type limited struct {
	op               option.Op
	unit             option.RateUnit
	burst, list, qps int // 0: the default
	perSecond        float64
	duration         time.Duration
	above            bool    // the rate is above the limit, as the run is shorter than a message
	slow             float64 // the time of a post, as a part of the time that the limit has for a message
}

// length returns the number of messages and the limit in messages a second.
func (c *limited) length() (messages int, perSecond float64) {
	if c.duration > 0 {
		return max(1, int(c.duration.Seconds()*c.perSecond)), c.perSecond
	}
	return 3000, 40_000
}

// measure runs the test and returns its row and the posts of its messages.
func (c *limited) measure(t *testing.T) (*result.Row, []post) {
	t.Helper()
	size, qps := 4096, max(c.qps, 1)
	messages, perSecond := c.length()
	if c.op == option.OpAtomic {
		size = 8
	}
	p := testPlan(c.op, option.KindBandwidth, size, uint64(messages/qps))
	// The sender yields its CPU while it waits for its next burst: with many readings in that time
	// a loaded host takes longer than stallLimit, which is real time.
	side := &paced{step: int64(min(1e9/perSecond/8, 20_000))}
	if c.duration > 0 {
		p.Iterations, p.Duration = 0, c.duration
	}
	p.RateLimit = map[option.RateUnit]float64{
		"": perSecond * float64(size) * 8 / 1e9, option.RateMiB: perSecond * float64(size) / (1 << 20), option.RateMessages: perSecond,
	}[c.unit]
	p.RateUnits, p.Burst, p.PostList, p.QPs, p.TxDepth = c.unit, c.burst, c.list, qps, 32
	p.RxDepth = 4096 // which no sender exhausts while the receiver has no CPU
	files, errs := pair{device: "shm_whole", plan: p,
		wrap: func(i int, ctx verbs.Context) verbs.Context {
			if i == 1 {
				return ctx
			}
			return testdevice.Context(ctx, testdevice.Options{OnPostSend: func(qp verbs.QP, wr *verbs.SendWR) {
				if testdevice.Length(wr) == uint64(size) {
					side.posts = append(side.posts, post{qp.QPNum(), side.now.Add(int64(c.slow * 1e9 / perSecond))})
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
	return onlyRow(t, files[0]), side.posts
}

func (c *limited) run(t *testing.T) {
	messages, perSecond := c.length()
	r, posts := c.measure(t)
	b := r.Bandwidth
	if !near(b.MsgRate, perSecond, 0.005) != c.above {
		t.Errorf("%.1f messages/s, want %.1f", b.MsgRate, perSecond)
	}
	if warned := warningOf(r, "above-rate-limit") != ""; warned != c.above || warningOf(r, "below-rate-limit") != "" {
		t.Errorf("warnings %+v", r.Warnings)
	}
	apart := 1 / perSecond
	if c.duration > 0 && (b.Messages != uint64(messages) || math.Abs(b.Seconds-c.duration.Seconds()) > min(apart, 1e-4)+0.001*c.duration.Seconds()) {
		t.Errorf("%d messages in %.4f s, want %d in %v", b.Messages, b.Seconds, messages, c.duration)
	}
	posts = posts[len(posts)-messages:]
	checkBursts(t, posts, max(c.burst, c.list), perSecond)
	checkShares(t, posts, max(c.qps, 1), max(c.list, 1))
}

// checkShares checks that all QPs have posted the same number of messages, give or take a list.
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

// checkBursts checks that no post is ahead of the rate by more than two bursts.
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
