//go:build linux && cgo

package ibv

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestIgnoredInline: a QP of a provider that ignores SendInline is granted no inline data, and
// Query says the same.
func TestIgnoredInline(t *testing.T) {
	if !onStub(t) {
		return
	}
	for vendor, want := range map[string]int{"0x1414": 0, "0x2c9": 44} {
		t.Setenv("STUB_VENDOR", vendor)
		o := newStubObjects(t)
		init := verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: o.cq, RecvCQ: o.cq, Cap: verbs.QPCap{MaxSendWR: 1, MaxSendSGE: 1, MaxInlineData: 44}}
		qp := made(o.pd.CreateQP(&init))(t)
		_, queried, err := qp.Query(verbs.MaskState)
		if got := init.Cap.MaxInlineData; (got > 0) != (want > 0) || got < want || queried.Cap.MaxInlineData != got || err != nil {
			t.Errorf("vendor %s: granted %d, queried %d, %v, want %d", vendor, got, queried.Cap.MaxInlineData, err, want)
		}
	}
}
