package harness

import (
	"fmt"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// besideCase is a run beside perftest.
type besideCase struct {
	plan option.Plan
	ours Role
}

func (c besideCase) String() string {
	p := &c.plan
	name := fmt.Sprintf("%s/%s/%s/%d-bytes/-q%d", p.Program(), c.ours, p.Transport, p.Sizes[0], p.QPs)
	if p.Both {
		name += "/-b"
	}
	if len(p.Sizes) > 1 {
		name += "/-a"
	}
	if p.Duration > 0 {
		name += "/-D"
	}
	return name
}

// sends reports whether this side sends messages, READs or atomic operations.
func (c besideCase) sends() bool {
	return c.ours == Client || c.plan.Both || c.plan.Kind == option.KindLatency && !c.plan.Fetches()
}

// besideCases returns every program, in both roles, and what changes the number, place or kind of messages.
func besideCases() (all []besideCase) {
	for _, op := range everyOp {
		for _, kind := range allKinds {
			for _, change := range []func(p *option.Plan){
				func(*option.Plan) {},
				func(p *option.Plan) { p.Iterations = 301 }, // the last byte of a message has 256 values
				func(p *option.Plan) { p.QPs = 2 },
				func(p *option.Plan) { p.Both = true },
				func(p *option.Plan) { p.Sizes = []int{2, 64, 129, 2048, 8192} },
				func(p *option.Plan) { p.Transport = option.UC },
				func(p *option.Plan) { p.Transport = option.UD },
				func(p *option.Plan) { p.Iterations, p.Duration = 0, 100*time.Millisecond },
				func(p *option.Plan) { p.Completion = option.ModeEvent },
				func(p *option.Plan) { p.NoPeak = true },
				func(p *option.Plan) { p.TxDepth, p.CQMod, p.PostList, p.RxDepth = 16, 4, 8, 100 },
			} {
				p := testPlan(op, kind, sizeOf(op), 600)
				if kind == option.KindLatency {
					p.Iterations = 50
				}
				change(&p)
				s := option.New(p.Test)
				s.Plan = p
				s.Perftest = &option.Perftest{Cycle: perftestCycle}
				lat := kind == option.KindLatency
				p.ForceData = lat && op == option.OpWrite && !promised
				s.ForceData = p.ForceData
				impossible := lat && (p.QPs > 1 || p.Both || p.TxDepth == 16) || op == option.OpAtomic && len(p.Sizes) > 1 ||
					p.Completion == option.ModeEvent && lat && op == option.OpWrite ||
					p.Transport != option.RC && p.Duration > 0
				if s.Check() != nil || impossible {
					continue
				}
				all = append(all, besideCase{p, Client}, besideCase{p, Server})
			}
		}
	}
	return all
}

// TestBesidePerftest: beside a peer that counts as perftest does, each program sends and takes exactly the messages of
// its plan, to one address, in the order that perftest expects, and has the figures that perftest leaves to it.
func TestBesidePerftest(t *testing.T) {
	for _, c := range besideCases() {
		t.Run(c.String(), func(t *testing.T) {
			if c.plan.Op == option.OpWrite && c.plan.Kind == option.KindLatency && !promised {
				t.Skip("mode data is not promised")
			}
			f, posted := besidePerftest(t, c.plan, c.ours)
			c.checkPosted(t, posted)
			c.checkRows(t, f)
		})
	}
}

func (c besideCase) checkPosted(t *testing.T, posted map[uint32]uint64) {
	t.Helper()
	want := 0
	if c.sends() {
		want = c.plan.QPs
	}
	if len(posted) != want {
		t.Errorf("posted on %d QPs: %v", len(posted), posted)
	}
	for qp, n := range posted {
		if all := c.plan.Iterations * uint64(len(c.plan.Sizes)); n != all && c.plan.Duration == 0 {
			t.Errorf("QP %#x: %d messages instead of %d", qp, n, all)
		}
	}
}

func (c besideCase) checkRows(t *testing.T, f *result.File) {
	t.Helper()
	p := &c.plan
	switch {
	case p.Kind == option.KindLatency && p.Fetches() && c.ours == Server:
		if len(f.Rows) != 0 || len(f.NotMeasured) != 1 {
			t.Errorf("rows %+v, not measured %+v", f.Rows, f.NotMeasured)
		}
		return
	case p.Kind == option.KindBandwidth && c.ours == Server && p.Op != option.OpSend && !p.Both:
		p.Sizes = p.Sizes[len(p.Sizes)-1:]
	}
	if len(f.Rows) != len(p.Sizes) {
		t.Fatalf("%d rows of %d sizes: %+v", len(f.Rows), len(p.Sizes), f.NotMeasured)
	}
	for i := range f.Rows {
		c.checkRow(t, &f.Rows[i])
	}
}

// checkRow checks that a row has as many messages as perftest counts. The first message of a stream starts the clock
// of its receiver, and a ping-pong has a sample of each two successive messages.
func (c besideCase) checkRow(t *testing.T, r *result.Row) {
	t.Helper()
	p := &c.plan
	n, want := uint64(0), p.Iterations*uint64(p.QPs)
	switch {
	case r.Latency != nil:
		n = r.Latency.N
		if !p.Fetches() || p.NoPeak {
			want--
		}
	case r.Bandwidth != nil:
		n = r.Bandwidth.Messages
	}
	if p.Both {
		want *= 2
	}
	if r.Bandwidth != nil && r.Bandwidth.MeasuredAt == "receiver" {
		want--
	}
	if n != want && p.Duration == 0 || n == 0 {
		t.Errorf("%d bytes: %d messages instead of %d", r.Size, n, want)
	}
	if r.WarmupS != 0 {
		t.Errorf("%d bytes: a warm-up of %v s", r.Size, r.WarmupS)
	}
}
