package option

import (
	"cmp"
	"slices"
	"time"
)

// Defaults of a comparison.
const (
	DefaultRuns      = 10
	DefaultRounds    = 3 // of each run: the median of three ignores a slow round
	DefaultTimeLimit = time.Minute
	endlessInterval  = 5 * time.Second        // perftest's
	compareDuration  = 400 * time.Millisecond // of a row, in all its runs
)

// Resolve returns the plan with all values that depend on other options decided. It does not change
// a resolved plan.
func (p Plan) Resolve() Plan {
	p = p.implied()
	if p.Completion == ModeDefault {
		p.Completion = p.defaultMode()
	}
	if p.Touch == TouchDefault {
		p.Touch = TouchNone
		if p.Compare {
			p.Touch = TouchRead
		}
	}
	if p.PostList < 0 {
		p.PostList = 1 // perftest's
		if p.Compare {
			p.PostList = 0
		}
	}
	if p.OpenLoop() && p.TxDepth == 1 {
		p.TxDepth = openLoopDepth
	}
	if p.Precision > 0 && p.TimeLimit == 0 {
		p.TimeLimit = DefaultTimeLimit
	}
	if !p.Compare {
		p.Seed = 0
	}
	p.resolveLength()
	return p
}

// Measured returns the time of a timed run's rows in which messages are measured. As in perftest, --margin is
// cut off from --duration at both ends.
func (p *Plan) Measured() time.Duration {
	if p.marginIsCut() {
		return p.Duration - 2*p.Margin
	}
	return p.Duration
}

// marginIsCut reports whether the margin is part of the duration. A peer that is perftest cuts off its own.
func (p *Plan) marginIsCut() bool {
	return p.Duration > 0 && !p.Compare && !p.Endless && p.Perftest == nil
}

// implied returns the plan with the transport of --mcg, as only UD has multicast groups, and with a QP for each thread.
func (p Plan) implied() Plan {
	p.QPs = max(p.QPs, p.Threads)
	if p.Multicast {
		p.Transport = UD
	}
	return p
}

func (p *Plan) resolveLength() {
	switch {
	case p.Iterations > 0 || p.Duration > 0:
	case p.Endless:
		p.Duration = endlessInterval
	case p.Compare:
		p.Duration = compareDuration
	default:
		p.Iterations = p.Test.iterations()
	}
	runs, rounds := 1, 1
	if p.Compare {
		runs, rounds = DefaultRuns, DefaultRounds
	}
	p.Runs, p.Rounds = cmp.Or(p.Runs, runs), cmp.Or(p.Rounds, rounds)
	if p.Duration == 0 {
		most := int(max(1, p.Iterations/2)) // a rate takes two messages
		p.Runs = min(p.Runs, most)
		p.Rounds = min(p.Rounds, most/p.Runs)
		if p.Bandwidth() {
			p.TxDepth = int(min(uint64(p.TxDepth), p.Iterations))
		}
	}
}

// defaultMode returns auto in a comparison, else perftest's mode: only its write_lat spins on data.
func (p *Plan) defaultMode() Mode {
	if p.Compare || p.Test == (Test{OpWrite, KindLatency}) && !p.WriteWithImm {
		return ModeAuto
	}
	return ModePoll
}

// iterations returns perftest's default.
func (t Test) iterations() uint64 {
	if t == (Test{OpWrite, KindBandwidth}) {
		return 5000
	}
	return 1000
}

// ResolvedPlan is a checked plan in which every value is decided. Only [Settings.Resolve] makes one,
// and it does not change.
type ResolvedPlan struct{ plan Plan }

// Resolve checks the plan together with the side's own options and resolves it.
func (s *Settings) Resolve() (ResolvedPlan, error) {
	if err := s.Check(); err != nil {
		return ResolvedPlan{}, err
	}
	return ResolvedPlan{s.Plan.Resolve()}, nil
}

// Plan returns a copy of the plan.
func (r ResolvedPlan) Plan() Plan {
	p := r.plan
	p.Sizes, p.FlowLabels, p.Also = slices.Clone(p.Sizes), slices.Clone(p.FlowLabels), slices.Clone(p.Also)
	return p
}
