package sketch

import (
	"testing"

	"github.com/ibperf/ibperf/reports/page"
)

// Pages are dark for those who want it, and their figures with them.
func TestPagesKnowAllColors(t *testing.T) {
	all := Colors()
	for _, hex := range all {
		if _, known := page.Dark(hex); !known {
			t.Errorf("a dark page does not know %s", hex)
		}
	}
	if len(all) < 10 {
		t.Errorf("%d colours", len(all))
	}
}
