package page

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
)

var allModes = []option.Mode{"data", "poll", "event"}

func writePage(t *testing.T, files ...*result.File) string {
	t.Helper()
	dir := t.TempDir()
	var figures []Figure
	for _, f := range files {
		figures = append(figures, blankFigure(t, dir, phrase.Slug(string(f.Op), string(f.Kind), "by_size")))
	}
	path := filepath.Join(dir, "index.html")
	if err := Write(path, files, figures); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// blankFigure returns an empty drawing.
func blankFigure(t *testing.T, dir, name string) Figure {
	t.Helper()
	fig := Figure{Name: name, SVG: filepath.Join(dir, name+".svg")}
	if err := os.WriteFile(fig.SVG, []byte(`<?xml version="1.0"?><svg></svg>`), 0o644); err != nil {
		t.Fatal(err)
	}
	return fig
}

func TestPageHoldsNumbersWarningsAndFigures(t *testing.T) {
	lat := testresult.File(t, "write", option.KindLatency, []int{2, 64}, "data", "poll", "event")
	lat.Interrupted = true
	lat.Rows[0].Verify = &result.Verify{Messages: 10, Torn: 1, First: "message 4, byte 9"}
	bw := testresult.File(t, "read", option.KindBandwidth, []int{64}, "poll")
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
	if got := strings.Count(page, "<svg"); got != 3 {
		t.Errorf("%d figures, want that of each section and one below the verdict", got)
	}
}

// The page names the transport of each run, the lost messages, and the reason against mode data.
func TestPageOfTransports(t *testing.T) {
	page := writePage(t, testresult.Transports(t)...)
	for _, want := range []string{
		"with data, poll and event on shm_whole", "device shm_whole, RC with SRQ, QPs 1", "device shm_whole, UD, QPs 1",
		"Atomic Latency Test", "Atomic BW Test", "ATOMIC_FETCH_AND_ADD", "100 of 5000 messages were lost",
		"send latency over UD: messages lost: poll 0 %, event 2 %", "over UD a SEND may be lost", "the messages of all QPs take receives of a shared receive queue",
		"an atomic operation returns the peer&#39;s value", "<dt>Connection type</dt><dd>XRC",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	page := writePage(t, testresult.File(t, "write", option.KindLatency, []int{2}, "poll"))
	for _, pattern := range []string{`(?i)<script`, `(?i)<link`, `(?i)<img`, `(?i)@import`, `(?i)url\(`, `href="[^#]`, `<\?xml`} {
		if found := regexp.MustCompile(pattern).FindString(page); found != "" {
			t.Errorf("the page contains %q", found)
		}
	}
}

func TestWhatAllRunsShareStandsOnce(t *testing.T) {
	var files []*result.File
	for _, op := range []option.Op{option.OpWrite, option.OpSend, option.OpRead} {
		for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
			files = append(files, testresult.File(t, op, kind, []int{64}, "data", "poll"))
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
			t.Errorf("%q is printed %d times, want %d", text, got, want)
		}
	}
}

func TestParametersWithoutAValueAreLeftOut(t *testing.T) {
	f := testresult.File(t, "write", option.KindBandwidth, []int{64}, "poll")
	f.Parameters.Iterations, f.Parameters.Duration = 0, time.Second
	if page := writePage(t, f); strings.Contains(page, "<dt>Messages</dt>") || !strings.Contains(page, "<dt>Duration</dt><dd>1 s") {
		t.Error("a run with a duration has a number of messages")
	}
}

func TestSectionsHaveIDsOfTheirOwn(t *testing.T) {
	var files []*result.File
	for _, size := range []int{8, 64} { // two sweeps
		for _, qps := range []int{1, 4, 16} {
			f := testresult.File(t, "write", option.KindBandwidth, []int{size}, "data", "poll")
			f.Parameters.QPs = qps
			files = append(files, f)
		}
	}
	page := writePage(t, files...)
	for _, id := range []string{`id="write_bw_qps"`, `id="write_bw_qps_2"`} {
		if strings.Count(page, id) != 1 {
			t.Errorf("%s is printed %d times", id, strings.Count(page, id))
		}
	}
}

func TestPageEscapesHostileStrings(t *testing.T) {
	const evil = `<script>alert(1)</script>"'>&`
	f := testresult.File(t, "write", option.KindLatency, []int{2}, "poll", "data")
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
	for name, f := range testresult.Empty(t) {
		path := filepath.Join(t.TempDir(), "index.html")
		if err := Write(path, []*result.File{f}, nil); err != nil {
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
	if err := Write(filepath.Join(dir, "no", "index.html"), nil, nil); err == nil || !strings.Contains(err.Error(), "create the folder") {
		t.Errorf("missing folder: %v", err)
	}
	fig := Figure{SVG: filepath.Join(dir, "gone.svg")}
	if err := Write(filepath.Join(dir, "index.html"), nil, []Figure{fig}); err == nil || !strings.Contains(err.Error(), fig.SVG) {
		t.Errorf("missing figure: %v", err)
	}
}

func TestSectionsFollowTheOrderOfTests(t *testing.T) {
	var files []*result.File
	for _, op := range []option.Op{"read", "write"} {
		checked := testresult.File(t, op, option.KindBandwidth, []int{64}, "data", "poll")
		checked.Parameters.Verify = true
		files = append(files, checked, testresult.File(t, op, option.KindBandwidth, []int{64}, "data", "poll"), testresult.File(t, op, option.KindLatency, []int{64}, "data", "poll"))
	}
	var got []string
	for _, found := range regexp.MustCompile(`<section id="([a-z_]*_[a-z_]*)"`).FindAllStringSubmatch(writePage(t, files...), -1) {
		got = append(got, found[1])
	}
	if want := "write_lat write_bw read_lat read_bw write_bw_verify read_bw_verify"; strings.Join(got, " ") != want {
		t.Errorf("sections %q, want %q", got, want)
	}
}
