package harness

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// countdown does something when a side has posted so many messages of a round that counts.
type countdown struct {
	left   atomic.Int64
	counts atomic.Bool
	then   func()
}

func newCountdown(messages int64, then func()) *countdown {
	c := &countdown{then: then}
	c.left.Store(messages)
	return c
}

// of makes a pair's client the side.
func (c *countdown) of(p *pair) {
	posted := func(verbs.QP, *verbs.SendWR) {
		if c.counts.Load() && c.left.Add(-1) == 0 {
			c.then()
		}
	}
	p.wrap = func(side int, ctx verbs.Context) verbs.Context {
		if side == 0 {
			return wrap.Context(ctx, wrap.Options{OnPostSend: posted})
		}
		return ctx
	}
	p.peer = func(side int, peer oob.Peer) oob.Peer {
		if side == 1 {
			return peer
		}
		return watchedTurns{peer, c}
	}
}

// watchedTurns is the client's peer, which tells of the first round that counts.
type watchedTurns struct {
	oob.Peer
	*countdown
}

func (w watchedTurns) Turn(mine oob.Turn) (oob.Turn, error) {
	if mine.Step == oob.StepRound && !mine.Warmup {
		w.counts.Store(true)
	}
	return w.Peer.Turn(mine)
}

// A run that is interrupted ends at once and keeps what it measured.
func TestInterrupt(t *testing.T) {
	eachTest(t, func(t *testing.T, op option.Op, kind string) {
		for _, mode := range modes() {
			p := testPlan(op, kind, 64, 0)
			p.Completion, p.Duration = mode, time.Hour
			ctx, cancel := context.WithCancel(context.Background())
			var start time.Time
			begun := func() { start = time.Now(); cancel() }
			sides := pair{device: "shm_whole", plan: p, ctx: ctx}
			newCountdown(3000, begun).of(&sides)
			files, errs := sides.run(t)
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
			if (mode == option.ModePoll || kind == option.KindLatency) && len(files[0].Rows)+len(files[0].NotMeasured) != 1 {
				t.Errorf("%s: %d rows kept", mode, len(files[0].Rows))
			}
		}
	})
}

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
			if s := resolve(&p, planned(&p)[0], size, verbs.OrderNone); s.slots < minSlots || s.slots%2 == 0 || s.every < 1 || s.every > s.depth {
				t.Errorf("%d bytes: %+v", size, s)
			}
		}
		if need := NeedOf(p); need.Memory <= 0 || need.QPs < 1 {
			t.Errorf("%+v", need)
		}
	})
}
