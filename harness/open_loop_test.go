package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// queue is the client's device in front of a server that serves one message after another, on virtual time: the answer to
// message k is held back until the service of all messages before it and of itself has ended.
type queue struct {
	verbs.Context
	now     atomic.Int64
	tick    int64 // by which the time advances with each reading of the clock and each poll
	service testdevice.Delay
	recvCQ  verbs.CQ
	posted  []int64 // times of the messages
	ended   []int64 // and of the ends of their services
	taken   int     // answers that were polled
}

func (q *queue) clock() *clock.Clock {
	return clock.Func(func() int64 { return q.now.Add(q.tick) })
}

type (
	queuePD struct {
		verbs.PD
		*queue
	}
	queueQP struct {
		verbs.QP
		*queue
	}
	queueCQ struct {
		verbs.CQ
		*queue
	}
)

func (q *queue) CreateCQ(cqe int, ch verbs.CompChannel, vector int) (verbs.CQ, error) {
	cq, err := q.Context.CreateCQ(cqe, ch, vector)
	return queueCQ{cq, q}, err
}

func (q *queue) AllocPD() (verbs.PD, error) {
	pd, err := q.Context.AllocPD()
	return queuePD{pd, q}, err
}

func (p queuePD) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	plain := *init
	p.recvCQ = init.RecvCQ.(queueCQ).CQ
	plain.SendCQ, plain.RecvCQ = init.SendCQ.(queueCQ).CQ, p.recvCQ
	qp, err := p.PD.CreateQP(&plain)
	init.Cap, init.MaxScatterToCQE = plain.Cap, plain.MaxScatterToCQE
	return queueQP{qp, p.queue}, err
}

const queueSize = 24 // of messages; nothing else that is posted has it

func (p queueQP) PostSend(wr *verbs.SendWR) (*verbs.SendWR, error) {
	if testdevice.Length(wr) == queueSize {
		now, begin := p.now.Load(), int64(0)
		if n := len(p.ended); n > 0 {
			begin = p.ended[n-1]
		}
		p.ended = append(p.ended, max(begin, now)+int64(p.service(uint64(len(p.posted)))))
		p.posted = append(p.posted, now)
	}
	return p.QP.PostSend(wr)
}

func (c queueCQ) Poll(wcs []verbs.WC) (int, error) { return c.PollSpin(wcs, 1) }

func (c queueCQ) PollSpin(wcs []verbs.WC, spins int) (int, error) {
	if c.CQ != c.recvCQ || c.taken == len(c.posted) {
		return c.CQ.PollSpin(wcs, spins)
	}
	if c.now.Add(c.tick) < c.ended[c.taken] { // also where the loop does not read the clock
		return 0, nil
	}
	for { // in real time the answer may arrive later
		n, err := c.CQ.Poll(wcs[:1])
		if n > 0 || err != nil {
			c.taken += n
			return n, err
		}
		runtime.Gosched()
	}
}

// onQueue runs a latency test with a rate on a queue, and returns the row and the queue.
func onQueue(t *testing.T, interval time.Duration, arrivals option.Arrivals, n uint64, window int, q *queue) *result.Row {
	t.Helper()
	p := testPlan(option.OpSend, option.KindLatency, queueSize, n)
	p.Completion, p.TxDepth, p.Arrivals = option.ModePoll, window, arrivals
	p.RateLimit, p.RateUnits = 1e9/float64(interval), option.RateMessages
	files, errs := pair{
		device: "shm_whole", plan: p,
		wrap: func(side int, c verbs.Context) verbs.Context {
			if side == 0 {
				q.Context = c
				return q
			}
			return c
		},
		clock: func(side int) *clock.Clock {
			if side == 0 {
				return q.clock()
			}
			return clock.New()
		},
	}.run(t)
	if err := cmp.Or(errs[0], errs[1]); err != nil {
		t.Fatal(err)
	}
	return onlyRow(t, files[0])
}

// waitLonger lets a message take longer than StallLimit: a wait of a millisecond of virtual time is many passes of the loop,
// between which it yields the CPU.
func waitLonger(t *testing.T) {
	limit := loop.StallLimit
	loop.StallLimit = 10 * time.Minute
	t.Cleanup(func() { loop.StallLimit = limit })
}

