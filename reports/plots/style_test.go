package plots

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/result"
)

// TestEveryModeHasAStyle: a mode without a color is drawn transparent, and one without a marker panics.
func TestEveryModeHasAStyle(t *testing.T) {
	for _, m := range result.ModeOrder {
		if modeColors[m].A == 0 {
			t.Errorf("mode %s has no color", m)
		}
		if c := fmt.Sprintf("#%02X%02X%02X", modeColors[m].R, modeColors[m].G, modeColors[m].B); !slices.Contains(chart.Colors(), c) {
			t.Errorf("the color %s of mode %s is not in chart.Colors, so pages do not replace it", c, m)
		}
		if modeShapes[m] == nil || outlines[m] == nil {
			t.Errorf("mode %s has no marker", m)
		}
	}
	for _, v := range option.RowVariants() {
		if v != option.VariantControl && variantShapes[v] == nil {
			t.Errorf("variant %s has no marker", v)
		}
	}
}
