package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// latencyFile writes a comparison whose figures of mode data are multiplied by a factor.
func latencyFile(t *testing.T, dir string, factor float64, change func(*result.File)) string {
	t.Helper()
	f := testresult.Comparison(t, option.OpWrite, option.KindLatency, []int{8}, map[option.Mode][]float64{option.ModeData: {0.5 * factor}})
	change(f)
	path := filepath.Join(dir, "write_lat.json")
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func asIs(*result.File) {}

// diff ends with status 0, with 7 after a regression, and with 2 if tests cannot be compared.
func TestDiffStatus(t *testing.T) {
	a := latencyFile(t, t.TempDir(), 1, asIs)
	folder := t.TempDir()
	slow := latencyFile(t, folder, 1.2, asIs)
	if err := os.WriteFile(filepath.Join(folder, "verdict.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	qps := latencyFile(t, t.TempDir(), 1, func(f *result.File) { f.Parameters.QPs = 4 })
	torn := filepath.Join(t.TempDir(), "torn.json")
	if err := os.WriteFile(torn, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(t.TempDir(), "newer.json")
	if err := os.WriteFile(newer, []byte(`{"format": "ibperf-result", "version": 99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		status int
		stdout string
		stderr string
	}{
		{a + " " + newer, exitUsage, "", "format version 99 is newer than this program"},
		{a + " " + a, exitDone, "No row is a regression: certainly slower, and its value by 5.0 % or more.", ""},
		{a + " " + slow, exitLimit, "REGRESSION: ib_write_lat, 8 bytes, data: B is 20.0 % slower.", "1 of 2 rows are slower in " + slow + " by 5 % or more"},
		{a + " " + folder, exitLimit, "REGRESSION", folder},
		{slow + " " + a, exitDone, "1 faster", ""},
		{"--threshold 25% " + a + " " + slow, exitDone, "No row is a regression: certainly slower, and its value by 25.0 % or more.", ""},
		{a + " " + qps, exitUsage, "", "--qp 1 and --qp 4"},
		{a, exitUsage, "", "name two result files or folders, not 1"},
		{"--threshold 0 " + a + " " + a, exitUsage, "", "a percentage above 0 and below 100"},
		{"--threshold NaN " + a + " " + a, exitUsage, "", "a percentage above 0 and below 100"},
		{a + " " + t.TempDir(), exitFailed, "", "has no result file"},
		{a + " " + torn, exitFailed, "", "torn.json"},
		{a + " " + filepath.Join(folder, "none.json"), exitFailed, "", "no such file"},
	} {
		status, stdout, stderr := runReport(append([]string{"diff"}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) || c.stderr == "" && stderr != "" {
			t.Errorf("diff %s: status %d, want %d with %q and %q:\n%s%s", c.args, status, c.status, c.stdout, c.stderr, stdout, stderr)
		}
	}
}

// With -o the tables are a page, too, which replaces no file of others.
func TestDiffPage(t *testing.T) {
	a, b, dir := latencyFile(t, t.TempDir(), 1, asIs), latencyFile(t, t.TempDir(), 1.2, asIs), filepath.Join(t.TempDir(), "page")
	if status, stdout, stderr := runReport("diff", "-o", dir, a, b); status != exitLimit {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	path := filepath.Join(dir, pageName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"REGRESSION: ib_write_lat, 8 bytes, data: B is 20.0 % slower.", "<td class=\"left\">slower", a, b, "could find"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := runReport("diff", "-o", dir, a, b); status != exitFailed || !strings.Contains(stderr, "ibperf did not write this file") {
		t.Errorf("status %d, %s", status, stderr)
	}
}
