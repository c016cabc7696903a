package harness

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

// pair runs both sides of a plan as two goroutines, each with a device of its
// own, and returns what the client and the server made of it.
type pair struct {
	device string
	plan   option.Plan
	wrap   func(side int, c verbs.Context) verbs.Context // makes another device of a side's
	peer   func(side int, p oob.Peer) oob.Peer           // makes another peer of a side's
	clock  func(side int) *clock.Clock                   // makes a side's clocks
	ctx    context.Context                               // the client's
	row    func(result.Row)                              // called for each row of the client's
	begin  func()                                        // called when the client begins to measure
	config func(side int, c *Config)                     // changes what is a side's own
	conns  [2]*oob.Conn                                  // nil: within the process
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
		c := Config{Plan: p.plan, Role: Client, Port: 1, GIDIndex: -1, Peer: oob.NewPeer(x), File: files[i],
			Begin: func() {}, Row: func(result.Row) {}}
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
				c.Begin = p.begin
			}
		}
		c.Context = openDevice(t, p.device)
		if p.config != nil {
			p.config(i, &c)
		}
		if p.peer != nil {
			c.Peer = p.peer(i, c.Peer)
		}
		if p.clock != nil {
			c.Clock = func() *clock.Clock { return p.clock(i) }
		}
		opened := c.Context
		if p.wrap != nil {
			c.Context = p.wrap(i, opened)
		}
		go func() {
			defer func() { done <- struct{}{} }()
			defer opened.Close()
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

// plan returns the defaults of a test with one size and few iterations.
func testPlan(op option.Op, kind string, size int, iterations uint64) option.Plan {
	p := option.Defaults(option.Test{Op: op, Kind: kind})
	p.Sizes, p.Iterations = []int{size}, iterations
	return p
}

// promised tells whether the embedded devices promise an order: on x86-64 alone.
const promised = runtime.GOARCH == "amd64"

// modes returns those in which shm_whole runs without force.
func modes() []option.Mode {
	if promised {
		return []option.Mode{option.ModeData, option.ModePoll, option.ModeEvent}
	}
	return []option.Mode{option.ModePoll, option.ModeEvent}
}

var (
	allKinds = []string{option.KindLatency, option.KindBandwidth}
	allOps   = []option.Op{option.OpWrite, option.OpSend, option.OpRead} // that have mode data
	everyOp  = append([]option.Op{option.OpAtomic}, allOps...)
)

// sizeOf is a size that messages of an operation may have, and requests without one have not.
func sizeOf(op option.Op) int {
	if op == option.OpAtomic {
		return option.AtomicBytes
	}
	return 24
}

// modesOf returns the modes in which an operation runs on shm_whole without force.
func modesOf(op option.Op) []option.Mode {
	if op == option.OpAtomic {
		return []option.Mode{option.ModePoll, option.ModeEvent}
	}
	return modes()
}

// eachTest runs f for every operation and kind.
func eachTest(t *testing.T, f func(t *testing.T, op option.Op, kind string)) {
	for _, op := range allOps {
		for _, kind := range allKinds {
			t.Run(fmt.Sprintf("%s_%s", op, kind), func(t *testing.T) { f(t, op, kind) })
		}
	}
}

func TestEveryTestComparesAllModes(t *testing.T) {
	eachTest(t, func(t *testing.T, op option.Op, kind string) {
		for _, verify := range []bool{false, true} {
			p := testPlan(op, kind, 0, 200)
			p.Sizes, p.Compare, p.Verify = []int{8, 4096}, true, verify
			if verify {
				p.Sizes = []int{1, 129, 65536}
			}
			files, errs := pair{device: "shm_whole", plan: p}.run(t)
			if errs[0] != nil || errs[1] != nil {
				t.Fatalf("verify %v: client: %v; server: %v", verify, errs[0], errs[1])
			}
			for side, f := range files {
				checkRows(t, side, f, &p)
			}
		}
	})
}

func checkRows(t *testing.T, side int, f *result.File, p *option.Plan) {
	t.Helper()
	type name struct {
		size int
		mode string
	}
	seen := map[name]int{}
	for _, m := range f.NotMeasured {
		if m.Mode != string(option.ModeEvent) {
			t.Errorf("side %d: not measured: %+v", side, m)
		}
		seen[name{m.Size, m.Mode}]++
	}
	for i, r := range f.Rows {
		seen[name{r.Size, r.Mode}]++
		if r.Forced || len(r.Rounds) != p.Resolve().Rounds {
			t.Errorf("side %d row %d: mode %s forced %v, %d rounds", side, i, r.Mode, r.Forced, len(r.Rounds))
		}
		switch p.Kind {
		case option.KindLatency:
			if l := r.Latency; l == nil || l.N != p.Iterations || l.MinNs <= 0 || l.MinNs > l.P50Ns || l.P9999Ns > l.MaxNs {
				t.Errorf("side %d row %d: latency %+v", side, i, l)
			}
		case option.KindBandwidth:
			if b := r.Bandwidth; b == nil || b.Messages == 0 || b.Messages > p.Iterations || b.Average <= 0 || b.Peak < b.Slowest {
				t.Errorf("side %d row %d: bandwidth %+v", side, i, b)
			}
		}
		if p.Verify && (r.Verify == nil || r.Verify.Messages < p.Iterations || r.Verify.Bad() != 0) {
			t.Errorf("side %d row %d: verify %+v", side, i, r.Verify)
		}
	}
	for _, size := range p.Sizes {
		for _, mode := range modes() {
			if n := seen[name{size, string(mode)}]; n != 1 {
				t.Errorf("side %d has %d rows of %d bytes in mode %s", side, n, size, mode)
			}
		}
	}
}

func TestTimedRunsWithSeveralQPs(t *testing.T) {
	eachTest(t, func(t *testing.T, op option.Op, kind string) {
		p := testPlan(op, kind, 256, 0)
		p.Duration, p.Compare = 20e6, true
		if kind == option.KindBandwidth || op != option.OpRead {
			p.QPs, p.TxDepth = 3, 16
		}
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if errs[0] != nil || errs[1] != nil || len(files[0].Rows)+len(files[0].NotMeasured) != len(modes()) {
			t.Fatalf("client: %v; server: %v; %d rows; not measured: %+v", errs[0], errs[1], len(files[0].Rows), files[0].NotMeasured)
		}
	})
}

func TestBlockOrderAtAnyOffset(t *testing.T) {
	if !promised {
		t.Skip("no order is promised on " + runtime.GOARCH)
	}
	for _, offset := range []int{1, 8, 63, 127} {
		eachTest(t, func(t *testing.T, op option.Op, kind string) {
			p := testPlan(op, kind, 0, 100)
			p.Sizes, p.Completion, p.Verify, p.Offset = []int{1, 8, 128, 129, 1000}, option.ModeData, true, offset
			files, errs := pair{device: "shm_block128", plan: p}.run(t)
			if errs[0] != nil || errs[1] != nil {
				t.Fatalf("offset %d: client: %v; server: %v", offset, errs[0], errs[1])
			}
			if got := files[0].Local.Order.Answer; got != result.OrderBlocks {
				t.Fatalf("answer %q", got)
			}
		})
	}
}

// Nearly every message is torn, but threads that share a CPU never look at one in
// the making: then a longer run has to find it.
func TestWrongOrderIsSeen(t *testing.T) {
	for _, device := range []string{"shm_unordered", "shm_liar"} {
		eachTest(t, func(t *testing.T, op option.Op, kind string) {
			p := testPlan(op, kind, 4096, 1000)
			p.Completion, p.Verify, p.ForceData = option.ModeData, true, device == "shm_unordered" || !promised
			files, errs := pair{device: device, plan: p}.run(t)
			for errs == [2]error{} && p.Iterations < 100_000 {
				p.Iterations *= 5
				files, errs = pair{device: device, plan: p}.run(t)
			}
			var wrong *DataError
			for side, err := range errs {
				if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "torn") {
					t.Fatalf("%s side %d: %v", device, side, err)
				}
			}
			if r := files[0].Rows[0]; r.Forced != p.ForceData {
				t.Errorf("forced is %v", r.Forced)
			}
		})
	}
}

func TestDataModeIsRefusedWithoutAPromise(t *testing.T) {
	devices := []string{"shm_unordered"}
	if !promised {
		devices = append(devices, "shm_whole", "shm_block128", "shm_liar")
	}
	eachTest(t, func(t *testing.T, op option.Op, kind string) {
		for _, device := range devices {
			p := testPlan(op, kind, 8, 100)
			p.Completion = option.ModeData
			_, errs := pair{device: device, plan: p}.run(t)
			for side, err := range errs {
				var refused *RefusedError
				if !errors.As(err, &refused) || refused.Answer != result.OrderNone || !strings.Contains(err.Error(), "--completion poll") {
					t.Errorf("%s side %d: %v", device, side, err)
				}
			}
			p.Completion = option.ModeAuto
			files, errs := pair{device: device, plan: p}.run(t)
			if errs[0] != nil || files[0].Rows[0].Mode != string(option.ModePoll) {
				t.Errorf("%s auto: %v", device, errs[0])
			}
		}
	})
}
