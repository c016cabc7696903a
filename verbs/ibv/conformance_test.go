//go:build linux && cgo

package ibv

import (
	"os"
	"testing"

	"github.com/ibperf/ibperf/verbs/verbstest"
)

// TestMain lets the suite start this binary as a second process.
func TestMain(m *testing.M) { verbstest.Child(); os.Exit(m.Run()) }

// TestConformance holds the device to the statements of the suite.
func TestConformance(t *testing.T) {
	verbstest.Run(t, verbstest.TargetOf(testDevice(t)))
}
