package shm_test

import (
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestTimestampsAreKept: completions keep their times when the CQ is resized, when those of
// another QP vanish before them, and when the QP goes to ERR.
func TestTimestampsAreKept(t *testing.T) {
	c := conf()
	c.stamps, c.cqe = verbs.TimestampWallClock, 4
	a, b := pair(t, c)
	first := a.qp
	a.newQP(t)
	other := newSide(t, c)
	connect(t, a, other)
	b.mustRecv(t, recv{})
	a.mustPost(t, send{flags: verbs.SendSignaled}.toward(other, 0))
	before := time.Now()
	second := a.qp
	a.qp = first
	a.mustPost(t, send{op: verbs.OpSend, flags: verbs.SendSignaled})
	after := time.Now()
	time.Sleep(2 * time.Millisecond)
	noError(t, second.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
	noError(t, b.qp.Modify(&verbs.QPAttr{State: verbs.QPErr}, verbs.MaskState))
	for _, cq := range []verbs.CQ{a.sendCQ, b.recvCQ} {
		noError(t, cq.Resize(64))
		var wc [2]verbs.WC
		var times [2]uint64
		n := must(cq.(verbs.CQEx).PollTimes(wc[:], times[:], 1))(t)
		if at := time.Unix(0, int64(times[0])); n != 1 || wc[0].Status != verbs.WCSuccess || at.Before(before) || at.After(after) {
			t.Errorf("%d completions, the first %s at %v, want one between %v and %v", n, wc[0].Status, at, before, after)
		}
	}
}
