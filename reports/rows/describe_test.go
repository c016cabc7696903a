package rows

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
)

// TestEveryTestHasPerftestsTitle: an operation without a title of its own has its name.
func TestEveryTestHasPerftestsTitle(t *testing.T) {
	for _, test := range option.Tests() {
		if title := TestTitle(test.Op, test.Kind); strings.HasPrefix(title, string(test.Op)) {
			t.Errorf("%s has the title %q", test.Program(), title)
		}
	}
}
