package verbs

import "fmt"

// transition holds the attributes that a move between QP states requires and allows,
// besides MaskState: one row of the kernel's qp_state_table
// (drivers/infiniband/core/verbs.c).
type transition struct {
	required, optional QPAttrMask
}

type move struct{ from, to QPState }

const (
	maskInit   = MaskPKeyIndex | MaskPort | MaskAccessFlags
	maskInitUD = MaskPKeyIndex | MaskPort | MaskQKey

	maskPath      = MaskAV | MaskPathMTU | MaskDestQPN | MaskRQPSN
	maskResponder = MaskMaxDestRdAtomic | MaskMinRNRTimer
	maskRequester = MaskRetryCnt | MaskRNRRetry | MaskMaxRdAtomic

	maskRTR = MaskAltPath | MaskAccessFlags | MaskPKeyIndex
	// Optional in a move to RTS and within RTS. Responders that acknowledge have
	// maskRTSResponder.
	maskRTS          = MaskCurState | MaskAltPath | MaskAccessFlags | MaskPathMigState
	maskRTSResponder = maskRTS | MaskMinRNRTimer
	maskRTSUD        = MaskCurState | MaskQKey

	maskSQD = MaskAV | MaskAltPath | MaskAccessFlags | MaskPKeyIndex | MaskPathMigState
)

// transitions are the moves of each type except those to RESET and ERR.
var transitions = map[QPType]map[move]transition{
	QPTypeRC: connected(
		transition{maskPath | maskResponder, maskRTR},
		transition{MaskSQPSN | MaskTimeout | maskRequester, maskRTSResponder},
		maskSQD|MaskPort|MaskTimeout|maskRequester|maskResponder,
	),
	QPTypeUC: unacknowledged(connected(
		transition{maskPath, maskRTR},
		transition{MaskSQPSN, maskRTS},
		maskSQD,
	), MaskCurState|MaskAccessFlags),
	QPTypeUD:  unacknowledged(unconnected(0), maskRTSUD),
	QPTypeSRD: unacknowledged(unconnected(MaskRNRRetry), maskRTSUD), // srd_qp_state_table of the kernel's efa_verbs.c
	QPTypeXRCSend: connected(
		transition{maskPath, maskRTR},
		transition{MaskSQPSN | MaskTimeout | maskRequester, maskRTS},
		maskSQD|MaskPort|MaskTimeout|maskRequester,
	),
	QPTypeXRCRecv: connected(
		transition{maskPath | maskResponder, maskRTR},
		transition{MaskSQPSN | MaskTimeout, maskRTSResponder},
		maskSQD|MaskPort|MaskTimeout|maskResponder,
	),
}

// connected returns the moves of a connected type. The types differ in the moves to RTR
// and to RTS, and in the attributes that can be changed in SQD.
func connected(rtr, rts transition, sqd QPAttrMask) map[move]transition {
	return map[move]transition{
		{QPReset, QPInit}: {required: maskInit},
		{QPInit, QPInit}:  {optional: maskInit},
		{QPInit, QPRTR}:   rtr,
		{QPRTR, QPRTS}:    rts,
		{QPRTS, QPRTS}:    {optional: rts.optional},
		{QPRTS, QPSQD}:    {optional: MaskEnSQDNotify},
		{QPSQD, QPRTS}:    {optional: rts.optional},
		{QPSQD, QPSQD}:    {optional: sqd},
	}
}

// unconnected returns the moves of an unconnected type. rts is optional from RTR to RTS
// and in no other move.
func unconnected(rts QPAttrMask) map[move]transition {
	return map[move]transition{
		{QPReset, QPInit}: {required: maskInitUD},
		{QPInit, QPInit}:  {optional: maskInitUD},
		{QPInit, QPRTR}:   {optional: MaskPKeyIndex | MaskQKey},
		{QPRTR, QPRTS}:    {MaskSQPSN, maskRTSUD | rts},
		{QPRTS, QPRTS}:    {optional: maskRTSUD},
		{QPRTS, QPSQD}:    {optional: MaskEnSQDNotify},
		{QPSQD, QPRTS}:    {optional: maskRTSUD},
		{QPSQD, QPSQD}:    {optional: MaskPKeyIndex | MaskQKey},
	}
}

// unacknowledged adds the move from SQE to RTS. Only types without acknowledgements
// enter SQE.
func unacknowledged(moves map[move]transition, optional QPAttrMask) map[move]transition {
	moves[move{QPSQE, QPRTS}] = transition{optional: optional}
	return moves
}

func transitionFor(t QPType, from, to QPState) (transition, bool) {
	if to == QPReset || to == QPErr && from != QPReset {
		return transition{}, true
	}
	tr, ok := transitions[t][move{from, to}]
	return tr, ok
}

// ignored are the attributes that the kernel clears from the mask before it checks
// it, so that both ends of XRC can be moved with RC's masks
// (drivers/infiniband/core/uverbs_cmd.c, modify_qp_mask).
var ignored = map[QPType]QPAttrMask{
	QPTypeXRCSend: maskResponder,
	QPTypeXRCRecv: maskRequester,
}

// CheckModify returns what is wrong with a Modify of a QP of type t in state from: an
// illegal move, missing attributes or attributes that are not allowed. It returns "" for
// a legal Modify. Backends use it to explain EINVAL.
func CheckModify(t QPType, from, to QPState, mask QPAttrMask) string {
	tr, ok := transitionFor(t, from, to)
	if !ok {
		return fmt.Sprintf("%s %s to %s is not a legal move", t, from, to)
	}
	mask &^= MaskState | ignored[t]
	if missing := tr.required &^ mask; missing != 0 {
		return fmt.Sprintf("%s %s to %s: missing %s", t, from, to, missing)
	}
	if extra := mask &^ (tr.required | tr.optional); extra != 0 {
		return fmt.Sprintf("%s %s to %s: not allowed %s", t, from, to, extra)
	}
	return ""
}
