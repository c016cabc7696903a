package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/test/sidebyside/comparison"
)

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--rounds 0", "at least one"}, {"--bogus", "bogus"}, {"word", `"word" is no option`},
	} {
		var stdout, stderr bytes.Buffer
		status := run(append([]string{"ordercost"}, strings.Fields(c.args)...), &stdout, &stderr)
		if status != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: status %d, %q, want %q", c.args, status, stderr.String(), c.want)
		}
	}
}

func TestFileThatCannotBeWrittenIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none", "order.json")
	var stdout, stderr bytes.Buffer
	if status := run([]string{"ordercost", "--rounds", "1", "-o", file}, &stdout, &stderr); status != exitFailed || !strings.Contains(stderr.String(), file) {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}

func TestComparisonOfAllSizes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "order.json")
	var stdout, stderr bytes.Buffer
	if status := run([]string{"ordercost", "--rounds", "3", "-o", file}, &stdout, &stderr); status != exitDone || stderr.Len() > 0 {
		t.Fatalf("status %d, %q", status, stderr.String())
	}
	for _, want := range []string{"ibperf side by side with Go", "time per message", "8M"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the table lacks %q", want)
		}
	}
	c, err := comparison.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Lines) != len(sizes()) || len(c.Machine.Pinned) == 0 {
		t.Errorf("%d lines, pinned to %v", len(c.Lines), c.Machine.Pinned)
	}
	for i, l := range c.Lines {
		if l.Size != sizes()[i] || len(l.Subject.Rounds) != 3 {
			t.Errorf("line %d: size %d, %d rounds", i, l.Size, len(l.Subject.Rounds))
		}
	}
}

func TestSizesGoFrom8BytesTo8MiB(t *testing.T) {
	all := sizes()
	if all[0] != 8 || all[len(all)-1] != 8<<20 || !slices.IsSorted(all) {
		t.Errorf("sizes are %v", all)
	}
	for _, size := range all {
		if n := copies(size); n < turnLeast || n > turnMost {
			t.Errorf("%d copies of %d bytes", n, size)
		}
	}
}

// Both ways copy all of a message, whichever begins.
func TestPairCopies(t *testing.T) {
	for _, swapped := range []bool{false, true} {
		src, dst, free, err := buffers(1000)
		if err != nil {
			t.Fatal(err)
		}
		ordered, other := pair(dst, src, swapped)
		if !bytes.Equal(dst, src) || ordered <= 0 || other <= 0 {
			t.Errorf("swapped %v: %v ns and %v ns", swapped, ordered, other)
		}
		free()
	}
}
