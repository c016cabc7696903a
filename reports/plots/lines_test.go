package plots

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A tooltip is at the position of its marker.
func TestTooltipsAreAtTheirMarkers(t *testing.T) {
	for name, svg := range drawings(t, latencies(t, []int{2, 512, 65536}, "poll", "event"), bandwidths(t, []int{2, 512, 65536}, "poll", "event")) {
		if strings.Contains(name, "rounds") || strings.Contains(name, "ratio") {
			continue // without tooltips, or without poll
		}
		markers := squares(t, svg, modeColors["poll"])[1:] // the first is in the legend
		tooltips := tooltipsOf(t, svg, "poll")
		if len(markers) == 0 || len(tooltips) == 0 {
			t.Errorf("%s: %d markers, %d tooltips", name, len(markers), len(tooltips))
		}
		for _, m := range markers {
			nearest := math.Inf(1)
			for _, s := range tooltips {
				nearest = min(nearest, math.Hypot(s.X-m[0], s.Y-m[1]))
			}
			if nearest > 7.1 { // the distance below which tooltips are joined
				t.Errorf("%s: the nearest tooltip to %v is %g away", name, m, nearest)
			}
			if !strings.Contains(name, "lat") && nearest > 0.1 {
				t.Errorf("%s: the tooltip of %v is %g away", name, m, nearest)
			}
		}
	}
}

func TestTooltipsTellValuesAndIntervals(t *testing.T) {
	f := latencies(t, []int{64, 512}, "data", "poll")
	f.Rows[0].Warnings = []result.Warning{{ID: "preempted", Text: "other work took the CPU"}}
	f.Rows[0].Latency.P50Ns, f.Rows[0].Latency.P99Ns = 310, 420
	for i := range f.Rows[0].Rounds {
		f.Rows[0].Rounds[i].P50Ns = 300 + 10*float64(i%3)
	}
	title := tooltipsOf(t, drawingNamed(t, "lat_by_size", f), "data")[0].Title
	for _, want := range []string{"data, 64 bytes: median 0.309 usec [0.304-0.314], 99 % 0.420 usec\n", "ratio to poll 1.", "\ndisturbed: other work took the core of a thread that spins"} {
		if !strings.Contains(title, want) {
			t.Errorf("%q does not say %q", title, want)
		}
	}
	bw := tooltipsOf(t, drawingNamed(t, "bw_by_size", bandwidths(t, []int{64, 512}, "data", "poll")), "data")[0].Title
	for _, want := range []string{"data, 64 bytes: ", " Gb/s [", "], ", " Mpps\n"} {
		if !strings.Contains(bw, want) {
			t.Errorf("%q does not say %q", bw, want)
		}
	}
}

// All rounds together move the point of a latency as little.
func TestLatencyIsOfTheMedianRound(t *testing.T) {
	f := latencies(t, []int{64}, "data")
	e := rows.Entry{File: f, Row: &f.Rows[0]}
	before, _ := medianUsec(e)
	e.Rounds[0].P50Ns *= 100
	e.Latency.P50Ns *= 5
	if after, _ := medianUsec(e); math.Abs(after.value/before.value-1) > 0.01 || !after.hasInterval() {
		t.Errorf("%+v, before %+v", after, before)
	}
}

// One slow round moves the average, not the point.
func TestBandwidthIsOfTheMedianRound(t *testing.T) {
	f := bandwidths(t, []int{64}, "data")
	e := rows.Entry{File: f, Row: &f.Rows[0]}
	before, _ := roundGbps(e)
	e.Rounds[0].Average /= 100
	e.Bandwidth.Average /= 5
	if after, _ := roundGbps(e); math.Abs(after.value/before.value-1) > 0.01 || !after.hasInterval() {
		t.Errorf("%+v, before %+v", after, before)
	}
	e.Rounds = e.Rounds[:3]
	if few, _ := roundGbps(e); few.hasInterval() || math.Abs(few.value/before.value-1) > 0.05 {
		t.Errorf("of three rounds: %+v", few)
	}
	e.Rounds = e.Rounds[:1]
	if one, _ := roundGbps(e); one.hasInterval() || one.value != e.Bandwidth.Average/1.25e8 {
		t.Errorf("of one round: %+v", one)
	}
}

func TestIntervalsAreDrawnWhereThereAreEnoughRounds(t *testing.T) {
	f := bandwidths(t, []int{2, 64}, "poll", "event")
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
	f.Rows[0].Rounds = f.Rows[0].Rounds[:4]
	if got := wide(); got != 3 {
		t.Errorf("%d strokes of intervals of one row", got)
	}
}

func TestMessageRateAndBandwidthAgree(t *testing.T) {
	f := bandwidths(t, []int{512}, "poll")
	e := rows.Entry{File: f, Row: &f.Rows[0]}
	gbps, _ := roundGbps(e)
	mpps, _ := roundMpps(e)
	for _, v := range [][2]float64{{gbps.value, mpps.value}, {gbps.low, mpps.low}, {gbps.high, mpps.high}} {
		if math.Abs(v[0]*1e9/8/512/1e6-v[1]) > 1e-9 {
			t.Errorf("%+v and %+v", gbps, mpps)
		}
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
