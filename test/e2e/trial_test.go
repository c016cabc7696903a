//go:build trials

package e2e

import "testing"

// All command lines of testdata/commands.txt.
func TestTrialOfCommandLines(t *testing.T) {
	for _, c := range commands(t) {
		t.Run(c.line(), c.try)
	}
}

// All command lines of testdata/beside.txt.
func TestTrialBesidePerftest(t *testing.T) {
	for _, b := range besides(t) {
		t.Run(b.line, b.try)
	}
}