// lindley returns the response times of messages that are due at equal distances from first, by Lindley's recursion: the wait
// of a message is the wait and the service of the one before it, less the distance, and at least 0.
func lindley(interval float64, services []float64) (responses []float64) {
	wait := 0.0
	for i, s := range services {
		if i > 0 {
			wait = max(0, wait+services[i-1]-interval)
		}
		responses = append(responses, wait+s)
	}
	return responses
}

// queues are service times of which a server is busy for less than the whole time if a message is due every microsecond.
func queues() (n uint64, services map[string]testdevice.Delay) {
	services = map[string]testdevice.Delay{"constant": testdevice.Constant(800), "uniform": testdevice.Uniform(3, 100, 1500)}
	if wholeMatrix {
		services["1000 stalls of 1 ms"] = testdevice.Stall(3000, 500, time.Millisecond)
		services["a stall of 100 ms"] = testdevice.Stall(2_500_000, 500, 100*time.Millisecond)
		return 3_000_000, services
	}
	services["stalls"] = testdevice.Stall(50, 500, 15*time.Microsecond)
	services["a long stall"] = testdevice.Stall(3000, 500, 300*time.Microsecond)
	return 4000, services
}

// The response times of messages that are due at equal distances are those of Lindley's recursion over the service times, also
// if the window is full and they are posted late. The service times are shorter, because they begin with the post. The sample has fewer messages and shorter stalls.
func TestOpenLoopIsLindleys(t *testing.T) {
	const interval = 1000
	n, services := queues()
	waitLonger(t)
	for name, service := range services {
		t.Run(name, func(t *testing.T) {
			q := &queue{tick: 10, service: service}
			r := onQueue(t, interval, option.ArrivalsConstant, n, 64, q)
			var took []float64
			for k := len(q.posted) - int(n); k < len(q.posted); k++ {
				took = append(took, float64(service(uint64(k))))
			}
			want := lindley(interval, took)
			slices.Sort(want)
			l := r.Latency
			for p, got := range map[float64]float64{50: l.P50Ns, 90: l.P90Ns, 99: l.P99Ns, 99.9: l.P999Ns, 100: l.MaxNs} {
				exact := want[max(0, int(math.Round(p/100*float64(n)))-1)]
				if math.Abs(got-exact) > 0.01*exact+3*float64(q.tick) {
					t.Errorf("p%v is %v, want %v", p, got, exact)
				}
			}
			if m := mean(want); !near(l.MeanNs, m, 0.01+3*float64(q.tick)/m) {
				t.Errorf("the mean is %v, want %v", l.MeanNs, m)
			}
			if r.Load.Growing || r.Load.Offered != 1e9/interval || !near(l.Rate, r.Load.Offered, 0.1) {
				t.Errorf("load %+v, %v answers/s", r.Load, l.Rate)
			}
			if s := r.Load.Service; s.N != n || s.MaxNs > l.MaxNs || s.MeanNs > l.MeanNs {
				t.Errorf("service times %+v are longer than response times %+v", s, l)
			}
		})
	}
}

// A rate that is 11 % more than the server's is too high, also if the round ends before the window is full. 90 % of the server's is not.
func TestQueueThatGrowsWithinTheWindow(t *testing.T) {
	waitLonger(t)
	for _, c := range []struct {
		interval time.Duration
		n        uint64
		window   int
		grows    bool
	}{
		{900, 400, 64, true}, {900, 1000, 128, true}, {900, 1000, 1000, true}, {900, 4000, 16, true}, {500, 100, 64, true},
		{1111, 400, 64, false}, {1111, 4000, 16, false}, {1111, 4000, 1000, false},
	} {
		q := &queue{tick: 10, service: testdevice.Constant(1000)}
		if r := onQueue(t, c.interval, option.ArrivalsConstant, c.n, c.window, q); r.Load.Growing != c.grows || r.Latency.MeanOnly != c.grows {
			t.Errorf("%+v: load %+v, %+v", c, r.Load, r.Latency)
		}
	}
}

