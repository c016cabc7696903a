package harness

import (
	"testing"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

func TestPlanCheck(t *testing.T) {
	good := option.Defaults(option.Test{Op: option.OpWrite, Kind: option.KindBandwidth})
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, break_ := range map[string]func(*option.Plan){
		"no size":           func(p *option.Plan) { p.Sizes = nil },
		"size 0":            func(p *option.Plan) { p.Sizes = []int{0} },
		"negative size":     func(p *option.Plan) { p.Sizes = []int{-1} },
		"huge size":         func(p *option.Plan) { p.Sizes = []int{option.MaxSize + 1} },
		"too many sizes":    func(p *option.Plan) { p.Sizes = make([]int, 65) },
		"few iterations":    func(p *option.Plan) { p.Iterations = 4 },
		"endless":           func(p *option.Plan) { p.Duration = 1 << 62 },
		"negative duration": func(p *option.Plan) { p.Duration = -1 },
		"no QP":             func(p *option.Plan) { p.QPs = 0 },
		"tx depth":          func(p *option.Plan) { p.TxDepth = option.MaxDepth + 1 },
		"rx depth":          func(p *option.Plan) { p.RxDepth = 0 },
		"cq mod":            func(p *option.Plan) { p.CQMod = -1 },
		"inline":            func(p *option.Plan) { p.Inline = option.MaxInline + 1 },
		"offset":            func(p *option.Plan) { p.Offset = 128 },
		"mtu":               func(p *option.Plan) { p.MTU = 1500 },
		"operation":         func(p *option.Plan) { p.Op = "atomic" },
		"kind":              func(p *option.Plan) { p.Kind = "" },
		"completion":        func(p *option.Plan) { p.Completion = "magic" },
		"QPs of a READ":     func(p *option.Plan) { p.Op, p.Kind, p.QPs = option.OpRead, option.KindLatency, 2 },
	} {
		p := option.Defaults(option.Test{Op: option.OpWrite, Kind: option.KindBandwidth})
		break_(&p)
		if p.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzParsePlan(f *testing.F) {
	f.Add([]byte(`{"completion":"auto","sizes_bytes":[8],"iterations":1000,"qps":1,"tx_depth":1,"rx_depth":1}`))
	f.Add([]byte(`{"sizes_bytes":[1e30]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, _, err := option.Decode(option.Test{Op: option.OpWrite, Kind: option.KindBandwidth}, data)
		if err != nil || p.Check() != nil {
			return
		}
		p = p.Resolve()
		for _, size := range p.Sizes {
			if c := testcase.NewSet(p).Case(testcase.NewSet(p).Modes[0], size, testcase.Answers{Order: verbs.OrderNone}); c.Slots < 3 || c.Slots%2 == 0 || c.SignalEvery < 1 || c.SignalEvery > c.Depth {
				t.Errorf("%d bytes: %+v", size, c)
			}
		}
		if need := PlanFootprint(resolvedPlan(t, p)); need.Memory <= 0 || need.QPs < 1 {
			t.Errorf("%+v", need)
		}
	})
}

// Two devices need twice the QPs, threads and memory of one.
func TestFootprintOfDevices(t *testing.T) {
	p := option.Defaults(option.Test{Op: option.OpSend, Kind: option.KindBandwidth})
	p.QPs, p.Threads, p.Sizes = 3, 2, []int{1 << 20}
	one := PlanFootprint(resolvedPlan(t, p))
	p.Devices = 2
	two := PlanFootprint(resolvedPlan(t, p))
	if two.QPs != 2*one.QPs || two.Threads != 2*one.Threads || two.Memory < 2*one.Memory*9/10 {
		t.Errorf("two devices need %+v, one %+v", two, one)
	}
}
