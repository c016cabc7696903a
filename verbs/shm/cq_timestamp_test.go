package shm_test

import (
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestTimestampsSurviveResizeAndFlush covers that completions keep their timestamps when the CQ is
// resized, when earlier completions of another QP are removed, and when the QP goes to ERR.
func TestTimestampsSurviveResizeAndFlush(t *testing.T) {
	c := conf()
	c.Timestamps, c.CQE = verbs.TimestampWallClock, 4
	a, b := pair(t, c)
	first := a.QP
	a.NewQP()
	other := newSide(t, c)
	fixture.Connect(a, other)
	b.PostRecv(recv{})
	a.Post(send{Flags: verbs.SendSignaled}.Toward(other, 0))
	before := time.Now()
	second := a.QP
	a.QP = first
	a.Post(send{Op: verbs.OpSend, Flags: verbs.SendSignaled})
	after := time.Now()
	time.Sleep(2 * time.Millisecond)
	noError(t, second.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
	noError(t, b.QP.Modify(&verbs.QPAttr{State: verbs.QPErr}, verbs.MaskState))
	for _, cq := range []verbs.CQ{a.SendCQ.CQ, b.RecvCQ.CQ} {
		noError(t, cq.Resize(64))
		var wc [2]verbs.WC
		var times [2]uint64
		n := must(cq.(verbs.CQEx).PollTimes(wc[:], times[:], 1))(t)
		if at := time.Unix(0, int64(times[0])); n != 1 || wc[0].Status != verbs.WCSuccess || at.Before(before) || at.After(after) {
			t.Errorf("%d completions, the first %s at %v, want one between %v and %v", n, wc[0].Status, at, before, after)
		}
	}
}
