//go:build trials

package e2e

import (
	"cmp"
	"flag"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// knees is the number of sweeps along rates; in 17 of 20 the knee of each mode has to be near its maximum.
var knees = flag.Int("knees", 2, "number of sweeps in TestTrialOfKnees, each of which takes half a minute")

// kneeError is the largest difference of a knee from the maximum rate of its mode, as a part of that.
const kneeError = 0.15

// hostChange is the quotient of two rates of all modes from which on the host has changed its speed: its hypervisor places the
// CPUs nearer to each other or farther apart, for seconds or a minute, which halves all rates.
const hostChange = 1.25

// TestTrialOfKnees measures the latency by rate of WRITE and SEND, and compares the knee of each mode with its rate in a closed loop,
// the larger of those before and after the sweep: there as many messages as the window has are always outstanding. A sweep
// during which the host changes its speed has no closed loop to be compared with, and is repeated.
func TestTrialOfKnees(t *testing.T) {
	failed, repeated := 0, 0
	for done := 0; done < *knees && repeated <= *knees+2; {
		before := closedLoops(t)
		dir := sweepAlongRates(t)
		after := closedLoops(t)
		if hostChanged(t, dir, before, after) {
			repeated++
			continue
		}
		done++
		if wrong := farKnees(t, dir, before, after); len(wrong) > 0 {
			failed++
			t.Logf("knees far from the maximum: %s", strings.Join(wrong, "; "))
		}
	}
	t.Logf("in %d of %d sweeps a knee was more than 15 %% away from the rate of its mode in a closed loop; %d more were repeated",
		failed, *knees, repeated)
	if failed > *knees*3/20 {
		t.Error("want at most 3 of 20")
	}
	if repeated > *knees+2 {
		t.Error("the host changes its speed during most sweeps")
	}
}

// sweepAlongRates measures a sweep and returns its folder.
func sweepAlongRates(t *testing.T) string {
	w := newWorkspace(t, "out")
	server, port := w.serve("ib_compare")
	client := w.connect("ib_compare", port, "-d", "shm_whole", "--rate-sweep", "--dir", "out")
	client.exits(statusDone, compareLimit)
	server.exits(statusDone, patience)
	return filepath.Join(w.dir, "out")
}

// hostChanged reports whether the rates of all modes changed between the closed loops, or within the sweep: then its row of the
// largest rate, of which messages are always due, differs from the closed loops, but its fastest rounds do not. A sweep that
// is slower in all rounds has not seen a change.
func hostChanged(t *testing.T, dir string, before, after loops) bool {
	t.Helper()
	for op := range after {
		sweep := offered(t, dir, op)
		largest := sweep[len(sweep)-1].File.Parameters.RateLimit
		var medians, fastest, closed []float64
		for _, e := range sweep {
			if mode := e.Row.Name(); e.File.Parameters.RateLimit == largest && after[op][mode] > 0 {
				most := max(before[op][mode], after[op][mode])
				medians = append(medians, e.Row.MedianRate()/most)
				fastest = append(fastest, fastestRound(e.Row)/most)
				closed = append(closed, before[op][mode]/after[op][mode])
			}
		}
		if len(medians) == 0 {
			t.Fatalf("%s: no row of the largest rate", op)
		}
		if differ(closed) || differ(medians) && !differ(fastest) {
			t.Logf("%s: the host changed its speed: to the closed loops: medians %.2f, fastest rounds %.2f; before to after: %.2f",
				op, medians, fastest, closed)
			return true
		}
	}
	return false
}

// differ reports whether the geometric mean of quotients is far from 1.
func differ(quotients []float64) bool {
	sum := 0.0
	for _, q := range quotients {
		sum += math.Log(q)
	}
	return math.Abs(sum) > float64(len(quotients))*math.Log(hostChange)
}

// fastestRound returns the messages per second of a row's fastest round.
func fastestRound(r *result.Row) (most float64) {
	for _, round := range r.Rounds {
		most = max(most, float64(round.Messages)/round.Seconds)
	}
	return most
}

// farKnees returns the modes whose knees are far from their rates in a closed loop.
func farKnees(t *testing.T, dir string, before, after loops) (wrong []string) {
	t.Helper()
	for op := range after {
		sweep := offered(t, dir, op)
		for mode, rate := range after[op] {
			most := max(rate, before[op][mode])
			of := slices.DeleteFunc(slices.Clone(sweep), func(e rows.Entry) bool { return e.Row.Name() != mode })
			knee := rows.Knee(of)
			t.Logf("%s %s: knee %.0f/s, closed loop %.0f/s, quotient %.3f", op, mode, knee, most, knee/most)
			if math.Abs(knee/most-1) > kneeError {
				wrong = append(wrong, string(op)+" "+mode)
			}
		}
	}
	return wrong
}

// loops are the messages per second of each mode of each operation in a closed loop.
type loops map[option.Op]map[string]float64

// closedLoops measures closed loops, and returns the rates of the median round.
func closedLoops(t *testing.T) loops {
	t.Helper()
	all := loops{}
	for _, op := range []option.Op{option.OpWrite, option.OpSend} {
		w := newWorkspace(t, "*.json")
		w.runPair(statusDone, option.Test{Op: op, Kind: option.KindLatency}.Program(), "",
			"-d shm_whole -s 64 --compare --runs 3 --rate_units p --rate_limit 1000000000 --out_json_file closed.json")
		all[op] = map[string]float64{}
		f := w.readResult("closed.json")
		for i := range f.Rows {
			if r := &f.Rows[i]; r.Variant == "" {
				all[op][r.Name()] = r.MedianRate()
			}
		}
	}
	return all
}

// offered returns the rows of the sweep of an operation, in the order of their rates.
func offered(t *testing.T, dir string, op option.Op) (all []rows.Entry) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, string(op)+"-lat-rate-*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%v, %q", err, paths)
	}
	for _, path := range paths {
		f, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Rows {
			all = append(all, rows.Entry{File: f, Row: &f.Rows[i]})
		}
	}
	slices.SortFunc(all, func(a, b rows.Entry) int {
		return cmp.Compare(a.File.Parameters.RateLimit, b.File.Parameters.RateLimit)
	})
	return all
}
