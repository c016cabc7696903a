package plots

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/result"
)

// Each marker has a spot at its place, which tells what it is of.
func TestSpotsAreAtTheirMarkers(t *testing.T) {
	for name, svg := range drawings(t, latencies(t, []int{2, 512, 65536}, "poll"), bandwidths(t, []int{2, 512, 65536}, "poll")) {
		markers := squares(svg, modeColors["poll"])[1:] // the first is in the legend
		spots := spotsOf(t, svg, "poll")
		if len(markers) == 0 || len(spots) == 0 {
			t.Errorf("%s: %d markers, %d spots", name, len(markers), len(spots))
		}
		for _, m := range markers {
			nearest := math.Inf(1)
			for _, s := range spots {
				nearest = min(nearest, math.Hypot(s.X-m[0], s.Y-m[1]))
			}
			if nearest > 7.1 { // as far as spots are laid together
				t.Errorf("%s: the nearest spot to %v is %g away", name, m, nearest)
			}
			if !strings.Contains(name, "lat") && nearest > 0.1 {
				t.Errorf("%s: the spot of %v is %g away", name, m, nearest)
			}
		}
	}
}

func TestSpotsTellValuesAndIntervals(t *testing.T) {
	f := latencies(t, []int{64, 512}, "data", "poll")
	f.Rows[0].Warnings = []result.Warning{{ID: "preempted", Text: "other work took the CPU"}}
	f.Rows[0].Latency.P50Ns, f.Rows[0].Latency.P99Ns = 310, 420
	for i := range f.Rows[0].Rounds {
		f.Rows[0].Rounds[i].P50Ns = 300 + 10*float64(i%3)
	}
	title := spotsOf(t, drawingNamed(t, "lat_by_size", f), "data")[0].Title
	for _, want := range []string{"data, 64 bytes: median 0.310 usec [0.300-0.320], 99 % 0.420 usec\n", "ratio to poll 1.", "doubtful: preempted"} {
		if !strings.Contains(title, want) {
			t.Errorf("%q does not say %q", title, want)
		}
	}
	bw := spotsOf(t, drawingNamed(t, "bw_by_size", bandwidths(t, []int{64, 512}, "data", "poll")), "data")[0].Title
	for _, want := range []string{"data, 64 bytes: ", " Gb/s [", "], ", " Mpps\n"} {
		if !strings.Contains(bw, want) {
			t.Errorf("%q does not say %q", bw, want)
		}
	}
}

// All rounds together move the point of a latency as little.
func TestLatencyIsOfTheMedianRound(t *testing.T) {
	f := latencies(t, []int{64}, "data")
	e := reports.Entry{File: f, Row: &f.Rows[0]}
	before, _ := medianUsec(e)
	e.Rounds[0].P50Ns *= 100
	e.Latency.P50Ns *= 5
	if after, _ := medianUsec(e); math.Abs(after.value/before.value-1) > 0.01 || !after.known() {
		t.Errorf("%+v, before %+v", after, before)
	}
}

// One slow round moves the average, not the point.
func TestBandwidthIsOfTheMedianRound(t *testing.T) {
	f := bandwidths(t, []int{64}, "data")
	e := reports.Entry{File: f, Row: &f.Rows[0]}
	before, _ := roundGbps(e)
	e.Rounds[0].Average /= 100
	e.Bandwidth.Average /= 5
	if after, _ := roundGbps(e); math.Abs(after.value/before.value-1) > 0.01 || !after.known() {
		t.Errorf("%+v, before %+v", after, before)
	}
	e.Rounds = e.Rounds[:3]
	if few, _ := roundGbps(e); few.known() || math.Abs(few.value/before.value-1) > 0.05 {
		t.Errorf("of three rounds: %+v", few)
	}
	e.Rounds = e.Rounds[:1]
	if one, _ := roundGbps(e); one.known() || one.value != e.Bandwidth.Average/1.25e8 {
		t.Errorf("of one round: %+v", one)
	}
}

func TestIntervalsAreDrawnWhereThereAreEnoughRounds(t *testing.T) {
	f := bandwidths(t, []int{2, 64}, "poll")
	thin := regexp.MustCompile(`<path d="([^"]*)" style="fill:none;stroke:#D55E00" />`)
	wide := func() (strokes int) {
		for i := range f.Rows[0].Rounds {
			f.Rows[0].Rounds[i].Average *= 1 + 0.5*float64(i%2)
		}
		for _, m := range thin.FindAllStringSubmatch(drawingNamed(t, "bw_by_size", f), -1) {
			strokes += strings.Count(m[1], "M")
		}
		return strokes
	}
	if got := wide(); got != 6 { // of two rows, three strokes each
		t.Errorf("%d strokes of intervals", got)
	}
	f.Rows[0].Rounds = f.Rows[0].Rounds[:5]
	if got := wide(); got != 3 {
		t.Errorf("%d strokes of intervals of one row", got)
	}
}

func TestMessageRateAndBandwidthAgree(t *testing.T) {
	f := bandwidths(t, []int{512}, "poll")
	e := reports.Entry{File: f, Row: &f.Rows[0]}
	gbps, _ := roundGbps(e)
	mpps, _ := roundMpps(e)
	for _, v := range [][2]float64{{gbps.value, mpps.value}, {gbps.low, mpps.low}, {gbps.high, mpps.high}} {
		if math.Abs(v[0]*1e9/8/512/1e6-v[1]) > 1e-9 {
			t.Errorf("%+v and %+v", gbps, mpps)
		}
	}
}
