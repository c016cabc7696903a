package harness

import (
	"fmt"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/ratio"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// A device that is compared with itself differs by chance alone. Of intervals of 95 %,
// more than controlMost of controlTimes hold no 1 less than once in 10,000 times.
const (
	controlTimes = 20
	controlMost  = 8
)

func TestControlsDoNotDiffer(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes what is equal differ")
	}
	n, different := controls(t, controlTimes)
	if different > controlMost {
		t.Errorf("%d of %d ratios of a device to itself exclude 1", different, n)
	}
}

// controls compares a device with itself, over operations, kinds and sizes in turns, until
// there are so many ratios. It returns how many there are, and of how many the interval
// excludes 1.
func controls(t *testing.T, want int) (n, different int) {
	t.Helper()
	sizes := []int{8, 4096, 65536}
	for i := 0; n < want; i++ {
		op, kind := allOps[i%len(allOps)], allKinds[i/len(allOps)%len(allKinds)]
		p := testPlan(op, kind, sizes[i/6%len(sizes)], 0)
		p.Compare, p.Completion, p.Also, p.Duration = true, option.ModeAuto, []string{option.AlsoControl}, 60*time.Millisecond
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		for _, mode := range []option.Mode{option.ModeData, option.ModePoll} {
			r, found := controlRatio(files[0], mode)
			if !found {
				continue
			}
			n++
			name := fmt.Sprintf("%s_%s %d bytes, %s", op, kind, p.Sizes[0], mode)
			if r.Different() {
				different++
				t.Logf("%s: %.3f [%.3f-%.3f]", name, r.Median, r.Low, r.High)
			}
		}
	}
	t.Logf("%d of %d ratios of a device to itself exclude 1", different, n)
	return n, different
}

// controlRatio is that of a mode to its control.
func controlRatio(f *result.File, m option.Mode) (r ratio.Ratio, found bool) {
	var plain, control *result.Row
	for i := range f.Rows {
		switch row := &f.Rows[i]; {
		case row.Mode != string(m):
		case row.Variant == option.AlsoControl:
			control = row
		case row.Variant == "":
			plain = row
		}
	}
	if plain == nil || control == nil {
		return r, false
	}
	var a, b []float64
	var runs []int
	for i := range plain.Rounds {
		a = append(a, figureOf(&plain.Rounds[i]))
		b = append(b, figureOf(&control.Rounds[i]))
		runs = append(runs, plain.Rounds[i].Run)
	}
	return ratio.Of(a, b, runs), true
}
