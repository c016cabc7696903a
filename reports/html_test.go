package reports

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/result"
)

var allModes = []string{"data", "poll", "event"}

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
		"the run was interrupted", "p99.99 is from fewer than 10000 samples", "0.62 [0.6", "The modes differ in: opcode", "99.8 / 99.8", "1.000 / 1.000", units.UsecText(lat.Rows[0].Latency.P50Ns),
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

// The page names the transport of each run, what was lost, and why there is no mode data.
func TestPageOfTransports(t *testing.T) {
	page := writePage(t, synthetic.Transports(t)...)
	for _, want := range []string{
		"shm_whole · UC, UD, XRC, RC with SRQ, RC · node1 and node2", "device shm_whole, RC with SRQ, QPs 1", "device shm_whole, UD, QPs 1",
		"Atomic Latency Test", "Atomic BW Test", "ATOMIC_FETCH_AND_ADD", "100 of 5000 messages were lost",
		"send latency over UD: messages lost: poll 0 %, event 2 %", "over UD a SEND may be lost", "the messages of all QPs take the receives of a shared receive queue",
		"an atomic operation brings what was at the peer", "<dt>Connection type</dt><dd>XRC",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
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

func TestCardsAreShort(t *testing.T) {
	g := &Group{Op: "write", Kind: result.KindLatency}
	for n, want := range map[int]string{4: "d", 5: "more in the section"} {
		v := &Verdict{Cards: []Card{{Op: g.Op, Kind: g.Kind, Lines: []string{"a", "b", "c", "d", "e"}[:n]}}}
		lines := cards(v, []*Group{g}, []page.Section{{ID: "x"}})[0].Lines
		if len(lines) != 4 || lines[3] != want || len(v.Cards[0].Lines) != n {
			t.Errorf("of %d lines %q", n, lines)
		}
	}
}

func TestCardsLeadToTheirTests(t *testing.T) {
	checked := synthetic.File(t, "write", result.KindBandwidth, []int{64}, "poll")
	checked.Parameters.Verify = true
	groups := Groups([]*result.File{checked, synthetic.File(t, "write", result.KindBandwidth, []int{64}, "poll")})
	sections := []page.Section{{ID: "checked"}, {ID: "plain"}}
	v := &Verdict{Cards: []Card{{Op: "write", Kind: result.KindBandwidth, Title: "x"}, {Op: "read", Kind: result.KindLatency}}}
	if got := cards(v, groups, sections); len(got) != 1 || got[0].Section != "plain" || got[0].Title != "x" {
		t.Errorf("cards are %+v", got)
	}
	if got := cards(v, groups[:1], sections[:1]); len(got) != 1 || got[0].Section != "checked" {
		t.Errorf("with checked runs only: %+v", got)
	}
}

func TestWhatAllRunsShareStandsOnce(t *testing.T) {
	var files []*result.File
	for _, op := range []string{"write", "send", "read"} {
		for _, kind := range []string{result.KindLatency, result.KindBandwidth} {
			files = append(files, synthetic.File(t, op, kind, []int{64}, "data", "poll"))
		}
	}
	files[5].Local.Governor = "powersave"
	page := writePage(t, files...)
	for text, want := range map[string]int{
		"6.1.0-56-amd64": 2, // of both sides
		"powersave":      1, "stands in for RDMA hardware": 1, "<dt>latency.p99_9_ns": 1,
		"<dt>latency</dt>": 2, "RDMA_Read Latency Test: the full round trip": 1,
	} {
		if got := strings.Count(page, text); got != want {
			t.Errorf("%q stands %d times, want %d", text, got, want)
		}
	}
}

func TestParametersWithoutAValueAreLeftOut(t *testing.T) {
	f := synthetic.File(t, "write", result.KindBandwidth, []int{64}, "poll")
	f.Parameters.Iterations, f.Parameters.Duration = 0, time.Second
	if page := writePage(t, f); strings.Contains(page, "<dt>Messages</dt>") || !strings.Contains(page, "<dt>Duration</dt><dd>1 s") {
		t.Error("a run for a time tells of messages")
	}
}

func TestSectionsHaveIDsOfTheirOwn(t *testing.T) {
	var files []*result.File
	for _, size := range []int{8, 64} { // two sweeps
		for _, qps := range []int{1, 4, 16} {
			f := synthetic.File(t, "write", result.KindBandwidth, []int{size}, "data", "poll")
			f.Parameters.QPs = qps
			files = append(files, f)
		}
	}
	page := writePage(t, files...)
	for _, id := range []string{`id="write_bw_qps"`, `id="write_bw_qps_2"`} {
		if strings.Count(page, id) != 1 {
			t.Errorf("%s stands %d times", id, strings.Count(page, id))
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
