package page

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// written writes a page and returns it.
func written(t *testing.T, p Page) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.html")
	if err := Write(path, p); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// figure is a drawing that holds text and a style.
func figure(t *testing.T, name, svg string) Figure {
	t.Helper()
	f := Figure{Name: name, Title: name, SVG: filepath.Join(t.TempDir(), name+".svg")}
	if err := os.WriteFile(f.SVG, []byte(`<?xml version="1.0"?>`+"\n<svg>"+svg+"</svg>"), 0o644); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPartsStandInOrder(t *testing.T) {
	fold := figure(t, "lat_more", "<text>folded</text>")
	fold.Title, fold.Detail = "Latency: by percentile", true
	got := written(t, Page{
		Title: "the title", Lead: "the lead",
		Answers:  []Answer{{Question: "Which way?", Lines: []string{"this way"}}},
		Cards:    []Card{{Section: "lat", Title: "a card", Lines: []string{"short"}}},
		Warnings: []string{"of all"},
		Sections: []Section{{ID: "lat", Title: "Latency", Slug: "lat", Notes: []string{"a note"}, Warnings: []string{"of this"},
			Table: &Table{Keys: []Head{{Name: "size"}}, Groups: []Group{{Name: "poll", Mode: "poll", Columns: []Head{{Name: "median"}}}},
				Rows: []Row{{Keys: []string{"8"}, Cells: []Cell{{Text: "1.234", Marks: []int{1}}}}}, Notes: []string{"a footnote"}}}},
		Figures:     []Figure{fold, figure(t, "lat_main", "<text>drawn</text>")},
		Definitions: [][2]string{{"median", "the middle"}},
	})
	at := 0
	for _, want := range []string{"the title", "the lead", "Which way?", "this way", `<a href="#lat"><b>a card</b>`, "short", "of all", `<section id="lat">`,
		"<text>drawn</text>", "<details><summary>More figures <small>by percentile</small>", "<text>folded</text>", "1.234<sup><a href=\"#lat-1\">1</a>", `<li id="lat-1">a footnote`,
		"a note", "of this", "the middle"} {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("no %q after %q", want, got[max(0, at-40):at])
		}
		at += i + len(want)
	}
}

func TestFiguresGoToTheSectionWithTheLongestSlug(t *testing.T) {
	got := written(t, Page{
		Sections: []Section{{ID: "a", Slug: "write_lat"}, {ID: "b", Slug: "write_lat_qps"}},
		Figures:  []Figure{figure(t, "write_lat_qps_64", "<text>sweep</text>"), figure(t, "write_lat_by_size", "<text>sizes</text>"), figure(t, "other", "<text>loose</text>")},
	})
	order := regexp.MustCompile(`id="[ab]"|sweep|sizes|loose`).FindAllString(got, -1)
	if want := `id="a" sizes id="b" sweep loose`; strings.Join(order, " ") != want {
		t.Errorf("got %q, want %q", order, want)
	}
}

func TestSectionsWithoutCardsAreLinked(t *testing.T) {
	got := written(t, Page{Cards: []Card{{Section: "a"}}, Sections: []Section{{ID: "a", Title: "A"}, {ID: "b", Title: "B"}}})
	if strings.Count(got, `href="#a"`) != 1 || strings.Count(got, `href="#b"`) != 1 {
		t.Errorf("links are %q", regexp.MustCompile(`<a .*`).FindAllString(got, -1))
	}
}

func TestAlertsStandAboveAllSections(t *testing.T) {
	got := written(t, Page{Sections: []Section{{ID: "a", Title: "A"}, {ID: "b", Title: "B", Alerts: []string{"the peer went away"}}}})
	if first := strings.Index(got, "the peer went away"); first < 0 || first > strings.Index(got, "<section") {
		t.Error("an alert is not above the sections")
	}
	if strings.Count(got, "the peer went away") != 2 {
		t.Error("the alert is not in its section")
	}
}
