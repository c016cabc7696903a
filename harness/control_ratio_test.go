package harness

import (
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/result"
)

// Mode poll and its control, which is the same on other QPs, differ only by chance. If an interval excludes 1 as
// often as is allowed, with a probability of 10 %, then more than controlMost of controlTimes do so in fewer than
// one of 10,000 runs of the test.
const (
	controlTimes = 12
	controlMost  = 6
)

func TestControlsDoNotDiffer(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector's own time differs from run to run")
	}
	if different, _ := controls(t, controlTimes, 5, 30*time.Millisecond); different > controlMost {
		t.Errorf("%d of %d intervals of poll's ratio to its control exclude 1", different, controlTimes)
	}
}

// controls runs a number of comparisons, of each operation, kind and size in turn. It returns how many
// intervals of poll's ratio to its control exclude 1, and by how much at most.
func controls(t *testing.T, times, runs int, row time.Duration) (different int, furthest float64) {
	t.Helper()
	sizes := []int{8, 4096, 65536}
	for i := range times {
		op, kind, size := allOps[i%3], allKinds[i/3%2], sizes[i/6%3]
		p := testPlan(op, kind, size, 0)
		p.Compare, p.Runs, p.Rounds, p.Duration, p.Seed = true, runs, 2, row, 1+i
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		if r := controlRatio(t, files[0]); r.ExcludesOne() {
			different++
			furthest = max(furthest, r.Low-1, 1-r.High)
			t.Logf("%s_%s, %d bytes: %.3f [%.3f-%.3f]", op, kind, size, r.Value, r.Low, r.High)
		}
	}
	t.Logf("%d of %d intervals exclude 1, the furthest by %.1f %%", different, times, furthest*100)
	return different, furthest
}

// controlRatio returns the ratio of poll to its control.
func controlRatio(t *testing.T, f *result.File) confidence.Estimate {
	t.Helper()
	figures := map[string][]float64{}
	var runs []int
	for _, r := range f.Rows {
		runs = nil
		for i := range r.Rounds {
			figures[r.Name()] = append(figures[r.Name()], ratioValue(&r.Rounds[i]))
			runs = append(runs, r.Rounds[i].Run)
		}
	}
	r := confidence.OfRatio(figures["poll"], figures["poll (control)"], runs)
	if !r.Enough {
		t.Fatalf("no interval of poll to its control: %+v", figures)
	}
	return r
}
