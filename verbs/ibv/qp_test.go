//go:build linux && cgo

package ibv

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestRefusedMovesAreExplained: the error names the missing or wrong attributes, for every
// QP type of the device.
func TestRefusedMovesAreExplained(t *testing.T) {
	const port = verbs.MaskState | verbs.MaskPort
	r := newTwoQPs(t, verbs.QPTypeRC)
	for _, c := range []struct {
		kind verbs.QPType
		to   verbs.QPState
		mask verbs.QPAttrMask
		want string
	}{
		{verbs.QPTypeRC, verbs.QPInit, port, "RC RESET to INIT: missing ACCESS_FLAGS|PKEY_INDEX"},
		{verbs.QPTypeUC, verbs.QPInit, port, "UC RESET to INIT: missing ACCESS_FLAGS|PKEY_INDEX"},
		{verbs.QPTypeUD, verbs.QPInit, port, "UD RESET to INIT: missing PKEY_INDEX|QKEY"},
		{verbs.QPTypeUC, verbs.QPInit, port | verbs.MaskAccessFlags | verbs.MaskPKeyIndex | verbs.MaskQKey, "not allowed QKEY"},
		{verbs.QPTypeUD, verbs.QPRTS, verbs.MaskState, "UD RESET to RTS is not a legal move"},
	} {
		qp, err := r.PD.CreateQP(&verbs.QPInitAttr{
			SendCQ: r.SendCQ.CQ, RecvCQ: r.RecvCQ.CQ, Type: c.kind,
			Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		err = qp.Modify(&verbs.QPAttr{State: c.to, PortNum: 1}, c.mask)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s: %v, want %q", c.kind, c.to, err, c.want)
		}
		if err := qp.Close(); err != nil {
			t.Error(err)
		}
	}
}
