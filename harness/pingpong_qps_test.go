package harness

import (
	"fmt"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// In a latency test over several QPs the receiver polls all of them, in every mode, and each message
// is whole. The sample has 7 and 100 QPs with --verify for one operation and without it for
// the other.
func TestLatencyOverSeveralQPs(t *testing.T) {
	many := 33
	if wholeMatrix {
		many = 100
	}
	for _, op := range []option.Op{option.OpWrite, option.OpSend} {
		for _, qps := range []int{2, 7, many} {
			for _, verify := range []bool{false, true} {
				if !wholeMatrix && qps > 2 && verify != (op == option.OpWrite == (qps > 7)) {
					continue
				}
				t.Run(fmt.Sprintf("%s_%d_%v", op, qps, verify), func(t *testing.T) {
					p := testPlan(op, option.KindLatency, 0, 400)
					p.Sizes, p.QPs, p.Compare, p.Verify, p.Rounds = []int{8, 300}, qps, true, verify, 2
					files, errs := pair{device: "shm_block128", plan: p}.run(t)
					if errs[0] != nil || errs[1] != nil {
						t.Fatalf("client: %v; server: %v", errs[0], errs[1])
					}
					for side, f := range files {
						checkRows(t, side, f, &p)
					}
				})
			}
		}
	}
}

// Both sides of a latency test, and the sender of a bandwidth test, use all QPs.
func TestMessagesUseEveryQP(t *testing.T) {
	for kind, sides := range map[option.Kind]int{option.KindLatency: 2, option.KindBandwidth: 1} {
		testSeveralQPs(t, kind, sides)
	}
}

func testSeveralQPs(t *testing.T, kind option.Kind, sides int) {
	t.Helper()
	p := testPlan(option.OpWrite, kind, 8, 100)
	p.QPs = 5
	var mu sync.Mutex
	used := [2]map[uint32]int{{}, {}}
	count := func(side int, ctx verbs.Context) verbs.Context {
		return testdevice.Context(ctx, testdevice.Options{OnPostSend: func(qp verbs.QP, _ *verbs.SendWR) {
			mu.Lock()
			defer mu.Unlock()
			used[side][qp.QPNum()]++
		}})
	}
	if _, errs := (pair{device: "shm_whole", plan: p, wrap: count}).run(t); errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	for side, posts := range used[:sides] {
		for qp, n := range posts {
			if n < 20 {
				t.Errorf("%s: side %d posted %d messages on QP %#x", kind, side, n, qp)
			}
		}
		if len(posts) != p.QPs {
			t.Errorf("%s: side %d posted on %d QPs of %d", kind, side, len(posts), p.QPs)
		}
	}
}