// A run that is interrupted is judged by the time that it took.
func TestInterruptedOpenLoop(t *testing.T) {
	for _, set := range []func(p *option.Plan){func(p *option.Plan) { p.Duration = time.Hour }, func(p *option.Plan) { p.Iterations = 1 << 30 }} {
		for rate, grows := range map[float64]bool{2000: false, 1e9: true} {
			p := withRate(option.OpSend, option.ModePoll, rate, 0)
			set(&p)
			ctx, cancel := context.WithCancel(t.Context())
			sides := pair{device: "shm_whole", plan: p, ctx: ctx}
			newCountdown(1000, cancel).countPosts(&sides)
			files, errs := sides.run(t)
			if !errors.Is(errs[0], ErrInterrupted) {
				t.Fatal(errs)
			}
			if r := onlyRow(t, files[0]); r.Load == nil || r.Load.Growing != grows || r.Latency.MeanOnly != grows {
				t.Errorf("%v messages/s: load %+v, %+v", rate, r.Load, r.Latency)
			}
		}
	}
}

// exponential returns exponentially distributed delays.
func exponential(seed uint64, mean float64) testdevice.Delay {
	return func(n uint64) time.Duration {
		return time.Duration(rand.New(rand.NewPCG(seed, n)).ExpFloat64() * mean)
	}
}

// The mean wait of messages that are due at exponentially distributed distances is that of the queues M/M/1 and M/D/1. The
// sample is M/M/1 at half the load.
func TestOpenLoopMeetsQueueingTheory(t *testing.T) {
	if raceDetector {
		t.Skip("too slow with the race detector")
	}
	waitLonger(t)
	const service = 1000
	messages := map[float64]uint64{0.5: 100_000, 0.8: 400_000} // waits of a busy server vary more
	for name, c := range map[string]struct {
		service testdevice.Delay
		factor  float64 // of the wait of M/M/1
	}{"M/M/1": {exponential(1, service), 1}, "M/D/1": {testdevice.Constant(service), 0.5}} {
		for load, n := range messages {
			if !wholeMatrix {
				if name != "M/M/1" || load != 0.5 {
					continue
				}
				n /= 4
			}
			t.Run(fmt.Sprint(name, " at ", load), func(t *testing.T) {
				q := &queue{tick: 1, service: c.service}
				r := onQueue(t, time.Duration(service/load), option.ArrivalsPoisson, n, 1000, q)
				wait, want := r.Latency.MeanNs-service, c.factor*service*load/(1-load)
				t.Logf("wait %.1f ns, %.1f in theory", wait, want)
				if !near(wait, want, 0.02) {
					t.Errorf("the mean wait is %v, want %v", wait, want)
				}
			})
		}
	}
}

// withRate returns the plan of a latency test with a rate of messages a second.
func withRate(op option.Op, mode option.Mode, perSecond float64, n uint64) option.Plan {
	p := testPlan(op, option.KindLatency, sizeOf(op), n)
	p.Completion, p.RateLimit, p.RateUnits = mode, perSecond, option.RateMessages
	return p
}

// Each operation is measured at a rate in each mode, on one QP and, where messages are answered, on several.
func TestOpenLoopInEveryMode(t *testing.T) {
	const n = 300
	for _, op := range everyOp {
		for _, mode := range modesOf(op) {
			if op.Fetches() && sleepsIn(mode) { // see TestFetchesNeverSleepAtARate
				continue
			}
			for _, qps := range []int{1, 3} {
				if qps > 1 && op.Fetches() {
					continue
				}
				t.Run(fmt.Sprintf("%s_%s_%d_QPs", op, mode, qps), func(t *testing.T) {
					p := withRate(op, mode, 5000, n)
					p.QPs, p.Verify = qps, true
					files, errs := pair{device: "shm_whole", plan: p}.run(t)
					if err := cmp.Or(errs[0], errs[1]); err != nil {
						t.Fatal(err)
					}
					r := onlyRow(t, files[0])
					if r.Latency.N != n || r.Load == nil || r.Load.Window != 128 || r.Verify.Bad() > 0 {
						t.Fatalf("%+v, load %+v, %+v", r.Latency, r.Load, r.Verify)
					}
					if s := r.Load.Service; !r.Load.Growing && (s.N != n || s.MeanNs > r.Latency.MeanNs || s.Rate != r.Latency.Rate) {
						t.Errorf("service times %+v, response times %+v", s, r.Latency)
					}
					if peer := onlyRow(t, files[1]); peer.Load == nil || peer.Load.Offered != r.Load.Offered {
						t.Errorf("the server's row has load %+v", peer.Load)
					}
				})
			}
		}
	}
}

