package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
)

// names returns the names of the files in a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// Each row of a latency test has a file, which is named on stderr.
func TestHgrmFiles(t *testing.T) {
	f := testresult.Controlled(testresult.File(t, "write", option.KindLatency, []int{8, 64}, "data", "poll"), 1, 1)
	paths := written(t, f, f, testresult.File(t, "write", option.KindBandwidth, []int{8}, "poll"))
	dir := filepath.Join(t.TempDir(), "out")
	rows := []string{"64_data", "64_poll", "64_poll_control", "8_data", "8_poll", "8_poll_control"}
	for _, c := range []struct {
		args   []string
		prefix string
	}{{[]string{paths[0], paths[2]}, "run0_"}, {[]string{"--label", "A-1=" + paths[0]}, "A_1_write_lat_"}} {
		status, stdout, stderr := runReport(append([]string{"hgrm", "-o", dir}, c.args...)...)
		if status != exitDone || stdout != "" {
			t.Fatalf("status %d, stdout %q, stderr %q", status, stdout, stderr)
		}
		var want []string
		for _, row := range rows {
			want = append(want, c.prefix+row+".hgrm")
		}
		if got := names(t, dir); !slices.Equal(got, want) {
			t.Errorf("files are %q, want %q", got, want)
		}
		for _, name := range want {
			if !strings.Contains(stderr, "wrote "+filepath.Join(dir, name)+"\n") {
				t.Errorf("stderr does not name %s:\n%s", name, stderr)
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// A file of others stays, and so do all when two results would write the same.
func TestHgrmReplacesOnlyItsOwn(t *testing.T) {
	path, dir := written(t, testresult.File(t, "write", option.KindLatency, []int{8}, "poll"))[0], t.TempDir()
	name := filepath.Join(dir, "run0_8_poll.hgrm")
	report := func(wantStatus int, says string, args ...string) {
		t.Helper()
		status, _, stderr := runReport(append([]string{"hgrm", "-o", dir}, args...)...)
		if status != wantStatus || !strings.Contains(stderr, says) {
			t.Errorf("%q: status %d, stderr %q", args, status, stderr)
		}
	}
	if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	report(exitFailed, "replace "+name+": ibperf did not write this file", path)
	if data, err := os.ReadFile(name); err != nil || string(data) != "mine" || len(names(t, dir)) != 1 {
		t.Errorf("%q, %v, %q", data, err, names(t, dir))
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	report(exitDone, "wrote "+name, path)
	report(exitDone, "wrote "+name, path)
	report(exitFailed, "name each with --label NAME=FILE", path, path)
	report(exitFailed, "no latency distribution", written(t, testresult.File(t, "write", option.KindBandwidth, []int{8}, "poll"))...)
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("files are %q", got)
	}
}

// --format rounds names runs by their labels, or by their files.
func TestLabelsOfRounds(t *testing.T) {
	path := resultFile(t)
	status, stdout, stderr := runReport("--format", "rounds", "--label", "north="+path, written(t, testresult.File(t, "write", option.KindLatency, []int{8}, "poll"))[0])
	if status != exitDone || stderr != "" || !strings.HasPrefix(stdout, "label,test,") || strings.Count(stdout, "\nrun0,write_lat,client,node1,") != 20 {
		t.Errorf("status %d, stderr %q, stdout\n%s", status, stderr, stdout)
	}
}
