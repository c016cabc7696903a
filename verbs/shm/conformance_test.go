package shm_test

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/emulation"
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
			target := verbstest.TargetOf(must(verbs.Lookup(name))(t))
			if emulation.On() {
				target.Peer = verbstest.NoPeer
			}
			verbstest.Run(t, target)
		})
	}
}

// TestOrderIsKept runs the statements about order on devices that hold back every second WRITE, or complete it before the
// peer has its data, or both.
func TestOrderIsKept(t *testing.T) {
	for _, name := range []string{"shm_whole:late=2", "shm_whole:early=2", "shm_unordered:late=2:early=2"} {
		target := verbstest.TargetOf(must(verbs.Lookup(name))(t))
		noError(t, target.Resolve())
		for _, row := range verbstest.Coverage() {
			if strings.HasPrefix(row.ID, "ORD-") {
				if r := verbstest.Check(target, row.ID); r.Outcome != verbstest.Holds {
					t.Errorf("%s: %s, %q: %s %s", name, row.ID, row.Text, r.Outcome, r.Reason)
				}
			}
		}
	}
}
