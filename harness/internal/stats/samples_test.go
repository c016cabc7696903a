package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

func record(times ...int64) *Samples {
	s := NewSamples()
	for _, ns := range times {
		s.Record(ns)
	}
	return s
}

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > relative*math.Abs(want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestLatencyOfNothing(t *testing.T) {
	if l := NewSamples().Latency(0.5); l != nil {
		t.Errorf("got %+v", l)
	}
}

func TestLatencyOfOneTime(t *testing.T) {
	for _, ns := range []int64{0, 1, 2, 1234567, 100e9, 250e9, math.MaxInt64} {
		l := record(ns).Latency(1)
		want := float64(ns)
		near(t, "min", l.MinNs, want, 0)
		near(t, "max", l.MaxNs, want, 0)
		near(t, "mean", l.MeanNs, want, 0)
		near(t, "stdev", l.StdevNs, 0, 0)
		near(t, "p50", l.P50Ns, want, 0)
		near(t, "p99.99", l.P9999Ns, want, 0)
	}
}

func TestNegativeTimesCountAsZero(t *testing.T) {
	l := record(-5, 0, 4).Latency(1)
	near(t, "min", l.MinNs, 0, 0)
	near(t, "mean", l.MeanNs, 4.0/3, 1e-15)
	near(t, "p50", l.P50Ns, 1, 0) // the histogram begins at 1 ns
}

func TestLatencyAgainstSortedTimes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	times := make([]int64, 200_000)
	s := NewSamples()
	var sum float64
	for i := range times {
		times[i] = int64(math.Exp(rnd.NormFloat64()*1.5 + 8))
		s.Record(times[i])
		sum += float64(times[i])
	}
	slices.Sort(times)
	mean := sum / float64(len(times))
	var squares float64
	for _, ns := range times {
		squares += (float64(ns) - mean) * (float64(ns) - mean)
	}
	const factor = 0.5
	l := s.Latency(factor)
	at := func(p float64) float64 {
		return factor * float64(times[int(math.Round(p/100*float64(len(times))))-1])
	}
	if l.N != uint64(len(times)) || l.Factor != factor {
		t.Errorf("n %d, factor %g", l.N, l.Factor)
	}
	near(t, "min", l.MinNs, factor*float64(times[0]), 0)
	near(t, "max", l.MaxNs, factor*float64(times[len(times)-1]), 0)
	near(t, "mean", l.MeanNs, factor*mean, 1e-12)
	near(t, "stdev", l.StdevNs, factor*math.Sqrt(squares/float64(len(times))), 1e-9)
	near(t, "p50", l.P50Ns, at(50), 1.5e-3)
	near(t, "p90", l.P90Ns, at(90), 1.5e-3)
	near(t, "p99", l.P99Ns, at(99), 1.5e-3)
	near(t, "p99.9", l.P999Ns, at(99.9), 1.5e-3)
	near(t, "p99.99", l.P9999Ns, at(99.99), 1.5e-3)
}

// The deviation of large times that differ by a nanosecond is exact: a sum of squares in floating point
// would lose it.
func TestStdevIsExact(t *testing.T) {
	const far = 90_000_000_000
	s := NewSamples()
	for range 50_000 {
		s.Record(far)
		s.Record(far + 2)
	}
	near(t, "stdev", s.Latency(1).StdevNs, 1, 0)
	near(t, "mean", s.Latency(1).MeanNs, far+1, 0)
}

func TestLargeTimesStayTrue(t *testing.T) {
	l := record(1000, 300e9).Latency(1)
	near(t, "max", l.MaxNs, 300e9, 0)
	near(t, "mean", l.MeanNs, 150e9+500, 0)
	near(t, "stdev", l.StdevNs, 150e9-500, 1e-15)
	near(t, "p99", l.P99Ns, 100e9, 1e-3)
}

func TestPercentilesStayWithinExtremes(t *testing.T) {
	for ns := int64(1); ns < 1e11; ns = ns*3 + 1 {
		l := record(ns, ns+1, ns+2).Latency(1)
		for _, p := range []float64{l.P50Ns, l.P90Ns, l.P99Ns, l.P999Ns, l.P9999Ns} {
			if p < l.MinNs || p > l.MaxNs {
				t.Errorf("percentile %g outside %g to %g", p, l.MinNs, l.MaxNs)
			}
		}
	}
}

func TestHistogramCanBeDecoded(t *testing.T) {
	s := record(0, 1, 50, 1000, 1000, 1_000_000, 200e9)
	h, err := hdr.Decode([]byte(s.Latency(0.5).Histogram))
	if err != nil {
		t.Fatal(err)
	}
	if h.TotalCount() != 7 || h.Min() != 1 {
		t.Errorf("%d times from %d ns on", h.TotalCount(), h.Min())
	}
	if got := h.ValueAtPercentile(50); got != 1000 {
		t.Errorf("median %d, want 1000 as it was recorded", got)
	}
}

