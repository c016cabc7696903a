package harness

import (
	"fmt"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// With one or two workers, in one or both directions, every message is received as it was sent, and
// the bandwidth is the bytes over the time.
func TestWorkersAndBothDirections(t *testing.T) {
	for _, op := range allOps {
		for _, mode := range modes() {
			for _, both := range []bool{false, true} {
				for _, workers := range []int{1, 2} {
					t.Run(fmt.Sprintf("%s_%s_both_%v_%d_workers", op, mode, both, workers), func(t *testing.T) {
						p := testPlan(op, option.KindBandwidth, 4096, 500)
						p.Completion, p.QPs, p.Workers, p.Both, p.Verify = mode, 4, workers, both, true
						begun := time.Now()
						files, errs := pair{device: "shm_whole", plan: p}.run(t)
						if errs != [2]error{} {
							t.Fatal(errs)
						}
						for side, f := range files {
							checkWorked(t, side, onlyRow(t, f), &p, time.Since(begun))
						}
					})
				}
			}
		}
	}
}

// checkWorked compares a row with the messages of the plan. The first messages of a receiver start
// its clock and are not counted.
func checkWorked(t *testing.T, side int, r *result.Row, p *option.Plan, wall time.Duration) {
	t.Helper()
	all := p.Iterations * uint64(p.QPs)
	if p.Both {
		all *= 2
	}
	b, v := r.Bandwidth, r.Verify
	first := uint64(2 * p.Workers * p.CQEPoll)
	if b.Messages > all || b.Messages+first < all || b.Bytes != b.Messages*uint64(r.Size) {
		t.Errorf("side %d counts %d messages of %d", side, b.Messages, all)
	}
	if b.Seconds <= 0 || b.Seconds > wall.Seconds() || !near(b.Average, float64(b.Bytes)/b.Seconds, exactly) {
		t.Errorf("side %d: %.0f bytes/s, %d bytes in %v s of %v", side, b.Average, b.Bytes, b.Seconds, wall)
	}
	if v == nil || v.Bad() != 0 || v.Messages < all {
		t.Errorf("side %d checked %+v, want %d messages", side, v, all)
	}
}
