package plots

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// upTo64K is a comparison in which data is faster up to 64 KiB and, by chance, at 1 MiB.
func upTo64K(t *testing.T) *result.File {
	t.Helper()
	sizes := []int{8, 512, 65536, 131072, 262144, 524288, 1 << 20, 1 << 21}
	return testresult.Comparison(t, "write", option.KindLatency, sizes, map[option.Mode][]float64{
		option.ModeData: {0.5, 0.6, 0.8, 1, 1, 1, 0.9, 1}, option.ModeEvent: {20, 20, 10, 8, 5, 4, 3, 2},
	})
}

// The change point is a line between the last size at which data is faster and the next one.
func TestChangePointIsBetweenItsSizes(t *testing.T) {
	svg := drawingNamed(t, "ratio", upTo64K(t))
	text := textAt(t, svg, "data is faster up to 64K")
	points := tooltipsOf(t, svg, "data")
	if last, next := points[2], points[3]; text.X < last.X-120 || text.X > next.X+10 {
		t.Errorf("the label is at %v, between %v and %v", text, last, next)
	}
	all := testresult.Comparison(t, "write", option.KindLatency, []int{8, 512}, map[option.Mode][]float64{option.ModeData: {0.5, 0.6}})
	if svg := drawingNamed(t, "ratio", all); strings.Contains(svg, "faster up to") {
		t.Error("there is a change point where data is faster at every size")
	}
}

// A point that is faster beyond the change point, and those that are unclear, are hollow.
func TestIslandsAreHollow(t *testing.T) {
	f := upTo64K(t)
	g := groupsOf([]*result.File{f}, nil)[0]
	doubtful := map[int]bool{}
	for _, e := range g.Entries() {
		if v, ok := g.ratio(e); ok && e.Mode == option.ModeData {
			doubtful[e.Size] = v.doubtful
		}
	}
	if !doubtful[1<<20] || doubtful[8] || doubtful[65536] || doubtful[131072] {
		t.Errorf("doubtful: %v", doubtful)
	}
	svg := drawingNamed(t, "ratio", f)
	textAt(t, svg, unclearText)
	if title := tooltipsOf(t, svg, "data")[6].Title; !strings.HasPrefix(title, "data, 1M bytes") || !strings.Contains(title, "*") {
		t.Errorf("the tooltip says %q", title)
	}
}

// Nothing is recommended of data that the verdict excludes.
func TestNoChangePointOfForcedData(t *testing.T) {
	f := upTo64K(t)
	for i := range f.Rows {
		f.Rows[i].Forced = f.Rows[i].Mode == option.ModeData
	}
	if svg := drawingNamed(t, "ratio", f); strings.Contains(svg, "faster up to") {
		t.Error("there is a change point of forced data")
	}
}
