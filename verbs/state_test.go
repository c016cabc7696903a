package verbs

import (
	"strings"
	"testing"
)

// rcRows is the RC column of the kernel's table of moves, written out anew.
var rcRows = []struct {
	from, to           QPState
	required, optional []QPAttrMask
}{
	{QPReset, QPInit, []QPAttrMask{MaskPKeyIndex, MaskPort, MaskAccessFlags}, nil},
	{QPInit, QPInit, nil, []QPAttrMask{MaskPKeyIndex, MaskPort, MaskAccessFlags}},
	{
		QPInit, QPRTR,
		[]QPAttrMask{MaskAV, MaskPathMTU, MaskDestQPN, MaskRQPSN, MaskMaxDestRdAtomic, MaskMinRNRTimer},
		[]QPAttrMask{MaskAltPath, MaskAccessFlags, MaskPKeyIndex},
	},
	{
		QPRTR, QPRTS,
		[]QPAttrMask{MaskSQPSN, MaskTimeout, MaskRetryCnt, MaskRNRRetry, MaskMaxRdAtomic},
		[]QPAttrMask{MaskCurState, MaskAltPath, MaskAccessFlags, MaskMinRNRTimer, MaskPathMigState},
	},
	{QPRTS, QPRTS, nil, []QPAttrMask{MaskCurState, MaskAccessFlags, MaskAltPath, MaskPathMigState, MaskMinRNRTimer}},
	{QPRTS, QPSQD, nil, []QPAttrMask{MaskEnSQDNotify}},
	{QPSQD, QPRTS, nil, []QPAttrMask{MaskCurState, MaskAltPath, MaskAccessFlags, MaskMinRNRTimer, MaskPathMigState}},
	{QPSQD, QPSQD, nil, []QPAttrMask{
		MaskPort, MaskAV, MaskTimeout, MaskRetryCnt, MaskRNRRetry, MaskMaxRdAtomic, MaskMaxDestRdAtomic,
		MaskAltPath, MaskAccessFlags, MaskPKeyIndex, MaskMinRNRTimer, MaskPathMigState,
	}},
	{from: QPReset, to: QPReset}, {from: QPInit, to: QPReset}, {from: QPRTR, to: QPReset}, {from: QPRTS, to: QPReset},
	{from: QPSQD, to: QPReset}, {from: QPErr, to: QPReset},
	{from: QPInit, to: QPErr}, {from: QPRTR, to: QPErr}, {from: QPRTS, to: QPErr}, {from: QPSQD, to: QPErr}, {from: QPErr, to: QPErr},
	{from: QPSQE, to: QPReset}, {from: QPSQE, to: QPErr},
}

func union(masks []QPAttrMask) (u QPAttrMask) {
	for _, m := range masks {
		u |= m
	}
	return u
}

// TestCheckModify covers QPS-2 to QPS-6: every move, with every bit left out or added.
func TestCheckModify(t *testing.T) {
	for from := QPReset; from <= QPErr; from++ {
		for to := QPReset; to <= QPErr+1; to++ {
			row := -1
			for i, r := range rcRows {
				if r.from == from && r.to == to {
					row = i
				}
			}
			if row < 0 {
				if why := CheckModify(QPTypeRC, from, to, MaskState); !strings.Contains(why, "not a legal move") {
					t.Errorf("QPS-6: %s to %s: %q", from, to, why)
				}
				continue
			}
			required, optional := union(rcRows[row].required), union(rcRows[row].optional)
			checkBits(t, from, to, required, optional)
		}
	}
}

func checkBits(t *testing.T, from, to QPState, required, optional QPAttrMask) {
	t.Helper()
	for _, mask := range []QPAttrMask{required, required | optional} {
		if why := CheckModify(QPTypeRC, from, to, MaskState|mask); why != "" {
			t.Errorf("QPS-2: %s to %s with %s: %s", from, to, mask, why)
		}
	}
	for bit := MaskCurState; bit != 0; bit <<= 1 {
		switch {
		case required&bit != 0:
			if why := CheckModify(QPTypeRC, from, to, MaskState|required&^bit); !strings.HasSuffix(why, "missing "+bit.String()) {
				t.Errorf("QPS-3: %s to %s without %s: %q", from, to, bit, why)
			}
		case optional&bit == 0:
			if why := CheckModify(QPTypeRC, from, to, MaskState|required|bit); !strings.HasSuffix(why, "not allowed "+bit.String()) {
				t.Errorf("QPS-4: %s to %s with %s: %q", from, to, bit, why)
			}
		}
	}
}

func TestCheckModifyOfOtherTypes(t *testing.T) {
	for _, kind := range []QPType{QPTypeUC, QPTypeUD, QPTypeSRD} {
		if why := CheckModify(kind, QPReset, QPInit, MaskState); why == "" {
			t.Errorf("%s: the table has no such type", kind)
		}
		if why := CheckModify(kind, QPInit, QPErr, MaskState); why != "" {
			t.Errorf("%s to ERR: %s", kind, why)
		}
	}
}

// An SRD QP is moved as a UD QP, and may be given its RNR retry count on the way to RTS.
func TestCheckModifyOfSRD(t *testing.T) {
	const rts = MaskState | MaskSQPSN
	for kind, want := range map[QPType]string{QPTypeSRD: "", QPTypeUD: "UD RTR to RTS: not allowed RNR_RETRY"} {
		if why := CheckModify(kind, QPRTR, QPRTS, rts); why != "" {
			t.Error(why)
		}
		if why := CheckModify(kind, QPRTR, QPRTS, rts|MaskRNRRetry); why != want {
			t.Errorf("%q, want %q", why, want)
		}
	}
}
