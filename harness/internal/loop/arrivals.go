package loop

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ibperf/ibperf/harness/internal/testcase"
)

// arrivals are the distances of the times at which the messages of an open loop are due. They are drawn before the clock
// starts. The rounds of all modes with the same number have the same.
type arrivals struct {
	rounds uint64    // rounds that have begun
	gaps   []float64 // ns, used in turn
}

// drawn is the number of distances that are drawn for a round. Their mean is exactly that of the rate.
const drawn = 1 << 16

// begin draws the distances of a round.
func (a *arrivals) begin(c *testcase.Case, seed int) {
	a.rounds++
	switch {
	case !c.OpenLoop:
		return
	case !c.Poisson:
		a.gaps = append(a.gaps[:0], c.Interval)
		return
	}
	random := rand.New(rand.NewPCG(uint64(seed), a.rounds))
	a.gaps = slices.Grow(a.gaps[:0], drawn)[:drawn]
	sum := 0.0
	for i := range a.gaps {
		a.gaps[i] = random.ExpFloat64()
		sum += a.gaps[i]
	}
	for i := range a.gaps {
		a.gaps[i] *= c.Interval * drawn / sum
	}
}

// longest returns the longest distance, an hour at most.
func (a *arrivals) longest() time.Duration {
	if len(a.gaps) == 0 {
		return 0
	}
	return time.Duration(min(slices.Max(a.gaps), float64(time.Hour)))
}
