package harness

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// Limits of a plan.
const (
	MaxSize       = 1 << 30
	MaxDepth      = 15000
	MaxQPs        = 16384
	MaxCQMod      = 1024
	MaxInline     = 1024
	MinIterations = 5
	MaxIterations = 1 << 32
	MaxRounds     = 10000
	MaxRuns       = 1000
	MaxGap        = time.Minute
	maxSizes      = 64
	maxWorkers    = 64
)

// ParsePlan reads a plan that a peer sent, and checks it.
func ParsePlan(data []byte) (Plan, error) {
	var p Plan
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("read the peer's plan: %w", err)
	}
	return p, p.Check()
}

// Check returns what is wrong with the plan, in the words of the options.
func (p *Plan) Check() error {
	if err := p.checkTest(); err != nil {
		return err
	}
	if len(p.Sizes) == 0 || len(p.Sizes) > maxSizes {
		return fmt.Errorf("%d message sizes: 1 to %d are possible", len(p.Sizes), maxSizes)
	}
	for _, s := range p.Sizes {
		if s < 1 || s > MaxSize {
			return fmt.Errorf("--size %d: message sizes are 1 to %d bytes", s, MaxSize)
		}
	}
	for _, check := range []func() error{p.checkCompletion, p.checkLength, p.checkCounts, p.checkTogether} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) checkCompletion() error {
	for _, a := range p.Also {
		switch {
		case !slices.Contains([]string{AlsoRelaxed, AlsoLook, AlsoControl}, a):
			return fmt.Errorf("--also %s: choose relaxed, look or control", a)
		case !p.Compare:
			return fmt.Errorf("--also %s adds a row to a comparison: it needs --compare", a)
		}
	}
	switch {
	case !slices.Contains([]Mode{ModeAuto, ModeData, ModePoll, ModeEvent}, p.Completion):
		return fmt.Errorf("--completion %s: choose auto, data, poll or event", p.Completion)
	case p.Compare && p.Completion != ModeAuto:
		return fmt.Errorf("--compare runs every completion mode: leave --completion %s out", p.Completion)
	case !slices.Contains([]Touch{TouchDefault, TouchNone, TouchRead, TouchWrite}, p.Touch):
		return fmt.Errorf("--touch %s: choose none, read or write", p.Touch)
	case p.Touch == TouchWrite && p.Verify:
		return fmt.Errorf("--touch write and --verify exclude each other: what was written would be found wrong")
	}
	return nil
}

func (p *Plan) checkLength() error {
	switch {
	case p.Duration < 0 || p.Duration > 0 && p.Duration < time.Millisecond || p.Duration > 1000*time.Hour:
		return fmt.Errorf("--duration %v: a row lasts between 1ms and 1000h", p.Duration)
	case p.Duration == 0 && (p.Iterations < MinIterations || p.Iterations > MaxIterations):
		return fmt.Errorf("--iters %d: %d to %d are possible", p.Iterations, MinIterations, uint64(MaxIterations))
	case p.Precision < 0 || p.Precision >= 1:
		return fmt.Errorf("--precision %g%%: above 0%% and below 100%% is possible", p.Precision*100)
	case p.Precision > 0 && !p.Compare:
		return fmt.Errorf("--precision is that of a comparison's ratios: it needs --compare")
	case p.TimeLimit < 0 || p.TimeLimit > 1000*time.Hour:
		return fmt.Errorf("--time-limit %v: up to 1000h is possible", p.TimeLimit)
	case p.Gap < 0 || p.Gap > MaxGap:
		return fmt.Errorf("--latency_gap %v: up to %v is possible", p.Gap, MaxGap)
	}
	return nil
}

func (p *Plan) checkCounts() error {
	for _, c := range []struct {
		option          string
		value, min, max int
	}{
		{"--qp", p.QPs, 1, MaxQPs},
		{"--rounds", p.Rounds, 0, MaxRounds},
		{"--runs", p.Runs, 1, MaxRuns},
		{"--tx-depth", p.TxDepth, 1, MaxDepth},
		{"--rx-depth", p.RxDepth, 1, MaxDepth},
		{"--cq-mod", p.CQMod, 0, MaxCQMod},
		{"--inline_size", p.Inline, -1, MaxInline},
		{"--offset", p.Offset, 0, verbs.BlockSize - 1},
		{"workers", p.Workers, 1, maxWorkers},
	} {
		if c.value < c.min || c.value > c.max {
			return fmt.Errorf("%s %d: %d to %d are possible", c.option, c.value, c.min, c.max)
		}
	}
	switch p.MTU {
	case 0, 256, 512, 1024, 2048, 4096:
		return nil
	}
	return fmt.Errorf("--mtu %d: choose 256, 512, 1024, 2048 or 4096", p.MTU)
}

// checkTogether refuses what does not go together.
func (p *Plan) checkTogether() error {
	latency := p.exchanges()
	switch {
	case latency && p.QPs != 1:
		return fmt.Errorf("--qp %d: a latency test uses one QP", p.QPs)
	case latency && (p.Workers != 1 || p.Both):
		return fmt.Errorf("a latency test has one worker on each side")
	case p.StrictPCIe && slices.Contains(p.Also, AlsoRelaxed):
		return fmt.Errorf("--also relaxed and --disable_pcie_relaxed exclude each other")
	case p.looksAnyway() && slices.Contains(p.Also, AlsoLook):
		return fmt.Errorf("--also look shows nothing here: READs in flight take looks at the CQ in mode data as it is")
	case p.QPs < p.Workers:
		return fmt.Errorf("%d workers share %d QPs: each needs one of its own", p.Workers, p.QPs)
	case p.Gap > 0 && !latency:
		return fmt.Errorf("--latency_gap is an option of latency tests")
	case p.Gap > 0 && p.NoPeak:
		return fmt.Errorf("--latency_gap and --noPeak exclude each other: a pause is no part of a latency, which takes a clock to leave out")
	}
	return nil
}
