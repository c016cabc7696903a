package main

import (
	"io"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// compared returns a comparison of two modes with n sizes, and rounds in each row.
func compared(t *testing.T, n, rounds int) *result.File {
	t.Helper()
	modes := []option.Mode{option.ModePoll, option.ModeEvent}
	f := testresult.File(t, option.OpWrite, option.KindBandwidth, []int{4096}, modes...)
	f.Warnings = nil
	few := f.Rows
	f.Rows = nil
	f.Parameters.Sizes = nil
	for i := range n {
		f.Parameters.Sizes = append(f.Parameters.Sizes, 4096+i)
		for _, r := range few {
			r.Size = 4096 + i
			one := r.Rounds
			r.Rounds = nil
			for len(r.Rounds) < rounds {
				r.Rounds = append(r.Rounds, one...)
			}
			f.Rows = append(f.Rows, r)
		}
	}
	return f
}

// cpuTime returns the CPU time of this process.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestTimeIsLinear compares the CPU time of a file with that of one that is eight times as large. Garbage collection
// makes it vary; quadratic time would be 64 times as long.
func TestTimeIsLinear(t *testing.T) {
	for name, make := range map[string]func(n int) *result.File{
		"rows":   func(n int) *result.File { return compared(t, 200*n, 20) },
		"rounds": func(n int) *result.File { return compared(t, 1, 6_000*n) },
	} {
		t.Run(name, func(t *testing.T) {
			var took [2]time.Duration
			for i, n := range []int{1, 8} {
				path := filepath.Join(t.TempDir(), "a.json")
				if err := make(n).Write(path); err != nil {
					t.Fatal(err)
				}
				begun := cpuTime(t)
				if status := run("ib_report", []string{path}, io.Discard, io.Discard); status != exitDone {
					t.Fatalf("status %d", status)
				}
				took[i] = cpuTime(t) - begun
			}
			t.Logf("%v, and %v for eight times as much", took[0], took[1])
			if took[1] > 24*took[0] {
				t.Errorf("eight times as much took %.0f times as long", took[1].Seconds()/took[0].Seconds())
			}
		})
	}
}