func TestResetForgets(t *testing.T) {
	s := record(5, 1e9)
	s.Reset()
	if s.N() != 0 || s.Latency(1) != nil {
		t.Errorf("%d times after Reset", s.N())
	}
	s.Record(7)
	l := s.Latency(1)
	near(t, "max", l.MaxNs, 7, 0)
	near(t, "min", l.MinNs, 7, 0)
	near(t, "p99.99", l.P9999Ns, 7, 0)
	near(t, "stdev", l.StdevNs, 0, 0)
}

func TestRecordDoesNotAllocate(t *testing.T) {
	s := NewSamples()
	ns := int64(-1)
	if n := testing.AllocsPerRun(1000, func() { s.Record(ns); ns = ns*2 + 3 }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	s := NewSamples()
	b.ReportAllocs()
	ns := int64(1000)
	for b.Loop() {
		s.Record(ns)
		ns = ns*5&0xffff + 1
	}
}

func BenchmarkLatency(b *testing.B) {
	s := NewSamples()
	for i := range int64(100_000) {
		s.Record(i * i)
	}
	for b.Loop() {
		s.Latency(0.5)
	}
}

// Samples of several rounds, merged, have the statistics of the same samples in one round.
func TestMergeIsAsRecordedAtOnce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	whole, merged := NewSamples(), NewSamples()
	for range 5 {
		round := NewSamples()
		for range rnd.IntN(3000) {
			ns := int64(math.Exp(rnd.Float64()*28)) - 1
			round.Record(ns)
			whole.Record(ns)
		}
		merged.Merge(round)
	}
	merged.Merge(NewSamples())
	if got, want := merged.Latency(0.5), whole.Latency(0.5); *got != *want {
		t.Errorf("merged %+v, at once %+v", got, want)
	}
}

func TestMeanAndMedian(t *testing.T) {
	s := NewSamples()
	if s.Mean() != 0 || s.Median(10) != 0 {
		t.Errorf("of nothing: %g and %g", s.Mean(), s.Median(10))
	}
	s.Merge(record(10, 1000, 20))
	near(t, "mean", s.Mean(), 1030.0/3, 1e-15)
	near(t, "median", s.Median(10), 20, 0)
}

// Samples of two runs whose true medians differ by less than a step of the clock.
func TestMedianBetweenSteps(t *testing.T) {
	for _, c := range []struct{ below, at, above, want float64 }{
		{25, 50, 25, 200}, {10, 80, 10, 200}, {45, 50, 5, 196}, {5, 50, 45, 204},
	} {
		s := NewSamples()
		for value, n := range map[int64]float64{190: c.below, 200: c.at, 210: c.above} {
			for range int(n) * 10 {
				s.Record(value)
			}
		}
		near(t, "median", s.Median(10), c.want, 0.001)
	}
	near(t, "median of equal times", record(7, 7, 7).Median(10), 7, 0)
	near(t, "median of two values", record(7, 7, 7, 9).Median(10), 7, 0)
}

// Times of 55 to 75 ns by a counter that advances by 26 at 2.596 GHz, so that steps are 10 or 11 ns.
func TestMedianByACounterWithSteps(t *testing.T) {
	const hz, counts, ns = 2.596e9, 26, 1e9 / 2.596e9
	random := rand.New(rand.NewPCG(1, 2))
	reading := func(at float64) int64 { return int64(math.Floor(at*hz/1e9/counts) * counts * ns) }
	for want := 55.0; want <= 75; want++ {
		s := NewSamples()
		for range 20_000 {
			begin := 1e6 * random.Float64()
			s.Record(reading(begin+want+2*random.NormFloat64()) - reading(begin))
		}
		near(t, "median", s.Median(10), want, 0.03)
	}
}

// A clock whose steps are longer than most times moves the median by at most half of it.
func TestMedianByACoarseClock(t *testing.T) {
	s := NewSamples()
	for i := range 1000 {
		s.Record(int64(10 + 4_000_000*(i/950)))
	}
	near(t, "median", s.Median(4_000_000), 10, 0.5)
}

// The first samples after a Reset are kept in their order, up to the room for them.
func TestKeep(t *testing.T) {
	s := NewSamples()
	s.Record(7)
	if len(s.Kept()) != 0 {
		t.Errorf("kept %v without room", s.Kept())
	}
	s.Keep(3)
	for range 2 {
		s.Reset()
		s.Record(5)
		if got := s.Kept(); len(got) != 1 || got[0] != 5 {
			t.Errorf("of one: %v", got)
		}
		for _, ns := range []int64{1, 9, 4} {
			s.Record(ns)
		}
		if got := s.Kept(); !slices.Equal(got, []int64{5, 1, 9}) || s.N() != 4 {
			t.Errorf("of four: %v, n %d", got, s.N())
		}
	}
}
