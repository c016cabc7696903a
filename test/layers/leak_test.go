package layers

import (
	"slices"
	"testing"
)

// unchecked are packages whose tests leave objects or buffers of devices, or descriptors of a C library behind.
var unchecked = []string{"harness", "internal/pmix", "verbs/ibv"}

// TestEveryPackageChecksForLeaks fails if the tests of a package of the product do not end with [leak.Main].
func TestEveryPackageChecksForLeaks(t *testing.T) {
	for pkg, imported := range imports(t, true) {
		checks := pkg == "internal/leak" || slices.Contains(imported, "internal/leak")
		if checks == slices.Contains(unchecked, pkg) {
			t.Errorf("%s: checks for leaks: %v", pkg, checks)
		}
	}
}
