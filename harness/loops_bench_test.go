package harness

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/option"
)

// BenchmarkLoops runs each loop for b.N messages over shm_whole, with both sides in this process.
// allocs/op are the allocations of both sides for a message, with those of the setup over b.N.
func BenchmarkLoops(b *testing.B) {
	for _, kind := range allKinds {
		for _, op := range allOps {
			for _, mode := range []option.Mode{option.ModeData, option.ModePoll, option.ModeAdaptive, option.ModeEvent} {
				for _, size := range []int{8, 65536} {
					b.Run(fmt.Sprintf("%s_%s/%s/%d", op, kind, mode, size), func(b *testing.B) { benchLoop(b, op, kind, mode, size) })
				}
			}
		}
	}
}

func benchLoop(b *testing.B, op option.Op, kind option.Kind, mode option.Mode, size int) {
	b.ReportAllocs()
	p := testPlan(op, kind, size, uint64(max(b.N, option.MinIterations)))
	p.Completion = mode
	files, errs := pair{device: "shm_whole", plan: p, wholeWarmUp: true}.run(b)
	if errs[0] != nil || errs[1] != nil {
		b.Fatal(errs)
	}
	r := files[0].Rows[0]
	if l := r.Latency; l != nil {
		b.ReportMetric(l.P50Ns, "p50-ns")
	}
	if w := r.Bandwidth; w != nil {
		b.ReportMetric(w.MsgRate/1e6, "Mmsg/s")
		b.ReportMetric(w.Average/(1<<20), "MiB/s")
	}
}

func TestLoopsDoNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes calls allocate")
	}
	eachTest(t, func(t *testing.T, op option.Op, kind option.Kind) {
		for _, mode := range modes() {
			t.Log(mode)
			checkAllocations(t, func(n uint64) {
				p := testPlan(op, kind, 8, n)
				p.Completion = mode
				if _, errs := (pair{device: "shm_whole", plan: p}).run(t); errs[0] != nil || errs[1] != nil {
					t.Fatal(errs)
				}
			})
		}
	})
}

// checkAllocations checks that a loop does not allocate for each message. After the loop the histogram takes an allocation for
// each different sample when it is encoded. On a busy machine these are thousands, but fewer than messages.
func checkAllocations(t *testing.T, run func(messages uint64)) {
	t.Helper()
	count := func(n uint64) float64 { return testing.AllocsPerRun(1, func() { run(n) }) }
	const few, many = 5000, 25_000
	if more := count(many) - count(few); more > (many-few)/2 {
		t.Errorf("%d more messages cost %.0f more allocations", many-few, more)
	}
}
