//go:build linux && cgo

package ibv

import (
	"os"
	"testing"

	"github.com/ibperf/ibperf/verbs/verbstest"
)

// TestMain lets the suite start this binary as a second process.
func TestMain(m *testing.M) {
	verbstest.Child()
	status := m.Run()
	os.RemoveAll(stubLibrary)
	os.Exit(status)
}

// TestConformance holds the device to the statements of the suite.
func TestConformance(t *testing.T) {
	verbstest.Run(t, verbstest.TargetOf(testDevice(t), givenQuirks(t)...))
}

// givenQuirks returns those of the file that -quirks names.
func givenQuirks(t *testing.T) []verbstest.Quirk {
	t.Helper()
	if *quirksFile == "" {
		return nil
	}
	text, err := os.ReadFile(*quirksFile)
	if err != nil {
		t.Fatal(err)
	}
	quirks, err := verbstest.ParseQuirks(*quirksFile, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return quirks
}
