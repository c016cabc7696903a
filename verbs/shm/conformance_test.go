package shm_test

import (
	"testing"

	"github.com/ibperf/ibperf/internal/leak"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// TestMain lets the suite start this binary as a second process.
func TestMain(m *testing.M) { verbstest.Child(); leak.Main(m) }

// TestConformance runs the conformance suite on the listed devices.
func TestConformance(t *testing.T) {
	for _, name := range listed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verbstest.Run(t, verbstest.TargetOf(must(verbs.Lookup(name))(t)))
		})
	}
}
