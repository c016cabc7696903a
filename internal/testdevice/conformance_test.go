package testdevice_test

import (
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/emulation"
	"github.com/ibperf/ibperf/internal/leak"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// TestMain lets the suite start this binary as a second process.
func TestMain(m *testing.M) { verbstest.Child(); leak.Main(m) }

// TestConformance checks the statements of the suite on wrapped devices.
func TestConformance(t *testing.T) {
	for name, o := range map[string]testdevice.Options{
		"forwarded": {},
		"delayed": {
			PostDelay:    testdevice.Constant(2 * time.Microsecond).Posts,
			ArrivalDelay: testdevice.Constant(20 * time.Microsecond).Arrivals,
		},
		"scattering": {ScatterToCQE: 32},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := verbstest.TargetOf(testdevice.Device(lookup(t, "shm_whole"), o))
			if emulation.On() {
				target.Peer = verbstest.NoPeer
			}
			verbstest.Run(t, target)
		})
	}
}

func lookup(t testing.TB, name string) verbs.Device {
	t.Helper()
	d, err := verbs.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
