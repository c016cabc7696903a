package page

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// warned returns a file with warnings of every kind, which contain name.
func warned(t *testing.T, name string, kind option.Kind, sizes ...int) *result.File {
	t.Helper()
	f := testresult.File(t, "write", kind, sizes, allModes...)
	f.Error, f.Interrupted, f.Limits = name+` ended & "early"`, true, name+" is limited"
	f.Warnings = append(f.Warnings, result.Warning{ID: "x", Text: name + " <run>"}, result.Warning{ID: "forced-data", Text: name + " forced"})
	f.NotMeasured = []result.Missing{{Size: sizes[0], Mode: "poll+look", Why: name + " is missing"}}
	for i := range f.Rows {
		f.Rows[i].Warnings = append(f.Rows[i].Warnings, result.Warning{ID: "all", Text: name + " all\nrows"})
	}
	f.Rows[1].Warnings = append(f.Rows[1].Warnings, result.Warning{ID: "one", Text: name + " one row"})
	f.Rows[2].NoRatio = name + " has no ratio"
	return f
}

// warningsOf returns the texts of all warnings of a file.
func warningsOf(f *result.File) (all []string) {
	for _, w := range rows.Notices(f) {
		all = append(all, w.Text)
	}
	for _, r := range f.Rows {
		for _, w := range r.Warnings {
			all = append(all, w.Text)
		}
		all = append(all, r.NoRatio)
	}
	for _, m := range f.NotMeasured {
		all = append(all, m.Why)
	}
	return append(all, f.Limits)
}

func TestNoWarningIsLost(t *testing.T) {
	lat, bw := warned(t, "latency", option.KindLatency, 2, 64), warned(t, "bandwidth", option.KindBandwidth, 8, 64)
	again := warned(t, "again", option.KindLatency, 2, 64)
	checked := warned(t, "checked", option.KindBandwidth, 64)
	checked.Parameters.Verify = true
	var sweep []*result.File
	for _, qps := range []int{4, 16, 64} {
		f := warned(t, "of QPs", option.KindBandwidth, 64)
		f.Parameters.QPs = qps
		sweep = append(sweep, f)
	}
	sweep[1].Warnings[0].Text = "only of 16 QPs"
	for name, files := range map[string][]*result.File{
		"one file": {lat}, "two runs of a test": {lat, again}, "a sweep": sweep, "all": append(sweep, lat, again, bw, checked),
	} {
		shown := html.UnescapeString(writePage(t, files...))
		for _, f := range files {
			for _, text := range warningsOf(f) {
				if !strings.Contains(shown, printable.Clean(text)) {
					t.Errorf("%s: the page lacks %q", name, text)
				}
			}
		}
	}
}

func TestWarningsOfRowsAreFootnotes(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{2, 64}, "data", "poll")
	f.Rows[0].Warnings = []result.Warning{{ID: "a", Text: "first"}, {ID: "b", Text: "second"}}
	f.Rows[3].Warnings = []result.Warning{{ID: "b", Text: "second"}}
	g := rows.Groups([]*result.File{f})[0]
	table := mergedTable(g)
	var marks [][]int
	for _, r := range table.Rows {
		for _, c := range r.Cells {
			if c.First {
				marks = append(marks, c.Marks)
			}
		}
	}
	if got := strings.Join(table.Notes, ","); got != "first,second" {
		t.Errorf("footnotes are %q", got)
	}
	if len(marks) != 4 || len(marks[0]) != 2 || marks[1] != nil || marks[2] != nil || len(marks[3]) != 1 || marks[3][0] != 2 {
		t.Errorf("marks are %v", marks)
	}
}

func TestWhatAllRowsAreWarnedOfStandsOnce(t *testing.T) {
	f := testresult.File(t, "write", option.KindBandwidth, []int{2, 64}, "data", "poll")
	for i := range f.Rows {
		f.Rows[i].Warnings = []result.Warning{{ID: "a", Text: "everywhere"}}
	}
	page := writePage(t, f)
	if strings.Count(page, "everywhere") != 1 || !strings.Contains(page, "All rows: everywhere") || strings.Contains(page, "<sup>") {
		t.Errorf("it is printed %d times", strings.Count(page, "everywhere"))
	}
}

// Red is for what makes numbers wrong, unsafe or incomplete.
func TestOnlyTroubleIsRed(t *testing.T) {
	red := regexp.MustCompile(`class="[^"]*(alert|bad)`)
	calm := testresult.File(t, "write", option.KindLatency, []int{2, 64}, allModes...)
	calm.Rows[0].Warnings = []result.Warning{{ID: "preempted", Text: "other work took it"}}
	if found := red.FindString(withoutVerdict(t, calm)); found != "" {
		t.Errorf("an ordinary page has %q", found)
	}
	for name, change := range map[string]func(f *result.File){
		"an error":     func(f *result.File) { f.Error = "gone" },
		"an interrupt": func(f *result.File) { f.Interrupted = true },
		"forced data":  func(f *result.File) { f.Rows[0].Forced = true },
		"wrong data":   func(f *result.File) { f.Rows[0].Verify = &result.Verify{Messages: 9, Torn: 1} },
	} {
		f := testresult.File(t, "write", option.KindLatency, []int{2, 64}, allModes...)
		change(f)
		if !red.MatchString(withoutVerdict(t, f)) {
			t.Errorf("%s is not red", name)
		}
	}
}

// withoutVerdict returns a page from its first section on.
func withoutVerdict(t *testing.T, f *result.File) string {
	page := writePage(t, f)
	return page[strings.Index(page, `<section id="`+rows.Groups([]*result.File{f})[0].Slug()):]
}
