package page

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/tables"
	"github.com/ibperf/ibperf/result"
)

// A printed holds a number in a table, the number it is compared with, and the printed ratio.
type printed struct {
	table            string
	value, to, ratio float64
}

// printedIn returns all values with a ratio in the tables that compare the modes of a run.
func printedIn(t *testing.T, f *result.File) (all []printed) {
	t.Helper()
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(strings.Fields(text)[0], 64)
		if err != nil {
			t.Fatalf("%q is no number: %v", text, err)
		}
		return v
	}
	add := func(table string, heads, cells []string) {
		for i := 1; i < len(heads); i++ {
			if heads[i] == "ratio" {
				poll := cells[slices.Index(heads, result.BaseName)]
				all = append(all, printed{table, number(cells[i-1]), number(poll), number(cells[i])})
			}
		}
	}
	g := rows.Groups([]*result.File{f})[0]
	side := tables.SideBySide(g).Tables[0]
	var heads []string
	for _, c := range side.Columns {
		heads = append(heads, c.Name)
	}
	for _, row := range side.Rows {
		add(side.Title, heads, row)
	}
	merged := mergedTable(g)
	heads = nil
	for _, group := range merged.Groups {
		for i, c := range group.Columns {
			if i == 0 {
				heads = append(heads, group.Name)
			} else {
				heads = append(heads, c.Name)
			}
		}
	}
	for _, row := range merged.Rows {
		var cells []string
		for _, c := range row.Cells {
			cells = append(cells, c.Text)
		}
		add("of the page", heads, cells)
	}
	return all
}

// uneven returns a run whose rounds vary by about one percent and whose modes differ by factors.
func uneven(t *testing.T, kind option.Kind) *result.File {
	f := testresult.File(t, "write", kind, []int{8, 4096, 65536}, allModes...)
	random := rand.New(rand.NewPCG(7, uint64(len(kind))))
	for i := range f.Rows {
		r := &f.Rows[i]
		level := 1e4 * math.Exp(2*random.Float64())
		for j := range r.Rounds {
			v := level * math.Exp(0.01*random.NormFloat64())
			r.Rounds[j].P50Ns, r.Rounds[j].MeanNs, r.Rounds[j].Average = v, v, 1e5*v
		}
	}
	return f
}

// The printed values of two modes agree with their ratio. A delayed round changes neither, although it
// changes the statistics over all rounds.
func TestQuotientsOfPrintedValuesAgreeWithTheRatios(t *testing.T) {
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		f := uneven(t, kind)
		calm := printedIn(t, f)
		if len(calm) != 12 { // two modes, three sizes, two tables
			t.Fatalf("%d pairs are printed", len(calm))
		}
		for i := range f.Rows {
			r := &f.Rows[i]
			held := &r.Rounds[i]
			held.P50Ns, held.MeanNs, held.Average = 50*held.P50Ns, 50*held.MeanNs, held.Average/50
			if kind == option.KindLatency {
				r.Latency.P50Ns *= 3
			} else {
				r.Bandwidth.Average /= 3
			}
		}
		for i, p := range printedIn(t, f) {
			if q := p.value / p.to; math.Abs(q/p.ratio-1) > 0.02 {
				t.Errorf("%s, %s: %g of %g is %g, the printed ratio %g", kind, p.table, p.value, p.to, q, p.ratio)
			}
			if before := calm[i]; math.Abs(p.value/before.value-1) > 0.02 || math.Abs(p.ratio/before.ratio-1) > 0.02 {
				t.Errorf("%s, %s: a round that was held up moves %v to %v", kind, p.table, before, p)
			}
		}
	}
}
