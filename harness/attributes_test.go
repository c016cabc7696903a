package harness

import (
	"sync"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// attributesOf runs a plan and returns what of a QP's attributes, by side, the QPs had that
// posted.
func attributesOf(t *testing.T, p option.Plan, mask verbs.QPAttrMask, what func(verbs.QPAttr, verbs.QPInitAttr) int) (seen [2]map[int]bool) {
	t.Helper()
	var mu sync.Mutex
	seen = [2]map[int]bool{{}, {}}
	watch := func(side int, ctx verbs.Context) verbs.Context {
		return wrap.Context(ctx, wrap.Options{OnPostSend: func(qp verbs.QP, _ *verbs.SendWR) {
			attr, init, err := qp.Query(mask)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			seen[side][what(attr, init)] = true
		}})
	}
	if _, errs := (pair{device: "shm_whole", plan: p, wrap: watch}).run(t); errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	return seen
}

// The QPs of both sides send with the traffic class that is asked for.
func TestTrafficClass(t *testing.T) {
	for _, class := range []int{0, 0x68, 255} {
		p := testPlan(option.OpSend, option.KindLatency, 8, 10)
		p.TClass = class
		seen := attributesOf(t, p, verbs.MaskAV, func(a verbs.QPAttr, _ verbs.QPInitAttr) int { return int(a.AH.GRH.TrafficClass) })
		for side, classes := range seen {
			if len(classes) != 1 || !classes[class] {
				t.Errorf("class %d: side %d sent with %v", class, side, classes)
			}
		}
	}
}

// The send queues of a latency test are as deep as asked for.
func TestDepthOfALatencyTest(t *testing.T) {
	for _, depth := range []int{1, 500} {
		p := testPlan(option.OpSend, option.KindLatency, 8, 10)
		p.TxDepth = depth
		seen := attributesOf(t, p, verbs.MaskCap, func(_ verbs.QPAttr, i verbs.QPInitAttr) int { return i.Cap.MaxSendWR })
		for side, depths := range seen {
			for got := range depths {
				if got < depth || depth == 1 && got >= 500 {
					t.Errorf("-t %d: side %d has a send queue of %d entries", depth, side, got)
				}
			}
			if len(depths) == 0 {
				t.Errorf("-t %d: side %d has posted nothing", depth, side)
			}
		}
	}
}

// A sender has as many messages on their way as are asked for, and no more.
func TestDepthOfABandwidthTest(t *testing.T) {
	for _, depth := range []int{1, 40} {
		p := testPlan(option.OpWrite, option.KindBandwidth, 8, 500)
		p.TxDepth, p.CQMod = depth, 1
		list := sorted(postsOf(t, p)[0].sends)
		if most := list[len(list)-1]; most != depth {
			t.Errorf("-t %d: %d messages were posted at once", depth, most)
		}
	}
}

// Messages of up to the inline size are sent inline, and others are not.
func TestInlineSize(t *testing.T) {
	for _, c := range []struct {
		kind         string
		inline, size int
		want         bool
	}{{option.KindLatency, -1, 220, true}, {option.KindLatency, 0, 8, false}, {option.KindBandwidth, 0, 8, false}, {option.KindBandwidth, 64, 64, true}, {option.KindBandwidth, 64, 65, false}} {
		p := testPlan(option.OpWrite, c.kind, c.size, 50)
		p.Inline = c.inline
		var mu sync.Mutex
		seen := map[bool]bool{}
		watch := func(_ int, ctx verbs.Context) verbs.Context {
			return wrap.Context(ctx, wrap.Options{OnPostSend: func(_ verbs.QP, wr *verbs.SendWR) {
				mu.Lock()
				defer mu.Unlock()
				if wrap.Length(wr) == uint64(c.size) {
					seen[wr.SendFlags&verbs.SendInline != 0] = true
				}
			}})
		}
		if _, errs := (pair{device: "shm_whole", plan: p, wrap: watch}).run(t); errs != [2]error{} {
			t.Fatal(errs)
		}
		if len(seen) != 1 || !seen[c.want] {
			t.Errorf("%s -I %d, %d bytes: sent inline %v", c.kind, c.inline, c.size, seen)
		}
	}
}
