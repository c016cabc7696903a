package compare

import (
	"strconv"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// pauses are the points of the sweep along pauses.
var pauses = []time.Duration{0, time.Microsecond, 10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond, 10 * time.Millisecond}

// pausedMessages is the least number of messages of a row with pauses.
const pausedMessages = 30

// withPauses returns the parts of the sweep along pauses.
func withPauses(base *option.Plan, size []int) (all []Part) {
	for _, pause := range pauses {
		p := planOf(base, swept(base), option.KindLatency)
		p.Sizes, p.Gap, p.Duration = size, pause, max(p.Duration, pausedMessages*pause)
		usec := strconv.FormatInt(pause.Microseconds(), 10)
		all = append(all, Part{name(&p) + "-gap-" + usec + "us", p.Program() + " with " + usec + " usec between messages", p, result.SweepGap, Rate{}})
	}
	return all
}
