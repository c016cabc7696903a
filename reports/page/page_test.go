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
	if err := p.Write(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// figure returns a drawing with a text and a style.
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
		Brief:    []Paragraph{{Text: "do this", Strong: true}, {Label: "Peak", Text: "high"}, {Text: "a  b\n1  2", Table: true}},
		Picture:  "lat_ratio",
		Answers:  []Answer{{Question: "Which way?", Lines: []string{"this way"}}},
		Warnings: []string{"of all"},
		Sections: []Section{{ID: "one", Title: "First"}, {ID: "lat", Title: "Latency", Slug: "lat", Repeat: Command{"this", []string{"serve", "it"}, []string{"start", "it"}}, Summary: []string{"short"}, Notes: []string{"a note"}, Warnings: []string{"of this"},
			Table: &Table{Keys: []Head{{Name: "size"}}, Groups: []Group{{Name: "poll", Mode: "poll", Columns: []Head{{Name: "median"}}}},
				Rows: []Row{{Keys: []string{"8"}, Cells: []Cell{{Text: "1.234", Marks: []int{1}}}}}, Notes: []string{"a footnote"}}}},
		Figures:     []Figure{fold, figure(t, "lat_main", "<text>drawn</text>"), figure(t, "lat_ratio", "<text>ratio</text>")},
		Definitions: [][2]string{{"median", "the middle"}},
	})
	at := 0
	for _, want := range []string{"the title", "the lead", `<p class="strong"><span>do this</span>`, "<b>Peak</b>", ">a  b\n1  2</pre>", "<text>ratio</text>",
		"<details class=\"answer\"><summary>Which way?", "this way", "of all", `<a href="#verdict">`, `<a href="#lat">Latency</a>`, `<section id="lat">`, "To repeat this:", "<span>serve</span> <span>it</span>", "<span>start</span> <span>it</span>", "short",
		"<text>drawn</text>", "<text>ratio</text>", "<details><summary>More figures <small>by percentile</small>", "<text>folded</text>", "1.234<sup><a href=\"#lat-1\">1</a>", `<li id="lat-1">a footnote`,
		"of this", "<details><summary>About these numbers", "a note", "the middle"} {
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
	order := regexp.MustCompile(`id="[ab]"|sweep|>sizes|loose`).FindAllString(got, -1)
	if want := `id="a" >sizes id="b" sweep loose`; strings.Join(order, " ") != want {
		t.Errorf("got %q, want %q", order, want)
	}
}

// The figure below the verdict is not repeated in the only section, which follows.
func TestPictureOfTheOnlySection(t *testing.T) {
	got := written(t, Page{Picture: "lat_ratio", Sections: []Section{{ID: "lat", Slug: "lat"}},
		Figures: []Figure{figure(t, "lat_ratio", "<text>ratio</text>"), figure(t, "lat_by_size", "<text>sizes</text>")}})
	order := regexp.MustCompile(`>ratio<|id="lat"|>sizes<|<nav`).FindAllString(got, -1)
	if want := `>ratio< id="lat" >sizes<`; strings.Join(order, " ") != want {
		t.Errorf("got %q, want %q", order, want)
	}
}

func TestNarrowFigures(t *testing.T) {
	f := figure(t, "one", "<text>wide</text>")
	f.Narrow = []byte(`<svg><text>narrow</text><g class="spots"><circle><title>x</title></circle></g></svg>`)
	got := written(t, Page{Figures: []Figure{f}})
	if !strings.Contains(got, "<text>wide</text></svg><figcaption>one</figcaption><svg><text>narrow</text></svg></figure>") {
		t.Errorf("no figure for narrow screens, or one with texts under the pointer: %s", got[strings.Index(got, "<figure"):])
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
