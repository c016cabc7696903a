package page

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/result"
)

// TestEveryModeHasAColorInTables: the groups of columns in tables have the colors of the figures' modes.
func TestEveryModeHasAColorInTables(t *testing.T) {
	for _, m := range result.ModeOrder {
		if rule := ".merged ." + string(m) + " { border-color: var(--" + string(m) + "); }"; !strings.Contains(pageStyle, rule) {
			t.Errorf("page.css has no rule %q", rule)
		}
	}
}
