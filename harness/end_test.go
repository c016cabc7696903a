package harness

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// The device of counted does something when so many messages are posted.
type (
	counted struct {
		verbs.Context
		*countdown
	}
	countedPD struct {
		verbs.PD
		*countdown
	}
	countedQP struct {
		verbs.QP
		*countdown
	}
	countdown struct {
		left int
		then func()
	}
)

func (c counted) AllocPD() (verbs.PD, error) {
	pd, err := c.Context.AllocPD()
	return countedPD{pd, c.countdown}, err
}

func (c countedPD) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	qp, err := c.PD.CreateQP(init)
	return countedQP{qp, c.countdown}, err
}

func (c countedQP) PostSend(list *verbs.SendWR) (*verbs.SendWR, error) {
	for wr := list; wr != nil; wr = wr.Next {
		if c.left--; c.left == 0 {
			c.then()
		}
	}
	return c.QP.PostSend(list)
}

// A run that is interrupted ends at once and keeps what it measured.
func TestInterrupt(t *testing.T) {
	eachTest(t, func(t *testing.T, op Op, kind string) {
		for _, mode := range modes() {
			p := testPlan(op, kind, 64, 0)
			p.Completion, p.Duration = mode, time.Hour
			ctx, cancel := context.WithCancel(context.Background())
			var start time.Time
			begun := func() { start = time.Now(); cancel() }
			wrap := func(side int, c verbs.Context) verbs.Context {
				if side == 0 {
					return counted{c, &countdown{3000, begun}}
				}
				return c
			}
			files, errs := pair{device: "shm_whole", plan: p, ctx: ctx, wrap: wrap}.run(t)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s: ended after %v", mode, took)
			}
			if !errors.Is(errs[0], ErrInterrupted) || !files[0].Interrupted {
				t.Errorf("%s: client: %v, marked %v", mode, errs[0], files[0].Interrupted)
			}
			var lost *oob.PeerError
			if !errors.As(errs[1], &lost) || !lost.Aborted {
				t.Errorf("%s: server: %v", mode, errs[1])
			}
			if (mode == ModePoll || kind == result.KindLatency) && len(files[0].Rows) != 1 {
				t.Errorf("%s: %d rows kept", mode, len(files[0].Rows))
			}
		}
	})
}

func TestPlanCheck(t *testing.T) {
	good := Defaults(OpWrite, result.KindBandwidth)
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, break_ := range map[string]func(*Plan){
		"no size":           func(p *Plan) { p.Sizes = nil },
		"size 0":            func(p *Plan) { p.Sizes = []int{0} },
		"negative size":     func(p *Plan) { p.Sizes = []int{-1} },
		"huge size":         func(p *Plan) { p.Sizes = []int{MaxSize + 1} },
		"too many sizes":    func(p *Plan) { p.Sizes = make([]int, 65) },
		"few iterations":    func(p *Plan) { p.Iterations = 4 },
		"endless":           func(p *Plan) { p.Duration = 1 << 62 },
		"negative duration": func(p *Plan) { p.Duration = -1 },
		"no QP":             func(p *Plan) { p.QPs = 0 },
		"tx depth":          func(p *Plan) { p.TxDepth = MaxDepth + 1 },
		"rx depth":          func(p *Plan) { p.RxDepth = 0 },
		"cq mod":            func(p *Plan) { p.CQMod = -1 },
		"inline":            func(p *Plan) { p.Inline = MaxInline + 1 },
		"offset":            func(p *Plan) { p.Offset = 128 },
		"mtu":               func(p *Plan) { p.MTU = 1500 },
		"operation":         func(p *Plan) { p.Op = "atomic" },
		"kind":              func(p *Plan) { p.Kind = "" },
		"completion":        func(p *Plan) { p.Completion = "magic" },
		"QPs of latency":    func(p *Plan) { p.Kind, p.QPs = result.KindLatency, 2 },
	} {
		p := Defaults(OpWrite, result.KindBandwidth)
		break_(&p)
		if p.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzParsePlan(f *testing.F) {
	f.Add([]byte(`{"op":"write","kind":"lat","completion":"auto","sizes":[8],"iterations":1000,"qps":1,"tx_depth":1,"rx_depth":1}`))
	f.Add([]byte(`{"sizes":[1e30]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParsePlan(data)
		if err != nil {
			return
		}
		for _, size := range p.Sizes {
			if s := resolve(&p, p.planned()[0], size, verbs.OrderNone); s.slots < minSlots || s.slots%2 == 0 || s.every < 1 || s.every > s.depth {
				t.Errorf("%d bytes: %+v", size, s)
			}
		}
		if p.Memory() <= 0 {
			t.Errorf("memory %d", p.Memory())
		}
	})
}
