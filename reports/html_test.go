package reports

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/result"
)

func writePage(t *testing.T, files ...*result.File) string {
	t.Helper()
	dir := t.TempDir()
	var figures []page.Figure
	for _, f := range files {
		figures = append(figures, blankFigure(t, dir, Slug(f.Op, f.Kind, "by_size")))
	}
	path := filepath.Join(dir, "index.html")
	if err := WriteHTML(path, files, figures); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// blankFigure is a drawing of nothing.
func blankFigure(t *testing.T, dir, name string) page.Figure {
	t.Helper()
	fig := page.Figure{Name: name, SVG: filepath.Join(dir, name+".svg")}
	if err := os.WriteFile(fig.SVG, []byte(`<?xml version="1.0"?><svg></svg>`), 0o644); err != nil {
		t.Fatal(err)
	}
	return fig
}

func TestPageHoldsNumbersWarningsAndFigures(t *testing.T) {
	lat := synthetic.File(t, "write", result.KindLatency, []int{2, 64}, "data", "poll", "event")
	lat.Interrupted = true
	lat.Rows[0].Verify = &result.Verify{Messages: 10, Torn: 1, First: "message 4, byte 9"}
	bw := synthetic.File(t, "read", result.KindBandwidth, []int{64}, "poll")
	page := writePage(t, lat, bw)
	for _, want := range []string{
		"RDMA_Write Latency Test", "RDMA_Read BW Test", "software device: embedded shared memory",
		"the run was interrupted", "p99.99 is from fewer than 10000 samples", "0.62 [0.6", "The modes differ in: opcode", "busy", units.UsecText(lat.Rows[0].Latency.P50Ns),
		"Data check FAILED", "message 4, byte 9", "whole message", "ibv_query_qp_data_in_order",
		"half of the round trip", "TX depth", "6.1.0-56-amd64", "node2",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if got := strings.Count(page, "<svg"); got != 2 {
		t.Errorf("%d figures, want 2", got)
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	page := writePage(t, synthetic.File(t, "write", result.KindLatency, []int{2}, "poll"))
	for _, pattern := range []string{`(?i)<script`, `(?i)<link`, `(?i)<img`, `(?i)@import`, `(?i)url\(`, `href="[^#]`, `<\?xml`} {
		if found := regexp.MustCompile(pattern).FindString(page); found != "" {
			t.Errorf("the page contains %q", found)
		}
	}
}

func TestPageEscapesHostileStrings(t *testing.T) {
	const evil = `<script>alert(1)</script>"'>&`
	f := synthetic.File(t, "write", result.KindLatency, []int{2}, "poll", "data")
	f.Op, f.Program, f.Role, f.Error, f.Release = evil, evil, evil, evil, evil
	f.Command, f.Local, f.Parameters.Transport = []string{evil}, result.Side{Host: evil, Kernel: evil, CPU: evil, Governor: evil,
		Libraries: map[string]string{evil: evil}, Order: result.Order{Query: evil, Answer: evil},
		Device: result.Device{Name: evil, Software: evil, Firmware: evil, LinkLayer: evil, GID: evil}}, evil
	f.Warnings = []result.Warning{{ID: evil, Text: evil}}
	f.Rows[0].Opcode, f.Rows[0].Warnings = evil, f.Warnings
	f.Rows[0].Verify = &result.Verify{Messages: 1, Torn: 1, First: evil}
	f.Definitions, f.Units = map[string]string{evil: evil, "latency": evil}, map[string]string{evil: evil}
	if page := writePage(t, f); strings.Contains(page, "<script") {
		t.Errorf("a string of the file became markup: ...%s", page[strings.Index(page, "<script"):][:80])
	}
}

func TestPageOfNearlyNothing(t *testing.T) {
	for name, f := range emptyFiles(t) {
		path := filepath.Join(t.TempDir(), "index.html")
		if err := WriteHTML(path, []*result.File{f}, nil); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if page := string(page); strings.Contains(page, "NaN") || strings.Contains(page, "Inf<") {
			t.Errorf("%s: not a number on the page", name)
		}
	}
}

func TestPageErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	if err := WriteHTML(filepath.Join(dir, "no", "index.html"), nil, nil); err == nil || !strings.Contains(err.Error(), "create the folder") {
		t.Errorf("missing folder: %v", err)
	}
	fig := page.Figure{SVG: filepath.Join(dir, "gone.svg")}
	if err := WriteHTML(filepath.Join(dir, "index.html"), nil, []page.Figure{fig}); err == nil || !strings.Contains(err.Error(), fig.SVG) {
		t.Errorf("missing figure: %v", err)
	}
}
