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

// Findings of all files are printed once, and are on the page.
func TestFindingsAreShown(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-o", dir}
	for name, kind := range map[string]option.Kind{"lat.json": option.KindLatency, "bw.json": option.KindBandwidth} {
		f := testresult.File(t, option.OpWrite, kind, []int{8}, option.ModePoll)
		f.Findings = []result.Finding{{ID: "slow-link", Side: result.SidePeer, Sentence: "The slot is narrow.", Fix: "move the card"}}
		path := filepath.Join(dir, name)
		if err := f.Write(path); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	status, stdout, stderr := runReport(args...)
	const line = "on the peer: The slot is narrow. Fix: move the card\n"
	if status != exitDone || strings.Count(stdout, "FINDING: "+line) != 1 {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	page, err := os.ReadFile(filepath.Join(dir, pageName))
	if err != nil || strings.Count(string(page), strings.TrimSpace(line)) != 1 {
		t.Errorf("on the page %d times, %v", strings.Count(string(page), strings.TrimSpace(line)), err)
	}
}
