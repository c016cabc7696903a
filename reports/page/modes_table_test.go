package page

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// shown returns a merged table as text: heads, then rows.
func shown(t *Table) string {
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
	f := testresult.File(t, "write", option.KindLatency, []int{2, 64}, allModes...)
	f.Rows = f.Rows[:5] // no event at 64 bytes
	for i := range f.Rows[3].Rounds {
		f.Rows[3].Rounds[i].P50Ns = f.Rows[4].Rounds[i].P50Ns
	}
	want := `data: median ratio 99 % core busy; poll: median 99 % core busy; event: median ratio 99 % core busy wake-ups; 
2 | 0.104 0.61 [0.61-0.62] (faster) 0.235 99.8 / 99.8 0.170 0.297 99.8 / 99.8 5.609 33.0 [32.6-33.4] (slower) 8.056 41.0 / 41.0 1.000 / 1.000
64 | 0.171 1.00 [1.00-1.00] (same) 0.186 99.8 / 99.8 0.171 0.259 99.8 / 99.8 - - - - -`
	if got := shown(mergedTable(rows.Groups([]*result.File{f})[0])); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Of the control only the ratio is shown, with the footnotes of its row.
func TestMergedTableOfSixRows(t *testing.T) {
	f := testresult.Controlled(testresult.File(t, "write", option.KindLatency, []int{64}, option.Modes()...), 1.5)
	f.Rows[5].Warnings = []result.Warning{{ID: result.WarnTwoLevels, Text: "rounds at two levels"}}
	table := mergedTable(rows.Groups([]*result.File{f})[0])
	var names []string
	for _, g := range table.Groups {
		names = append(names, g.Name)
	}
	if want := []string{"data", "poll", "counter", "adaptive", "event", "poll (control)"}; !slices.Equal(names, want) {
		t.Errorf("groups %q, want %q", names, want)
	}
	last := table.Groups[5]
	cell := table.Rows[0].Cells[len(table.Rows[0].Cells)-1]
	if len(last.Columns) != 1 || last.Mode != "poll" || !strings.HasPrefix(cell.Text, "1.50 [") || cell.Small != "failed" || !slices.Equal(cell.Marks, []int{1}) {
		t.Errorf("the control has %+v, %+v", last, cell)
	}
}

func TestMergedTableAlongQPs(t *testing.T) {
	var files []*result.File
	for _, qps := range []int{1, 4, 16} {
		f := testresult.File(t, "write", option.KindBandwidth, []int{64}, "data", "poll")
		f.Parameters.QPs = qps
		f.Rows[0].Forced = qps == 4
		files = append(files, f)
	}
	table := mergedTable(rows.Groups(files)[0])
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
	f := testresult.File(t, "read", option.KindBandwidth, []int{64}, "poll")
	want := "poll: average core busy; \n64 | 23.31 99.8 / 99.8"
	if got := shown(mergedTable(rows.Groups([]*result.File{f})[0])); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
