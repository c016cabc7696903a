package verbs

import "fmt"

// transition says what a move of the QP state machine needs and allows, besides
// MaskState: one row of the kernel's qp_state_table (drivers/infiniband/core/verbs.c).
type transition struct {
	required, optional QPAttrMask
}

type move struct{ from, to QPState }

const (
	rtsOptional = MaskCurState | MaskAltPath | MaskAccessFlags | MaskMinRNRTimer | MaskPathMigState
	initMasks   = MaskPKeyIndex | MaskPort | MaskAccessFlags
)

// rcTransitions are the moves of an RC QP. Moves to RESET and ERR are in [transitionFor].
var rcTransitions = map[move]transition{
	{QPReset, QPInit}: {required: initMasks},
	{QPInit, QPInit}:  {optional: initMasks},
	{QPInit, QPRTR}: {
		required: MaskAV | MaskPathMTU | MaskDestQPN | MaskRQPSN | MaskMaxDestRdAtomic | MaskMinRNRTimer,
		optional: MaskAltPath | MaskAccessFlags | MaskPKeyIndex,
	},
	{QPRTR, QPRTS}: {
		required: MaskSQPSN | MaskTimeout | MaskRetryCnt | MaskRNRRetry | MaskMaxRdAtomic,
		optional: rtsOptional,
	},
	{QPRTS, QPRTS}: {optional: rtsOptional},
	{QPRTS, QPSQD}: {optional: MaskEnSQDNotify},
	{QPSQD, QPRTS}: {optional: rtsOptional},
	{QPSQD, QPSQD}: {optional: MaskPort | MaskAV | MaskTimeout | MaskRetryCnt | MaskRNRRetry |
		MaskMaxRdAtomic | MaskMaxDestRdAtomic | MaskAltPath | MaskAccessFlags | MaskPKeyIndex |
		MaskMinRNRTimer | MaskPathMigState},
}

func transitionFor(t QPType, from, to QPState) (transition, bool) {
	switch {
	case to == QPReset, to == QPErr && from != QPReset:
		return transition{}, true
	case t == QPTypeRC:
		tr, ok := rcTransitions[move{from, to}]
		return tr, ok
	}
	return transition{}, false
}

// CheckModify tells what is wrong with a Modify of a QP of type t in state from:
// the move, the missing attributes or the ones that are not allowed. It returns
// "" if nothing is. Backends use it to explain EINVAL.
func CheckModify(t QPType, from, to QPState, mask QPAttrMask) string {
	tr, ok := transitionFor(t, from, to)
	if !ok {
		return fmt.Sprintf("%s %s to %s is not a legal move", t, from, to)
	}
	mask &^= MaskState
	if missing := tr.required &^ mask; missing != 0 {
		return fmt.Sprintf("%s %s to %s: missing %s", t, from, to, missing)
	}
	if extra := mask &^ (tr.required | tr.optional); extra != 0 {
		return fmt.Sprintf("%s %s to %s: not allowed %s", t, from, to, extra)
	}
	return ""
}
