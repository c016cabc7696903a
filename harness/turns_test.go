package harness

import (
	"fmt"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// Ping-pongs over several QPs: who receives looks at all, in every mode, and finds each
// message whole.
func TestLatencyOverSeveralQPs(t *testing.T) {
	for _, op := range []option.Op{option.OpWrite, option.OpSend} {
		for _, qps := range []int{2, 7, 200} {
			for _, verify := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s_%d_%v", op, qps, verify), func(t *testing.T) {
					p := testPlan(op, option.KindLatency, 0, 1000)
					p.Sizes, p.QPs, p.Compare, p.Verify = []int{8, 300}, qps, true, verify
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

// Every QP has its turn: on both sides in a latency test, on the sender's in one of bandwidth.
func TestEveryQPHasItsTurn(t *testing.T) {
	for kind, sides := range map[string]int{option.KindLatency: 2, option.KindBandwidth: 1} {
		testTurns(t, kind, sides)
	}
}

func testTurns(t *testing.T, kind string, sides int) {
	t.Helper()
	p := testPlan(option.OpWrite, kind, 8, 100)
	p.QPs = 5
	var mu sync.Mutex
	used := [2]map[uint32]int{{}, {}}
	count := func(side int, ctx verbs.Context) verbs.Context {
		return wrap.Context(ctx, wrap.Options{OnPostSend: func(qp verbs.QP, _ *verbs.SendWR) {
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

// Messages go over the QPs in an order in which none follows its neighbour more often than
// by chance, so that who looks at them in turn has to look at half of them on average.
func TestTurnsAreScattered(t *testing.T) {
	const n = 256
	lanes := make([]*lane, n)
	place := map[*lane]int{}
	for i := range lanes {
		lanes[i] = &lane{}
		place[lanes[i]] = i
	}
	var tr turns
	tr.begin(lanes)
	seen := map[*lane]int{}
	distance := 0
	last := tr.next()
	for range 4 * n {
		l := tr.next()
		seen[l]++
		distance += (place[l] - place[last] + n) % n
		last = l
	}
	if len(seen) != n {
		t.Errorf("%d of %d QPs had a turn", len(seen), n)
	}
	if mean := distance / (4 * n); mean < n*4/10 || mean > n*6/10 {
		t.Errorf("the next message is %d QPs away on average, of %d", mean, n)
	}
}
