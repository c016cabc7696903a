package harness

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

// pair runs both sides of a plan as two goroutines, each with a device of its own, and returns the
// result files and errors of client and server.
type pair struct {
	device string // or several, "a,b", as many as the plan has
	plan   option.Plan
	wrap   func(side int, c verbs.Context) verbs.Context // wraps the device of a side
	peer   func(side int, p oob.Peer) oob.Peer           // wraps the peer of a side
	clock  func(side int) *clock.Clock                   // makes the clocks of a side
	ctx    context.Context                               // the client's
	row    func(result.Row)                              // called for each row of the client
	begin  func()                                        // called when the client begins to measure
	config func(side int, c *Config)                     // changes the Config of a side
	conns  [2]*oob.Conn                                  // nil: within the process

	wholeWarmUp bool // warm-ups take their 5 ms of real time: for tests of what is measured in real time
}

// resolvedPlan returns a plan checked with default options of the side.
func resolvedPlan(t testing.TB, p option.Plan) option.ResolvedPlan {
	t.Helper()
	s := option.New(p.Test)
	s.Plan = p
	r, err := s.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (p pair) run(t testing.TB) (files [2]*result.File, errs [2]error) {
	t.Helper()
	conns := p.conns
	if conns[0] == nil {
		conns[0], conns[1] = oob.Pipe()
	}
	done := make(chan struct{}, 2)
	for i, x := range conns {
		files[i] = &result.File{}
		c := Config{Plan: resolvedPlan(t, p.plan), Role: Client, GIDIndex: -1, Peer: oob.NewPeer(x), File: files[i],
			Begin: func(Beginning) {}, Row: func(result.Row) {}}
		ctx := context.Background()
		if i == 1 {
			c.Role = Server
		} else {
			if p.ctx != nil {
				ctx = p.ctx
			}
			if p.row != nil {
				c.Row = p.row
			}
			if p.begin != nil {
				c.Begin = func(Beginning) { p.begin() }
			}
		}
		var opened []verbs.Context
		for name := range strings.SplitSeq(p.device, ",") {
			opened = append(opened, openDevice(t, name))
			c.Devices = append(c.Devices, DevicePort{Context: opened[len(opened)-1], Port: 1})
		}
		if p.config != nil {
			p.config(i, &c)
		}
		if !p.wholeWarmUp && p.clock == nil {
			w := &shortWarmUps{Peer: c.Peer}
			c.Peer, c.Clock = w, w.clock
		}
		if p.peer != nil {
			c.Peer = p.peer(i, c.Peer)
		}
		if p.clock != nil {
			c.Clock = func() *clock.Clock { return p.clock(i) }
		}
		if p.wrap != nil {
			for d := range c.Devices {
				c.Devices[d].Context = p.wrap(i, opened[d])
			}
		}
		go func() {
			defer func() { done <- struct{}{} }()
			for _, d := range opened {
				defer d.Close()
			}
			if errs[i] = Run(ctx, c); errs[i] != nil {
				x.Abort("", errs[i].Error())
				return
			}
			x.Close()
		}()
	}
	<-done
	<-done
	return files, errs
}

// shortWarmUps is the peer of a side whose warm-ups take a tenth of their time: until they end
// its clock is fast. All other rounds have the machine's clock.
type shortWarmUps struct {
	oob.Peer
	warming bool
}

func (w *shortWarmUps) Step(mine oob.Step) (oob.Step, error) {
	theirs, err := w.Peer.Step(mine)
	w.warming = cmp.Or(mine, theirs).Warmup
	return theirs, err
}

func (w *shortWarmUps) clock() *clock.Clock {
	c := clock.New()
	if !w.warming {
		return c
	}
	begin := c.Now()
	return clock.Func(func() int64 { return begin + 10*(c.Now()-begin) })
}

func openDevice(t testing.TB, name string) verbs.Context {
	t.Helper()
	d, err := verbs.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Open()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// testPlan returns the defaults of a test with one size and a number of iterations.
func testPlan(op option.Op, kind option.Kind, size int, iterations uint64) option.Plan {
	p := option.Defaults(option.Test{Op: op, Kind: kind})
	p.Sizes, p.Iterations, p.Runs = []int{size}, iterations, 1
	return p
}

// promised reports whether the embedded devices promise data order: on x86-64 only.
const promised = runtime.GOARCH == "amd64"

// wholeMatrix is set by make trials. Without it, tests with a large matrix run a sample of it,
// which the comment of the test describes.
var wholeMatrix bool

// modes returns those in which shm_whole runs without force.
func modes() []option.Mode {
	if promised {
		return []option.Mode{option.ModeData, option.ModePoll, option.ModeAdaptive, option.ModeEvent}
	}
	return []option.Mode{option.ModePoll, option.ModeAdaptive, option.ModeEvent}
}

// comparedRows returns the names of the rows of a comparison of those modes.
func comparedRows() (names []string) {
	for _, m := range modes() {
		names = append(names, string(m))
	}
	return append(names, "poll (control)")
}

var (
	allKinds = []option.Kind{option.KindLatency, option.KindBandwidth}
	allOps   = []option.Op{option.OpWrite, option.OpSend, option.OpRead} // that have mode data
	everyOp  = append([]option.Op{option.OpAtomic}, allOps...)
)

// sizeOf returns a message size of an operation that no other request (credit, empty message) has.
func sizeOf(op option.Op) int {
	if op == option.OpAtomic {
		return option.AtomicBytes
	}
	return 24
}

// modesOf returns the modes in which an operation runs on shm_whole without force.
func modesOf(op option.Op) []option.Mode {
	if op == option.OpAtomic {
		return []option.Mode{option.ModePoll, option.ModeAdaptive, option.ModeEvent}
	}
	return modes()
}

// eachTest runs f for every operation and kind.
func eachTest(t *testing.T, f func(t *testing.T, op option.Op, kind option.Kind)) {
	for _, op := range allOps {
		for _, kind := range allKinds {
			t.Run(fmt.Sprintf("%s_%s", op, kind), func(t *testing.T) { f(t, op, kind) })
		}
	}
}

// onlyRow returns the row of a run with one row.
func onlyRow(t *testing.T, f *result.File) *result.Row {
	t.Helper()
	if len(f.Rows) != 1 || len(f.NotMeasured) != 0 {
		t.Fatalf("%d rows, not measured: %+v", len(f.Rows), f.NotMeasured)
	}
	return &f.Rows[0]
}

// near reports whether got differs from want by part of want at most.
func near(got, want, part float64) bool {
	return got >= want*(1-part) && got <= want*(1+part)
}

// eventually repeats a timing test for up to 30 s, as other work on the host can disturb it.
func eventually(t *testing.T, try func() error) {
	t.Helper()
	err := try()
	for end := time.Now().Add(30 * time.Second); err != nil && time.Now().Before(end); {
		err = try()
	}
	if err != nil {
		t.Error(err)
	}
}
