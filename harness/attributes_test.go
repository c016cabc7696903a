package harness

import (
	"sync"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// The QPs of both sides send with the traffic class that is asked for.
func TestTrafficClass(t *testing.T) {
	for _, class := range []int{0, 0x68, 255} {
		p := testPlan(option.OpSend, option.KindLatency, 8, 10)
		p.TClass = class
		var mu sync.Mutex
		seen := map[int]map[uint8]bool{0: {}, 1: {}}
		watch := func(side int, ctx verbs.Context) verbs.Context {
			return wrap.Context(ctx, wrap.Options{OnPostSend: func(qp verbs.QP, _ *verbs.SendWR) {
				attr, _, err := qp.Query(verbs.MaskAV)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				seen[side][attr.AH.GRH.TrafficClass] = true
			}})
		}
		if _, errs := (pair{device: "shm_whole", plan: p, wrap: watch}).run(t); errs[0] != nil || errs[1] != nil {
			t.Fatal(errs)
		}
		for side, classes := range seen {
			if len(classes) != 1 || !classes[uint8(class)] {
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
		var mu sync.Mutex
		var seen uint32
		watch := func(_ int, ctx verbs.Context) verbs.Context {
			return wrap.Context(ctx, wrap.Options{OnPostSend: func(qp verbs.QP, _ *verbs.SendWR) {
				_, init, err := qp.Query(verbs.MaskCap)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				seen = uint32(init.Cap.MaxSendWR)
			}})
		}
		if _, errs := (pair{device: "shm_whole", plan: p, wrap: watch}).run(t); errs[0] != nil || errs[1] != nil {
			t.Fatal(errs)
		}
		if int(seen) < depth || depth == 1 && seen >= 500 {
			t.Errorf("-t %d: the send queue has %d entries", depth, seen)
		}
	}
}
