//go:build linux && cgo

package ibv

import (
	"testing"

	"github.com/ibperf/ibperf/verbs/verbstest"
)

// TestConformance holds the device to the statements of the suite.
func TestConformance(t *testing.T) {
	verbstest.Run(t, verbstest.TargetOf(testDevice(t)))
}
