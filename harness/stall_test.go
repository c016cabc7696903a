package harness

import (
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// A run whose messages are never seen ends, in every mode, and says what may be behind it.
func TestRunWithoutMessagesEnds(t *testing.T) {
	before := stallLimit
	stallLimit = 300 * time.Millisecond
	defer func() { stallLimit = before }()
	for _, mode := range []option.Mode{option.ModePoll, option.ModeEvent} {
		for _, kind := range allKinds {
			p := testPlan(option.OpSend, kind, 8, 100)
			p.Completion, p.Touch = mode, option.TouchRead
			lose := func(side int, ctx verbs.Context) verbs.Context {
				if side == 0 {
					return ctx
				}
				return wrap.Context(ctx, wrap.Options{ArrivalDelay: wrap.Constant(time.Hour).Arrivals})
			}
			_, errs := pair{device: "shm_whole", plan: p, wrap: lose}.run(t)
			if errs[0] == nil && errs[1] == nil {
				t.Errorf("%s %s: the run ended well", kind, mode)
			}
			if text := errs[0].Error() + errs[1].Error(); !strings.Contains(text, "no message was seen for") {
				t.Errorf("%s %s: %s", kind, mode, text)
			}
		}
	}
}
