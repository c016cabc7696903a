package plots

import (
	"math"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/internal/stats"
)

func TestCurveAgreesWithPrintedPercentiles(t *testing.T) {
	for _, n := range []int{1, 2, 10, 1000, 5000} {
		l := skewed(n).Latency(0.5)
		buckets, err := l.Distribution()
		if err != nil {
			t.Fatal(err)
		}
		c := curve{buckets}
		for x, want := range map[float64]float64{math.Log10(2): l.P50Ns, 1: l.P90Ns, 2: l.P99Ns, 3: l.P999Ns} {
			if got := c.at(x) * 1e3; math.Abs(got-want) > 0.002*want+1 {
				t.Errorf("n %d: %g nines are %.1f ns, printed as %.1f", n, x, got, want)
			}
		}
		if got := c.at(c.nines()) * 1e3; math.Abs(got-l.MaxNs) > 1e-6 {
			t.Errorf("n %d: the curve ends at %.1f ns, the maximum is %.1f", n, got, l.MaxNs)
		}
	}
}

// skewed are n samples with a long tail.
func skewed(n int) *stats.Samples {
	samples := stats.NewSamples()
	for i := range n {
		samples.Record(200 + int64(i*37%101) + int64(1e5/(1+i*i%7919)))
	}
	return samples
}

func TestNineTicks(t *testing.T) {
	var labels []string
	for _, tick := range (nineTicks{}).Ticks(0, 4.1) {
		labels = append(labels, tick.Label)
	}
	if want := []string{"0", "50", "90", "99", "99.9", "99.99"}; !slices.Equal(labels, want) {
		t.Errorf("labels are %q, want %q", labels, want)
	}
}

func TestSpread(t *testing.T) {
	if got := spread([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 4); !slices.Equal(got, []int{1, 4, 7, 10}) {
		t.Errorf("got %v", got)
	}
	if got := spread([]int{5}, 4); !slices.Equal(got, []int{5}) {
		t.Errorf("got %v", got)
	}
}
