package harness

import (
	"strings"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// attributesOf runs a plan and returns, for each side, the values of an attribute that its QPs had
// when they posted.
func attributesOf(t *testing.T, p option.Plan, mask verbs.QPAttrMask, what func(verbs.QPAttr, verbs.QPInitAttr) int) (seen [2]map[int]bool) {
	t.Helper()
	var mu sync.Mutex
	seen = [2]map[int]bool{{}, {}}
	watch := func(side int, ctx verbs.Context) verbs.Context {
		return testdevice.Context(ctx, testdevice.Options{OnPostSend: func(qp verbs.QP, _ *verbs.SendWR) {
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

// The QPs of both sides send with the traffic class of --tclass.
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

// The send queues of a latency test have the depth of --tx-depth.
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

// A sender has --tx-depth messages in flight, and no more.
func TestDepthOfABandwidthTest(t *testing.T) {
	for _, depth := range []int{1, 40} {
		p := testPlan(option.OpWrite, option.KindBandwidth, 8, 500)
		p.TxDepth, p.CQMod, p.PostList = depth, 1, 0
		list := sorted(postsOf(t, p)[0].sends)
		if most := list[len(list)-1]; most != depth {
			t.Errorf("-t %d: %d messages were posted at once", depth, most)
		}
	}
}

// An explicit --inline_size that the device does not grant is refused.
func TestInlineSizeThatIsNotGranted(t *testing.T) {
	p := testPlan(option.OpWrite, option.KindBandwidth, 8, 50)
	p.Inline = 64
	none := func(_ int, ctx verbs.Context) verbs.Context {
		return testdevice.Context(ctx, testdevice.Options{NoInline: true})
	}
	_, errs := (pair{device: "shm_whole", plan: p, wrap: none}).run(t)
	for side, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "--inline_size 64: device shm_whole sends at most 0 bytes inline") {
			t.Errorf("side %d: %v", side, err)
		}
	}
}

// Messages up to the inline size are sent inline, longer ones are not. A device that grants no inline
// data sends none, and the file says so.
func TestInlineSize(t *testing.T) {
	for _, c := range []struct {
		kind         option.Kind
		inline, size int
		none, want   bool
		used         int
	}{
		{option.KindLatency, -1, 220, false, true, 220}, {option.KindLatency, 0, 8, false, false, 0}, {option.KindBandwidth, 0, 8, false, false, 0},
		{option.KindBandwidth, 64, 64, false, true, 64}, {option.KindBandwidth, 64, 65, false, false, 64},
		{option.KindLatency, -1, 8, true, false, 0},
	} {
		p := testPlan(option.OpWrite, c.kind, c.size, 50)
		p.Inline = c.inline
		var mu sync.Mutex
		seen := map[bool]bool{}
		watch := func(_ int, ctx verbs.Context) verbs.Context {
			return testdevice.Context(ctx, testdevice.Options{NoInline: c.none, OnPostSend: func(_ verbs.QP, wr *verbs.SendWR) {
				mu.Lock()
				defer mu.Unlock()
				if testdevice.Length(wr) == uint64(c.size) {
					seen[wr.SendFlags&verbs.SendInline != 0] = true
				}
			}})
		}
		files, errs := (pair{device: "shm_whole", plan: p, wrap: watch}).run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		for side, f := range files {
			if asked := f.Parameters.Asked().Inline; asked != c.inline {
				t.Errorf("%s -I %d: the file of side %d says that -I %d was asked for", c.kind, c.inline, side, asked)
			}
			if used := f.Parameters.Inline; used != c.used {
				t.Errorf("%s -I %d, none granted %v: the file of side %d says that %d bytes were sent inline, want %d", c.kind, c.inline, c.none, side, used, c.used)
			}
		}
		if len(seen) != 1 || !seen[c.want] {
			t.Errorf("%s -I %d, %d bytes: sent inline %v", c.kind, c.inline, c.size, seen)
		}
	}
}
