package testcase

import (
	"testing"

	"github.com/ibperf/ibperf/option"
)

// TestEveryModeIsInTheTable: a mode without an entry would be measured as poll.
func TestEveryModeIsInTheTable(t *testing.T) {
	for _, m := range option.Modes() {
		if _, ok := detections[m]; !ok {
			t.Errorf("mode %s is not in the table of detections", m)
		}
	}
}
