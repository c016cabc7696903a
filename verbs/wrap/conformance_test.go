package wrap_test

import (
	"os"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
	"github.com/ibperf/ibperf/verbs/verbstest"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// TestMain lets the suite start this binary as a second process.
func TestMain(m *testing.M) { verbstest.Child(); os.Exit(m.Run()) }

// A device that is wrapped is a device, whether it is slower or not.
func TestConformance(t *testing.T) {
	for name, o := range map[string]wrap.Options{
		"forwarded": {},
		"delayed": {
			PostDelay:    wrap.Constant(2 * time.Microsecond).Posts,
			ArrivalDelay: wrap.Constant(20 * time.Microsecond).Arrivals,
		},
		"scattering": {ScatterToCQE: 32},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verbstest.Run(t, verbstest.TargetOf(wrap.Device(lookup(t, "shm_whole"), o)))
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
