package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMutationsFit: the text that each mutation changes is in the tree, exactly
// once, so that a change of the device that moves it is noticed at once. The
// mutations themselves take too long for here: make mutations.
func TestMutationsFit(t *testing.T) {
	said := map[string]bool{}
	for _, m := range mutations() {
		source, err := os.ReadFile(filepath.Join("../..", target, m.file))
		if err != nil {
			t.Errorf("%s: %v", m.says, err)
			continue
		}
		if n := strings.Count(string(source), m.old); n != 1 || m.old == m.new {
			t.Errorf("%s: %s has the text %d times:\n%s", m.says, m.file, n, m.old)
		}
		if said[m.says] {
			t.Errorf("two mutations say %q", m.says)
		}
		said[m.says] = true
	}
}
