package reports

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
)

// A printed is a number in a table, what it is compared with, and the ratio beside it.
type printed struct {
	table            string
	value, to, ratio float64
}

// printedIn are all pairs in the tables of a run that put modes side by side.
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
				poll := cells[slices.Index(heads, result.BaseMode)]
				all = append(all, printed{table, number(cells[i-1]), number(poll), number(cells[i])})
			}
		}
	}
	g := Groups([]*result.File{f})[0]
	side := compareModes(g, false).tables[0]
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

// uneven makes rounds that differ by one percent or so, in modes that are a few times as
// fast as each other.
func uneven(t *testing.T, kind string) *result.File {
	f := synthetic.File(t, "write", kind, []int{8, 4096, 65536}, allModes...)
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

// What is printed of two modes agrees with their ratio, whatever all rounds together give:
// one that was held up moves neither.
func TestQuotientsOfPrintedValuesAgreeWithTheRatios(t *testing.T) {
	for _, kind := range []string{result.KindLatency, result.KindBandwidth} {
		f := uneven(t, kind)
		calm := printedIn(t, f)
		if len(calm) != 12 { // two modes, three sizes, two tables
			t.Fatalf("%d pairs are printed", len(calm))
		}
		for i := range f.Rows {
			r := &f.Rows[i]
			held := &r.Rounds[i]
			held.P50Ns, held.MeanNs, held.Average = 50*held.P50Ns, 50*held.MeanNs, held.Average/50
			if kind == result.KindLatency {
				r.Latency.P50Ns *= 3
			} else {
				r.Bandwidth.Average /= 3
			}
		}
		for i, p := range printedIn(t, f) {
			if q := p.value / p.to; math.Abs(q/p.ratio-1) > 0.02 {
				t.Errorf("%s, %s: %g of %g is %g, the ratio beside it %g", kind, p.table, p.value, p.to, q, p.ratio)
			}
			if before := calm[i]; math.Abs(p.value/before.value-1) > 0.02 || math.Abs(p.ratio/before.ratio-1) > 0.02 {
				t.Errorf("%s, %s: a round that was held up moves %v to %v", kind, p.table, before, p)
			}
		}
	}
}

func TestMedianRoundOfFewRounds(t *testing.T) {
	average := result.ColumnOf("bandwidth.average_bytes_per_s")
	e := Entry{Row: &result.Row{Bandwidth: &result.Bandwidth{Average: 5}}}
	for _, c := range []struct {
		rounds []float64
		want   float64
	}{{nil, 5}, {[]float64{7}, 5}, {[]float64{0, 0}, 5}, {[]float64{1, 8, 9}, 8}} {
		e.Rounds = nil
		for _, v := range c.rounds {
			e.Rounds = append(e.Rounds, result.Round{Average: v})
		}
		if got := e.MedianRound(average); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("of rounds %v: %g, want %g", c.rounds, got, c.want)
		}
		if low, high := e.RoundInterval(average); low != 0 || high != 0 {
			t.Errorf("of rounds %v: an interval from %g to %g", c.rounds, low, high)
		}
	}
}

func TestTablesSayThatTheyAreOfTheMedianRound(t *testing.T) {
	f := uneven(t, result.KindBandwidth)
	holds(t, sideBySide(t, f), "Average bandwidth of the median round: completion modes side by side", "Average bandwidth is that of the median round, the median of the rounds' averages")
	for i := range f.Rows {
		f.Rows[i].Rounds = f.Rows[i].Rounds[:1]
	}
	if text := sideBySide(t, f); strings.Contains(text, "median round") {
		t.Errorf("there is one round, but\n%s", text)
	}
}
