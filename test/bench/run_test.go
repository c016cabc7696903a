package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ibperf/ibperf/test/bench/comparison"
)

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--cpus 1", "name two"}, {"--pairs 0", "at least one"}, {"--bogus", "bogus"}, {"word", `"word" is no option`},
	} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), append([]string{"bench"}, strings.Fields(c.args)...), &stdout, &stderr)
		if status != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: status %d, %q, want %q", c.args, status, stderr.String(), c.want)
		}
	}
}

func TestFailedComparisonIsStillPrintedAndWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.json")
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{"bench", "--bin", "/nowhere", "-o", file}, &stdout, &stderr)
	if status != exitFailed || !strings.Contains(stderr.String(), "/nowhere/ib_write_bw") || !strings.Contains(stdout.String(), "ended early") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout.String(), stderr.String())
	}
	if c, err := comparison.Read(file); err != nil || !strings.Contains(c.Error, "/nowhere") {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestWrittenComparisonsArePrinted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "c.json")
	c := comparison.New()
	c.Lines = []comparison.Line{{Test: "write_lat", Size: 8, Mode: "data", Metric: comparison.MetricLatency,
		Subject: comparison.Values{Program: comparison.Program{Name: "ibperf"}}, Reference: comparison.Values{Program: comparison.Program{Name: "other"}}}}
	c.Lines[0].Add(300, 400)
	if err := c.Write(file); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{"bench", "print", file}, &stdout, &stderr)
	if status != exitDone || !strings.Contains(stdout.String(), "0.75x") || stderr.Len() > 0 {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout.String(), stderr.String())
	}
	for args, want := range map[string]int{"print": exitUsage, "print /nowhere": exitFailed, "print " + file + " " + dir: exitFailed} {
		if status := run(t.Context(), append([]string{"bench"}, strings.Fields(args)...), &stdout, &stderr); status != want {
			t.Errorf("%s: status %d, want %d", args, status, want)
		}
	}
}

func TestListNamesTheLinesOfTheDevice(t *testing.T) {
	for args, want := range map[string]string{
		"--list --device shm_whole --run memcpy": "write_bw, 64K, poll, shm_whole: memcpy\nwrite_bw, 8M, poll, shm_whole: memcpy\n",
		"--list --device shm_whole --run \\b4K":  "write_bw, 4K, poll, shm_whole: ascending\n",
		"--list --run defaults":                  "write_bw (defaults), 64K, poll, rxe0: perftest\n",
		"--list --run defaults --itself":         "write_bw (defaults), 64K, poll, rxe0: ibperf\n",
		"--list --run nothing":                   "",
	} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), append([]string{"bench"}, strings.Fields(args)...), &stdout, &stderr)
		if status != exitDone || stdout.String() != want || stderr.Len() > 0 {
			t.Errorf("%s: status %d, %q, want %q", args, status, stdout.String(), want)
		}
	}
}

func TestMachineIsDescribed(t *testing.T) {
	root := fstest.MapFS{"proc/cpuinfo": {Data: []byte("processor\t: 0\nmodel name\t: QEMU TCG CPU version 2.5+\n")}}
	m := thisMachine(root, []int{0, 1})
	if m.CPU != "QEMU TCG CPU version 2.5+" || m.CPUs < 1 || m.Kernel == "" || m.Pinned[1] != 1 {
		t.Errorf("machine is %+v", m)
	}
	if len(emulated(m)) != 1 {
		t.Error("no warning of the emulated CPU")
	}
	if bare := thisMachine(fstest.MapFS{}, nil); bare.CPU == "" || len(emulated(bare)) != 0 {
		t.Errorf("machine is %+v", bare)
	}
}
