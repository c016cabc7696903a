package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/ibperf/ibperf/internal/version"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/plots"
	"github.com/ibperf/ibperf/result"
)

// resultFile writes a small latency result and returns its path.
func resultFile(t *testing.T) string {
	t.Helper()
	h := hdrhistogram.New(1, int64(time.Second), 3)
	for _, ns := range []int64{300, 320, 340, 900} {
		if err := h.RecordValue(ns); err != nil {
			t.Fatal(err)
		}
	}
	encoded, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	f := &result.File{
		Header: result.FileHeader(), Op: "write", Kind: option.KindLatency,
		Warnings: []result.Warning{{ID: "few-samples", Text: "only 4 samples"}},
		Rows: []result.Row{{Size: 8, Mode: "poll", Opcode: "RDMA_WRITE_WITH_IMM", Latency: &result.Latency{
			N: 4, MinNs: 150, MeanNs: 232.5, P50Ns: 160, P90Ns: 450, P99Ns: 450, P999Ns: 450, P9999Ns: 450, MaxNs: 450,
			Factor: 0.5, Histogram: string(encoded)}}},
	}
	f.Rows = append(f.Rows, f.Rows[0])
	f.Rows[1].Mode = "event" // there are no plots of one mode
	path := filepath.Join(t.TempDir(), "lat.json")
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func runReport(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run("ib_report", args, &out, &errs)
	return status, out.String(), errs.String()
}

func TestTablesGoToStdout(t *testing.T) {
	path := resultFile(t)
	status, stdout, stderr := runReport(path)
	if status != exitDone || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	for _, want := range []string{"RDMA_Write Latency Test", "0.160", "WARNING: only 4 samples"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestEveryNamedFileIsThere(t *testing.T) {
	path, dir := resultFile(t), filepath.Join(t.TempDir(), "new", "out")
	status, stdout, stderr := runReport(path, "-o", dir)
	if status != exitDone || stdout == "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	named := strings.Fields(strings.ReplaceAll(stderr, "wrote ", ""))
	for _, name := range named {
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	there, err := os.ReadDir(dir)
	if err != nil || len(there) != len(named) || len(named) < 3 {
		t.Errorf("%d files named, %d there, %v", len(named), len(there), err)
	}
}

func TestVersion(t *testing.T) {
	for _, option := range []string{"--version", "-V"} {
		if status, stdout, stderr := runReport(option); status != exitDone || stdout != version.Line("ib_report") || stderr != "" {
			t.Errorf("%s: status %d, %q, %q", option, status, stdout, stderr)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-o", "dir"}, {"--bogus", "x"}, {"-o", "", "x"}, {"x", "-o"}, {"--label", "A=x"}, {"--format", "rounds", "--label", "x"},
		{"hgrm", "x"}, {"hgrm", "-o", "dir"}, {"hgrm", "-o", "", "x"},
		{"plot", "--kind", "ratio", "x"}, {"plot", "-o", "a.pdf", "x"}, {"plot", "-o", "a.pdf", "--kind", "ratio"},
	} {
		status, stdout, stderr := runReport(args...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, "--help") {
			t.Errorf("%q: status %d, stdout %q, stderr %q", args, status, stdout, stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	for command, words := range map[string][]string{
		"":     {"Usage:", "--output", "--report_gbits", "Examples:", "ib_report plot ", "ib_report hgrm ", "--format rounds ", "--no-title", "Exit status:"},
		"plot": {"Usage:", "--size", "Examples:", "ib_report plot -o "},
		"hgrm": {"Usage:", "--label", "Examples:", "ib_report hgrm -o "},
	} {
		for _, flag := range []string{"-h", "--help"} {
			status, stdout, stderr := runReport(append(strings.Fields(command), flag)...)
			if status != exitDone || stderr != "" {
				t.Errorf("%s %s: status %d, stderr %q", command, flag, status, stderr)
			}
			for _, want := range words {
				if !strings.Contains(stdout, want) {
					t.Errorf("%s %s: no %q", command, flag, want)
				}
			}
			for line := range strings.Lines(stdout) {
				if len(line) > helpWidth+1 {
					t.Errorf("%s %s: a line of %d bytes: %s", command, flag, len(line), line)
				}
			}
		}
	}
}

// The help of plot explains every kind of figure.
func TestHelpHasEveryKind(t *testing.T) {
	_, help, _ := runReport("plot", "--help")
	for _, kind := range plots.Kinds() {
		if !strings.Contains(help, "\n  "+kind+"  ") {
			t.Errorf("the help lacks %s", kind)
		}
	}
}

func TestUnreadableFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.json")
	if err := os.WriteFile(broken, []byte(`{"format": "ibperf-result", "ver`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "none.json"), broken, dir} {
		status, stdout, stderr := runReport(resultFile(t), path)
		if status != exitFailed || stdout != "" || !strings.Contains(stderr, path) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", path, status, stdout, stderr)
		}
	}
}

func TestFolderThatCannotBeMadeIsNamed(t *testing.T) {
	path := resultFile(t)
	status, _, stderr := runReport("-o", filepath.Join(path, "sub"), path)
	if status != exitFailed || !strings.Contains(stderr, filepath.Join(path, "sub")) {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestFullDiskFails(t *testing.T) {
	var errs bytes.Buffer
	if status := run("ib_report", []string{resultFile(t)}, fullDisk{}, &errs); status != exitFailed || !strings.Contains(errs.String(), "no space") {
		t.Errorf("status %d, stderr %q", status, errs.String())
	}
}

// TestManualAndHelpAgree checks that the doc comment of main.go, which is the manual, has every option
// of the help.
func TestManualAndHelpAgree(t *testing.T) {
	manual, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	var help string
	for _, command := range [][]string{{"--help"}, {"plot", "--help"}, {"hgrm", "--help"}} {
		_, text, _ := runReport(command...)
		help += text
	}
	for _, word := range strings.Fields(strings.NewReplacer(",", " ", "'", " ", "[", " ", "]", " ").Replace(help)) {
		if strings.HasPrefix(word, "-") && !strings.Contains(string(manual), word) {
			t.Errorf("the manual lacks %s", word)
		}
	}
}
