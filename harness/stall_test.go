package harness

import (
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// A run whose messages never arrive ends after loop.StallLimit, in every mode, with an error that says so.
func TestStalledRunEnds(t *testing.T) {
	before := loop.StallLimit
	loop.StallLimit = 300 * time.Millisecond
	defer func() { loop.StallLimit = before }()
	for _, mode := range []option.Mode{option.ModePoll, option.ModeAdaptive, option.ModeEvent} {
		for _, kind := range allKinds {
			p := testPlan(option.OpSend, kind, 8, 100)
			p.Completion, p.Touch = mode, option.TouchRead
			lose := func(side int, ctx verbs.Context) verbs.Context {
				if side == 0 {
					return ctx
				}
				return testdevice.Context(ctx, testdevice.Options{ArrivalDelay: testdevice.Constant(time.Hour).Arrivals})
			}
			_, errs := pair{device: "shm_whole", plan: p, wrap: lose}.run(t)
			if errs[0] == nil && errs[1] == nil {
				t.Errorf("%s %s: the run ended well", kind, mode)
			}
			if text := errs[0].Error() + errs[1].Error(); !strings.Contains(text, "no message arrived for") {
				t.Errorf("%s %s: %s", kind, mode, text)
			}
		}
	}
}
