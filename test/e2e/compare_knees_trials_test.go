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
var knees = flag.Int("knees", 2, "number of sweeps in TestTrialOfKnees, each of which takes a minute")

// kneeError is the largest difference of a knee from the maximum rate of its mode, as a part of that.
const kneeError = 0.15

// TestTrialOfKnees measures the latency by rate of WRITE and SEND, and compares the knee of each mode with its rate in a closed loop,
// in which as many messages as the window has are always outstanding: in the fastest round of those before and after the sweep.
func TestTrialOfKnees(t *testing.T) {
	failed := 0
	for range *knees {
		closed := loops{}
		closed.measure(t)
		dir := sweepAlongRates(t)
		closed.measure(t)
		if wrong := farKnees(t, dir, closed); len(wrong) > 0 {
			failed++
			t.Logf("knees far from the maximum: %s", strings.Join(wrong, "; "))
		}
	}
	t.Logf("in %d of %d sweeps a knee was more than 15 %% away from the rate of its mode in a closed loop", failed, *knees)
	if failed > *knees*3/20 {
		t.Error("want at most 3 of 20")
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

// farKnees returns the modes whose knees are far from their rates in a closed loop.
func farKnees(t *testing.T, dir string, closed loops) (wrong []string) {
	t.Helper()
	for op := range closed {
		sweep := offered(t, dir, op)
		for mode, most := range closed[op] {
			knee := 0.0
			of := slices.DeleteFunc(slices.Clone(sweep), func(e rows.Entry) bool { return e.Row.Name() != mode })
			if at := rows.Knee(of); at != nil {
				_, knee = at.RoundRates()
			}
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

// measure measures closed loops, and keeps the rates of the fastest rounds.
func (l loops) measure(t *testing.T) {
	t.Helper()
	for _, op := range []option.Op{option.OpWrite, option.OpSend} {
		w := newWorkspace(t, "*.json")
		w.runPair(statusDone, option.Test{Op: op, Kind: option.KindLatency}.Program(), "",
			"-d shm_whole -s 64 --compare --runs 3 --rate_units p --rate_limit 1000000000 --out_json_file closed.json")
		if l[op] == nil {
			l[op] = map[string]float64{}
		}
		f := w.readResult("closed.json")
		for i := range f.Rows {
			if r := &f.Rows[i]; r.Variant == "" {
				_, fastest := r.RoundRates()
				l[op][r.Name()] = max(l[op][r.Name()], fastest)
			}
		}
	}
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
