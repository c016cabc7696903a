package conform

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs/verbstest"
)

// run runs statements on a device, and returns their results.
func run(t *testing.T, device string, limit time.Duration, ids ...string) []verbstest.Result {
	t.Helper()
	var results []verbstest.Result
	job := Job{Device: device, Port: 1, GIDIndex: -1, IDs: ids}
	err := Run(t.Context(), job, limit, func(r verbstest.Result) { results = append(results, r) })
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(ids) {
		t.Fatalf("%d results of %d statements: %+v", len(results), len(ids), results)
	}
	for i, r := range results {
		if r.ID != ids[i] {
			t.Errorf("result %d is of %s, want %s", i, r.ID, ids[i])
		}
	}
	return results
}

func outcomes(t *testing.T, results []verbstest.Result, want ...verbstest.Outcome) {
	t.Helper()
	for i, r := range results {
		if r.Outcome != want[i] {
			t.Errorf("%s: %s %s, want %s", r.ID, r.Outcome, r.Reason, want[i])
		}
	}
}

func TestStatementsHold(t *testing.T) {
	results := run(t, "shm_whole", Limit, "CQ-1", "MR-24", "XRC-1")
	outcomes(t, results, verbstest.Holds, verbstest.Holds, verbstest.Holds)
	if !results[1].Peer || results[0].Peer {
		t.Errorf("a second process takes part in MR-24 alone: %+v", results)
	}
}

// A crash ends its process, and only its own statement differs.
func TestCrash(t *testing.T) {
	results := run(t, "odd_crash", Limit, "CQ-1", "CQ-6", "CQ-2")
	outcomes(t, results, verbstest.Holds, verbstest.Differs, verbstest.Holds)
	output := strings.Join(results[1].Output, "\n")
	if !strings.Contains(results[1].Reason, "ended: exit status 2") || !strings.Contains(output, "nil pointer") {
		t.Errorf("%s\n%s", results[1].Reason, output)
	}
}

// A statement that hangs is ended, and its output has the stacks.
func TestHang(t *testing.T) {
	results := run(t, "odd_hang", 3*time.Second, "CQ-1", "CQ-6", "CQ-2")
	outcomes(t, results, verbstest.Holds, verbstest.Differs, verbstest.Holds)
	output := strings.Join(results[1].Output, "\n")
	if !strings.Contains(results[1].Reason, "did not end within") || !strings.Contains(output, "Poll") {
		t.Errorf("%s\n%s", results[1].Reason, output)
	}
}

func TestHardwareMayDiffer(t *testing.T) {
	outcomes(t, run(t, "odd_card", Limit, "CQ-7", "CQ-1"), verbstest.Allowed, verbstest.Holds)
}

func TestQuirkOfAFile(t *testing.T) {
	job := Job{Device: "shm_whole", Port: 1, GIDIndex: -1, IDs: []string{"CQ-1"}, QuirksFile: "own",
		Quirks: "quirk: V1\ndriver: shm\nfails: CQ-1\ndoes: nothing\nsource: a test\n"}
	var got verbstest.Result
	if err := Run(t.Context(), job, Limit, func(r verbstest.Result) { got = r }); err != nil {
		t.Fatal(err)
	}
	if got.Outcome != verbstest.Differs || !strings.Contains(got.Reason, "no longer reproduces") {
		t.Errorf("%+v", got)
	}
}

// A device without RC is tested for what it has.
func TestDeviceWithoutRC(t *testing.T) {
	results := run(t, "odd_norc", Limit, "CQ-1", "CQ-6", "UD-1")
	outcomes(t, results, verbstest.Holds, verbstest.Skipped, verbstest.Holds)
	if want := "the device offers no RC"; results[1].Reason != want {
		t.Errorf("%q, want %q", results[1].Reason, want)
	}
}

func TestRunIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	job := Job{Device: "shm_whole", Port: 1, GIDIndex: -1, IDs: []string{"CQ-1", "CQ-2"}}
	seen := 0
	err := Run(ctx, job, Limit, func(verbstest.Result) { seen++; cancel(why) })
	if !errors.Is(err, why) || seen != 1 {
		t.Errorf("%d results, %v", seen, err)
	}
}

// A worker that cannot begin is an error of the run, not of a statement.
func TestWorkerRefuses(t *testing.T) {
	job := Job{Device: "no_such_device", Port: 1, GIDIndex: -1, IDs: []string{"CQ-1"}}
	err := Run(t.Context(), job, Limit, func(r verbstest.Result) { t.Errorf("%+v", r) })
	if err == nil || !strings.Contains(err.Error(), "no_such_device") {
		t.Error(err)
	}
}

func TestChoose(t *testing.T) {
	for text, want := range map[string]int{"CQ-1": 1, "CQ-1|CQ-2": 2, "Q-1": 0, "DEV-2": 1} {
		re, err := Pattern(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Choose(re); len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if _, err := Pattern("("); err == nil {
		t.Error("( is no pattern")
	}
	if ids := Asserted(Choose(must(Pattern("DEV-2|CQ-1")))); len(ids) != 1 || ids[0] != "CQ-1" {
		t.Error(ids)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
