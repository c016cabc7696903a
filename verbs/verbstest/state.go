package verbstest

import "github.com/ibperf/ibperf/verbs"

// states are the states that an RC QP can be moved to.
var states = []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD, verbs.QPErr}

// inState makes two sides: a is in the state, and b in RTS.
func (e *env) inState(c config, state verbs.QPState) (a, b *side) {
	e.Helper()
	a, b = e.side(c), e.side(c)
	b.Enter(verbs.QPRTS, a)
	a.Enter(state, b)
	return a, b
}
