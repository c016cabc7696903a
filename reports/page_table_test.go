package reports

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/result"
)

// shown is a merged table as text: heads, then rows.
func shown(t *page.Table) string {
	var b strings.Builder
	for _, g := range t.Groups {
		b.WriteString(g.Name + ":")
		for _, c := range g.Columns {
			b.WriteString(" " + c.Name)
		}
		b.WriteString("; ")
	}
	for _, r := range t.Rows {
		b.WriteString("\n" + strings.Join(r.Keys, " ") + " |")
		for _, c := range r.Cells {
			b.WriteString(" " + c.Text)
			if c.Small != "" {
				b.WriteString(" (" + c.Small + ")")
			}
		}
	}
	return b.String()
}

func TestMergedTableOfLatencies(t *testing.T) {
	f := synthetic.File(t, "write", result.KindLatency, []int{2, 64}, allModes...)
	f.Rows = f.Rows[:5] // no event at 64 bytes
	for i := range f.Rows[3].Rounds {
		f.Rows[3].Rounds[i].P50Ns = f.Rows[4].Rounds[i].P50Ns
	}
	want := `data: median round ratio 99 % core busy; poll: median round 99 % core busy; event: median round ratio 99 % core busy wake-ups; 
2 | 0.105 0.62 [0.61-0.62] 0.235 99.8 / 99.8 0.170 0.297 99.8 / 99.8 5.608 32.9 [32.6-33.4] 8.056 41.0 / 41.0 1.000 / 1.000
64 | 0.171 1.00 [1.00-1.00] (no difference) 0.186 99.8 / 99.8 0.171 0.259 99.8 / 99.8 - - - - -`
	if got := shown(mergedTable(Groups([]*result.File{f})[0])); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMergedTableAlongQPs(t *testing.T) {
	var files []*result.File
	for _, qps := range []int{1, 4, 16} {
		f := synthetic.File(t, "write", result.KindBandwidth, []int{64}, "data", "poll")
		f.Parameters.QPs = qps
		f.Rows[0].Forced = qps == 4
		files = append(files, f)
	}
	table := mergedTable(Groups(files)[0])
	if table.Keys[0].Name != "QPs" || len(table.Rows) != 3 || table.Rows[2].Keys[0] != "16" {
		t.Errorf("got\n%s", shown(table))
	}
	for i, r := range table.Rows {
		if forced := i == 1; r.Cells[0].Bad != forced || strings.HasSuffix(r.Cells[0].Text, "!") != forced {
			t.Errorf("row %d begins with %+v", i, r.Cells[0])
		}
	}
}

func TestMergedTableOfOneMode(t *testing.T) {
	f := synthetic.File(t, "read", result.KindBandwidth, []int{64}, "poll")
	want := "poll: median round core busy; \n64 | 2784.22 99.8 / 99.8"
	if got := shown(mergedTable(Groups([]*result.File{f})[0])); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
