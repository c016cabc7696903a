package chart

import (
	"testing"

	"github.com/ibperf/ibperf/reports/page"
)

// Dark pages have a color for each color of figures.
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
