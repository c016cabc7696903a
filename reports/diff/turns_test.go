package diff

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// unsteady returns a comparison of 20 runs on a host that is slower by half in every third of them; the figures of row "data" of
// 8 bytes are multiplied by a factor.
func unsteady(t *testing.T, factor float64) *result.File {
	t.Helper()
	f := testresult.Comparison(t, option.OpWrite, option.KindLatency, []int{8, 4096}, map[option.Mode][]float64{option.ModeData: {0.5, 0.8}})
	for i := range f.Rows {
		r := &f.Rows[i]
		first := r.Rounds[0]
		r.Rounds = nil
		for run := range 20 {
			round := first
			round.Run = run + 1
			round.P50Ns *= (1 + 0.5*float64(run%3/2)) * (1 + 0.002*math.Cos(float64(7*run+3*i)*factor))
			if r.Mode == option.ModeData && r.Size == 8 {
				round.P50Ns *= factor
			}
			r.Rounds = append(r.Rounds, round)
		}
	}
	return f
}

// A slowdown of 5 % is found although the host is slow at times by more, and a build is not slower than itself.
func TestRunsInTurn(t *testing.T) {
	for factor, want := range map[float64]rows.Relation{1: rows.Same, 1.05: rows.Slower, 0.95: rows.Faster} {
		a, b := setOf("old", unsteady(t, 1)), setOf("new", unsteady(t, factor))
		d, err := InTurn(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if p := find(t, d, 8, "data"); p.Relation != want || p.Regression != (want == rows.Slower) || math.Abs(p.Ratio.Value/factor-1) > 0.002 {
			t.Errorf("times %g: %s, regression %v, %+v", factor, p.Relation, p.Regression, p.Ratio)
		}
		if p := find(t, d, 8, "data"); math.Abs(p.ValueB/p.ValueA/p.Ratio.Value-1) > 1e-9 {
			t.Errorf("times %g: values %g and %g, ratio %g", factor, p.ValueA, p.ValueB, p.Ratio.Value)
		}
		last := d.Pairs[len(d.Pairs)-1]
		if !last.All || math.Abs(last.Ratio.Value/math.Pow(factor, 0.25)-1) > 0.002 {
			t.Errorf("times %g: all rows %+v, want the fourth root, of four rows", factor, last.Ratio)
		}
		text := written(t, d, a, b)
		for _, part := range []string{"made in turn", "    all  all"} {
			if !strings.Contains(text, part) {
				t.Errorf("want %q in\n%s", part, text)
			}
		}
		if found := strings.Contains(text, "REGRESSION: ib_write_lat, 8 bytes, data: B is 5.0 % slower."); found != (factor > 1) {
			t.Errorf("times %g:\n%s", factor, text)
		}
	}
}

// A row that lacks a run in one set is in the mean of neither, so that it makes no difference between them.
func TestRowThatLacksARun(t *testing.T) {
	fast := func(rounds int) Set {
		f := unsteady(t, 1)
		for i := range f.Rows {
			if r := &f.Rows[i]; r.Mode == option.ModeData {
				for j := range r.Rounds {
					r.Rounds[j].P50Ns /= 4
				}
				r.Rounds = r.Rounds[:rounds]
			}
		}
		return setOf("one", f)
	}
	d, err := InTurn(fast(20), fast(19))
	if err != nil {
		t.Fatal(err)
	}
	if last := d.Pairs[len(d.Pairs)-1]; !last.All || last.Relation != rows.Same || len(d.Regressions()) != 0 {
		t.Errorf("all rows %+v", last)
	}
}

// The page has the answer and the tables.
func TestPageOfADiff(t *testing.T) {
	a, b := setOf("old", unsteady(t, 1)), setOf("new", unsteady(t, 1.05))
	d, err := InTurn(a, b)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "index.html")
	if err := d.WritePage(path, a, b); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	for _, want := range []string{"new (B) against old (A)", "B is slower in 1 of 5 rows.", "REGRESSION: ib_write_lat, 8 bytes, data", "could find", "made in turn"} {
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("want %q on the page, %v", want, err)
		}
	}
}
