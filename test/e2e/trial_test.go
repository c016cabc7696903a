//go:build trials

package e2e

import (
	"strings"
	"testing"
)

// All command lines of testdata/commands.txt.
func TestTrialOfCommandLines(t *testing.T) {
	for _, c := range commands(t) {
		t.Run(strings.Join(append([]string{c.program}, c.args...), " "), c.try)
	}
}
