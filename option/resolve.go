package option

import "time"

// Defaults of a comparison.
const (
	DefaultRounds    = 20
	DefaultTimeLimit = time.Minute
	endlessInterval  = 5 * time.Second        // perftest's
	compareDuration  = 200 * time.Millisecond // of a row, in all its rounds
)

// Resolve returns the plan with all that depends on its other parts decided. A plan that
// is resolved stays as it is.
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
	if p.Precision > 0 && p.TimeLimit == 0 {
		p.TimeLimit = DefaultTimeLimit
	}
	p.resolveLength()
	return p
}

// implied returns the plan with the transport that --mcg takes: no other has groups.
func (p Plan) implied() Plan {
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
	switch {
	case p.Rounds > 0:
	case p.Compare:
		p.Rounds = DefaultRounds
	default:
		p.Rounds = 1
	}
	if p.Duration == 0 {
		p.Rounds = int(min(uint64(p.Rounds), max(1, p.Iterations/2))) // a rate takes two messages
		if p.Bandwidth() {
			p.TxDepth = int(min(uint64(p.TxDepth), p.Iterations))
		}
	}
}

// defaultMode is auto in a comparison, else perftest's own: only its write_lat spins on
// data.
func (p *Plan) defaultMode() Mode {
	if p.Compare || p.Test == (Test{OpWrite, KindLatency}) && !p.WriteWithImm {
		return ModeAuto
	}
	return ModePoll
}

// iterations is perftest's default.
func (t Test) iterations() uint64 {
	if t == (Test{OpWrite, KindBandwidth}) {
		return 5000
	}
	return 1000
}
