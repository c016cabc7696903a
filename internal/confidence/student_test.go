package confidence

import (
	"math"
	"testing"
)

// The 97.5 % quantiles of Student's distribution, from its tables.
func TestStudent(t *testing.T) {
	for freedom, want := range map[float64]float64{
		1: 12.7062, 2: 4.30265, 3: 3.18245, 4: 2.77645, 5: 2.57058, 9: 2.26216, 19: 2.09302, 30: 2.04227, 120: 1.97993, 1e5: 1.95999,
	} {
		if got := student(freedom, 0.975); math.Abs(got/want-1) > 1e-5 {
			t.Errorf("%g degrees of freedom: %g, want %g", freedom, got, want)
		}
	}
	if v := student(2.5, 0.975); v <= student(3, 0.975) || v >= student(2, 0.975) {
		t.Errorf("2.5 degrees of freedom: %g", v)
	}
}

// Quantiles far out, which many intervals together need.
func TestStudentFarOut(t *testing.T) {
	for _, c := range []struct{ freedom, probability, want float64 }{
		{3, 0.995, 5.84091}, {3, 0.9995, 12.9240}, {6, 0.9995, 5.95882}, {10, 0.9995, 4.58689}, {1, 0.9995, 636.619},
	} {
		if got := student(c.freedom, c.probability); math.Abs(got/c.want-1) > 1e-3 {
			t.Errorf("%g degrees of freedom, probability %g: %g, want %g", c.freedom, c.probability, got, c.want)
		}
	}
}
