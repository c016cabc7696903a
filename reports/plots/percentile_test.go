package plots

import (
	"math"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
)

func TestCurveAgreesWithPrintedPercentiles(t *testing.T) {
	for _, n := range []int{1, 2, 10, 1000, 5000} {
		l := testresult.Latency(t, "poll", 8, n)
		buckets, err := l.Distribution()
		if err != nil {
			t.Fatal(err)
		}
		c := curve{buckets}
		for x, want := range map[float64]float64{math.Log10(2): l.P50Ns, 1: l.P90Ns, 2: l.P99Ns, 3: l.P999Ns} {
			if got := c.usecAt(x) * 1e3; math.Abs(got-want) > 0.002*want+1 {
				t.Errorf("n %d: %g nines are %.1f ns, printed as %.1f", n, x, got, want)
			}
		}
		if got := c.usecAt(c.nines()) * 1e3; math.Abs(got-l.MaxNs) > 1e-6 {
			t.Errorf("n %d: the curve ends at %.1f ns, the maximum is %.1f", n, got, l.MaxNs)
		}
	}
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

// The points that a curve leaves out do not change the drawing: every point lies on the curve, and
// two neighbors have the same latency or are one step apart.
func TestPointsOfACurveAreFewAndOnIt(t *testing.T) {
	buckets, err := testresult.Latency(t, "poll", 8, 5000).Distribution()
	if err != nil {
		t.Fatal(err)
	}
	c := curve{buckets}
	points := c.points()
	step := c.nines() / 160
	for i, p := range points {
		if p.Y != c.usecAt(p.X) {
			t.Errorf("a point at %g, %g is not on the curve", p.X, p.Y)
		}
		if i > 0 && p.X-points[i-1].X > step*1.01 && p.Y != points[i-1].Y {
			t.Errorf("a slope from %v to %v", points[i-1], p)
		}
	}
	if last := points[len(points)-1]; len(points) > 155 || last.X != c.nines() {
		t.Errorf("%d points, the last at %g of %g", len(points), last.X, c.nines())
	}
}
