package harness

import (
	"time"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// Times of the slowest side that is still of use. A side that needs longer for a step is lost, whatever it answers.
const (
	stepTime       = time.Minute           // for a step besides what follows
	setupPerQP     = 20 * time.Millisecond // to make, connect and destroy a QP, with rdma_cm too
	setupBytesPerS = 50e6                  // to register and fill memory
	messageTime    = 100 * time.Millisecond
	messageBytes   = 10e6 // per second
)

// PlanBounds returns the bounds of the peer's messages during a run of a plan.
func PlanBounds(plan option.ResolvedPlan) oob.Bounds {
	set := testcase.NewSet(plan.Plan())
	p, qps := &set.Plan, setQPs(set)
	setup := stepTime + time.Duration(qps)*setupPerQP + seconds(float64(p.Devices*set.Layout.Bytes())/setupBytesPerS)
	return oob.Run{QPs: qps, Threads: p.AllThreads(), Devices: p.Devices, Setup: setup, Round: longestRound(p)}.Bounds()
}

// longestRound returns the longest time of a round. In a bandwidth test the messages of the QPs are under way at the
// same time, as many as the depth allows.
func longestRound(p *option.Plan) time.Duration {
	messages, duration := roundLength(p, 0)
	largest := 0
	for _, size := range p.Sizes {
		largest = max(largest, size)
	}
	each := messageTime.Seconds()
	if p.Bandwidth() {
		each /= 10
	}
	if p.RateLimit > 0 || p.Gap > 0 {
		each += max(p.Gap, messageTime).Seconds()
	}
	if p.RateLimit > 0 {
		each += 1 / p.MessageRate(largest)
	}
	all := float64(messages+1) * float64(p.AllQPs()) * (each + float64(largest)/messageBytes)
	return max(duration, warmUp, p.Margin) + seconds(all)
}

// seconds returns a time in seconds, and at most the longest of a run.
func seconds(s float64) time.Duration {
	return time.Duration(min(s, option.MaxTime.Seconds()) * float64(time.Second))
}

// setQPs returns the number of QPs that each side makes.
func setQPs(s *testcase.Set) int { return len(s.Modes) * s.Plan.AllQPs() }
