//go:build trials

package harness

import (
	"testing"
	"time"
)

// The matrices of which make test runs samples.
func TestTrialOfWholeMatrices(t *testing.T) {
	wholeMatrix = true
	defer func() { wholeMatrix = false }()
	for name, test := range map[string]func(t *testing.T){
		"post lists": TestPostLists, "latency": TestLatencyIsExact, "mean latency": TestMeanOnlyIsExact, "bandwidth": TestBandwidthIsExact,
		"latency over several QPs": TestLatencyOverSeveralQPs, "transports": TestEveryTransportMovesEveryByte, "queueing theory": TestOpenLoopMeetsQueueingTheory, "open loops": TestOpenLoopIsLindleys,
	} {
		t.Run(name, test)
	}
}

// The long form of the test of controls: at most 10 % of the intervals exclude 1, and none by more than 5 %.
func TestTrialOfControls(t *testing.T) {
	const times = 100
	different, furthest := controls(t, times, 10, 200*time.Millisecond)
	if different > times/10 || furthest > 0.05 {
		t.Errorf("%d of %d intervals of poll's ratio to its control exclude 1, the furthest by %.1f %%", different, times, furthest*100)
	}
}