func sleepsIn(m option.Mode) bool { return m == option.ModeAdaptive || m == option.ModeEvent }

// The client of READs and atomic operations keeps the rate and waits for completions, so a comparison has no rows of modes that
// sleep, and says why.
func TestFetchesNeverSleepAtARate(t *testing.T) {
	for _, op := range []option.Op{option.OpRead, option.OpAtomic} {
		p := withRate(op, option.ModeDefault, 5000, 0)
		p.Compare, p.Duration = true, 20*time.Millisecond
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if err := cmp.Or(errs[0], errs[1]); err != nil {
			t.Fatal(err)
		}
		left := map[string]string{}
		for _, m := range files[0].NotMeasured {
			left[m.Mode] = m.Why
		}
		if len(left) != 2 || left["event"] != keepsTheRate || left["adaptive"] != keepsTheRate {
			t.Errorf("%s: not measured: %v", op, left)
		}
		if slices.ContainsFunc(files[0].Rows, func(r result.Row) bool { return sleepsIn(r.Mode) }) {
			t.Errorf("%s: a row of a mode that sleeps", op)
		}
	}
}

// A rate that cannot be reached has no percentiles, in counted and in timed runs, and the row says so.
func TestOpenLoopThatIsTooFast(t *testing.T) {
	for name, set := range lengths {
		t.Run(name, func(t *testing.T) {
			p := withRate(option.OpSend, option.ModePoll, 1e9, 0)
			set(&p)
			if p.Iterations > 0 {
				p.Iterations = 50_000
			}
			files, errs := pair{device: "shm_whole", plan: p}.run(t)
			if err := cmp.Or(errs[0], errs[1]); err != nil {
				t.Fatal(err)
			}
			r := onlyRow(t, files[0])
			if l := r.Load; !l.Growing || l.Backlog == 0 || l.Service != nil || !r.Latency.MeanOnly || r.NoRatio == "" {
				t.Errorf("load %+v, %+v", l, r.Latency)
			}
			for _, round := range r.Rounds {
				if round.P50Ns != 0 || round.P90Ns != 0 || round.P99Ns != 0 || round.Messages == 0 {
					t.Errorf("a round has %+v", round)
				}
			}
			if !slices.ContainsFunc(r.Warnings, func(w result.Warning) bool { return w.ID == result.WarnBacklog }) {
				t.Errorf("warnings %v", r.Warnings)
			}
			both := merged(t, files[0], slowerFile(files[0]))
			if n := countOf(both.Rows[0].Warnings, result.WarnBacklog); n != 1 {
				t.Errorf("two runs together have %d warnings about their rate: %v", n, both.Rows[0].Warnings)
			}
		})
	}
}

// slowerFile returns a file whose rows answered half as many messages per second in all rounds.
func slowerFile(f *result.File) *result.File {
	slower := *f
	slower.Rows = slices.Clone(f.Rows)
	for i := range slower.Rows {
		r := &slower.Rows[i]
		r.Warnings, r.Rounds = slices.Clone(r.Warnings), slices.Clone(r.Rounds)
		for j := range r.Rounds {
			r.Rounds[j].Seconds *= 2
		}
		for j := range r.Warnings {
			r.Warnings[j].Text += ", slower"
		}
	}
	return &slower
}

func countOf(all []result.Warning, id result.WarningID) (n int) {
	for _, w := range all {
		if w.ID == id {
			n++
		}
	}
	return n
}

// The peer's messages of a round are awaited for as long as the messages of a low rate take.
func TestRoundsOfALowRateAreAwaited(t *testing.T) {
	for _, op := range everyOp {
		for _, kind := range allKinds {
			p := testPlan(op, kind, sizeOf(op), 100)
			p.RateLimit, p.RateUnits = 1, option.RateMessages
			p = p.Resolve()
			if d := longestRound(&p); d < 100*time.Second {
				t.Errorf("%s %s: %v for 100 messages at one a second", op, kind, d)
			}
		}
	}
}
