package layers

import (
	"slices"
	"testing"
)

// TestEveryPackageChecksForLeaks fails if the tests of a package of the product do not end with [leak.Main].
func TestEveryPackageChecksForLeaks(t *testing.T) {
	for pkg, imported := range imports(t, true) {
		if pkg != "internal/leak" && !slices.Contains(imported, "internal/leak") {
			t.Errorf("%s does not check for leaks", pkg)
		}
	}
}
