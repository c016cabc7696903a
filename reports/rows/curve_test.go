package rows

import (
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// curveSizes are the sizes of the curves of tests.
var curveSizes = []int{2, 8, 64, 512, 4096, 65536}

// curveWith returns the curve of data, whose speed is that of poll multiplied by a factor for each size.
func curveWith(t *testing.T, kind option.Kind, change func(f *result.File), speeds ...float64) *Curve {
	t.Helper()
	var by []float64
	for _, s := range speeds {
		if kind == option.KindLatency {
			s = 1 / s
		}
		by = append(by, s)
	}
	f := testresult.Comparison(t, option.OpWrite, kind, curveSizes[:len(speeds)], map[option.Mode][]float64{"data": by})
	change(f)
	return Groups([]*result.File{f})[0].Curve(0, option.ModeData)
}

// described returns the relations of a curve, with marks of islands, and the size of the change point.
func described(c *Curve) (words []string, upTo int) {
	for _, p := range c.Points {
		word := p.Relation.String()
		if p.Island {
			word += "*"
		}
		words = append(words, word)
	}
	if p, some := c.FasterUpTo(); some {
		upTo = p.Size
	}
	return words, upTo
}

func TestACurveHasOneChangePoint(t *testing.T) {
	preempted := func(i int) func(f *result.File) {
		return func(f *result.File) { f.Rows[2*i].Warnings = []result.Warning{{ID: result.WarnPreempted}} }
	}
	stall := func(f *result.File) { // a fifth of the rounds of data at the second size
		all := f.Rows[2].Rounds
		for i := range all[:len(all)/5] {
			all[i].P50Ns, all[i].Average = all[i].P50Ns*1e6, all[i].Average/1e6
		}
	}
	for _, c := range []struct {
		name   string
		change func(f *result.File)
		speeds []float64
		want   []string
		upTo   int
	}{
		{"faster everywhere", nil, []float64{3, 2, 1.5}, []string{"faster", "faster", "faster"}, 64},
		{"faster nowhere", nil, []float64{1, 1, 1}, []string{"same", "same", "same"}, 0},
		{"a crossover", nil, []float64{2, 1.5, 1, 0.8}, []string{"faster", "faster", "same", "slower"}, 8},
		{"one size, faster", nil, []float64{1.1}, []string{"faster"}, 2},
		{"one size, slower", nil, []float64{0.9}, []string{"slower"}, 0},
		{"one size, the same", nil, []float64{1}, []string{"same"}, 0},
		{"an island", nil, []float64{2, 1.5, 1, 0.8, 1.2, 1}, []string{"faster", "faster", "same", "slower", "unclear*", "same"}, 8},
		{"a gap before the change point", nil, []float64{2, 2, 0.99, 2, 2, 1}, []string{"faster", "faster", "unclear", "faster", "faster", "same"}, 4096},
		{"a stall before the change point", stall, []float64{2, 2, 2, 1}, []string{"faster", "unclear", "faster", "same"}, 64},
		{"a gain of 2 %", nil, []float64{1.5, 1.02}, []string{"faster", "same"}, 2},
		{"a disturbed size before the change point", preempted(1), []float64{2, 2, 2, 1}, []string{"faster", "unclear", "faster", "same"}, 64},
		{"a disturbed size at the change point", preempted(2), []float64{2, 2, 2, 1}, []string{"faster", "faster", "unclear", "same"}, 8},
		{"too few rounds at one size", func(f *result.File) { f.Rows[2].Rounds = f.Rows[2].Rounds[:3] }, []float64{2, 2, 2, 1}, []string{"faster", "faster", "same"}, 64},
	} {
		for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
			change := c.change
			if change == nil {
				change = func(*result.File) {}
			}
			words, upTo := described(curveWith(t, kind, change, c.speeds...))
			if !slices.Equal(words, c.want) || upTo != c.upTo {
				t.Errorf("%s, %s: %q up to %d, want %q up to %d", c.name, kind, words, upTo, c.want, c.upTo)
			}
		}
	}
}

// Curves follow their axis, whatever the order of the files.
func TestCurvesAlongPauses(t *testing.T) {
	var files []*result.File
	for i, by := range []float64{1, 0.5, 1, 0.6} {
		f := testresult.Comparison(t, option.OpWrite, option.KindLatency, []int{64}, map[option.Mode][]float64{"data": {by}})
		f.Parameters.Gap = []time.Duration{3, 1, 4, 2}[i] * time.Microsecond
		files = append(files, f)
	}
	g := Groups(files)[0]
	curve := g.Curve(0, option.ModeData)
	last, some := curve.FasterUpTo()
	if !some || g.Label(last.Run) != "2" || len(curve.Points) != 4 {
		t.Errorf("%+v", curve)
	}
}

func TestNoCurveOfWhatIsNotCompared(t *testing.T) {
	f := testresult.File(t, option.OpWrite, option.KindLatency, []int{8, 64}, "data", "poll")
	one := Groups([]*result.File{f})[0]
	two := Groups([]*result.File{f, testresult.File(t, option.OpWrite, option.KindLatency, []int{8, 64}, "data", "poll")})[0]
	for name, c := range map[string]*Curve{"a mode without rows": one.Curve(0, option.ModeEvent), "a run that is not there": two.Curve(2, option.ModeData)} {
		if _, some := c.FasterUpTo(); c != nil || some {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if first, second := two.Curve(0, option.ModeData), two.Curve(1, option.ModeData); first == nil || second == nil || first.Points[0].Run != 0 || second.Points[0].Run != 1 {
		t.Errorf("the curves of two runs: %+v, %+v", first, second)
	}
	if lines := two.Lines(); len(lines) != 2 || len(lines[0]) != 2 {
		t.Errorf("two runs have %d lines", len(lines))
	}
}

// Tables mark islands and explain the mark.
func TestIslandsAreMarked(t *testing.T) {
	f := testresult.Comparison(t, option.OpWrite, option.KindBandwidth, curveSizes, map[option.Mode][]float64{"data": {2, 1.5, 1, 0.8, 1.2, 1}})
	g := Groups([]*result.File{f})[0]
	p := g.Points()[4]
	cell := g.Ratios().Cell(result.ColumnOf("bandwidth.average_bytes_per_s"), p.Row("data"), p.Row("poll"))
	if cell.Words != "unclear*" || !cell.Quiet || !slices.Contains(cell.Notes, noteIsland) {
		t.Errorf("%+v", cell)
	}
}
