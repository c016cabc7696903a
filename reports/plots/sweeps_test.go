package plots

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/result"
)

// alongQPs returns runs of 1, 16, 256, ... QPs, in each of which data is faster than poll by a factor.
func alongQPs(t *testing.T, kind option.Kind, times ...float64) []*result.File {
	t.Helper()
	var files []*result.File
	for i, by := range times {
		f := latencies(t, []int{64}, "data", "poll", "event")
		if kind == option.KindBandwidth {
			f = bandwidths(t, []int{64}, "data", "poll", "event")
		}
		f.Parameters.QPs = 1 << (4 * i)
		data, poll := f.Rows[0].Rounds, f.Rows[1].Rounds
		for j := range data {
			data[j].Average, data[j].P50Ns = by*poll[j].Average, poll[j].P50Ns/by
			if by == 1 && j%2 == 0 {
				data[j].Average, data[j].P50Ns = data[j].Average*1.01, data[j].P50Ns*1.01
			} else if by == 1 {
				data[j].Average, data[j].P50Ns = data[j].Average/1.01, data[j].P50Ns/1.01
			}
		}
		files = append(files, f)
	}
	return files
}

// alongPause returns runs with pauses of 0, 10 and 10000 usec, in all modes with a control.
func alongPause(t *testing.T) []*result.File {
	t.Helper()
	var files []*result.File
	for _, pause := range []time.Duration{0, 10 * time.Microsecond, 10 * time.Millisecond} {
		f := testresult.Controlled(latencies(t, []int{64}, "data", "poll", "adaptive", "event"), 1)
		f.Parameters.Gap = pause
		files = append(files, f)
	}
	return files
}

// A sweep along rates is drawn without rows that did not keep their rate, and says how many messages such a mode answers.
func TestSweepAlongRates(t *testing.T) {
	drawn := map[string]*chart.Sketch{}
	for _, s := range sketchesOf(testresult.RateSweep(t), nil) {
		drawn[s.Kind] = s
	}
	for _, kind := range []string{kindLoad, kindLoadTail, kindLoadBusy} {
		s := drawn[kind]
		if s == nil || s.Points != 3+3+2 {
			t.Errorf("%s: %+v", kind, s)
			continue
		}
		if !slices.ContainsFunc(s.Notes, func(n string) bool {
			return strings.Contains(n, "Maximum rate, in the fastest round: event") && strings.Contains(n, "250k")
		}) {
			t.Errorf("%s has the notes %q", kind, s.Notes)
		}
	}
}

func TestCrossoverIsSaidAndMarked(t *testing.T) {
	for _, c := range []struct {
		name  string
		times []float64
		want  string
		marks int
	}{
		{"ahead", []float64{2, 1.5, 1.2}, "data is ahead of poll at every number of QPs", 0},
		{"behind", []float64{0.9, 0.5, 0.2}, "poll is ahead of data at every number of QPs", 0},
		{"once", []float64{2, 1.5, 0.5, 0.4}, "data and poll cross between 16 and 256 QPs: data is ahead at 1, 16, poll at 256, 4096", 1},
		{"once, somewhere", []float64{2, 1, 1, 0.4}, "data and poll cross between 1 and 4096 QPs: data is ahead at 1, poll at 4096", 1},
		{"an island beyond", []float64{2, 0.5, 2}, "data and poll cross between 1 and 16 QPs: data is ahead at 1, poll at 16", 1},
		{"at first", []float64{2, 1.5, 1.2, 1}, "data is ahead of poll at 1-256 QPs; no certain difference at 4096", 0},
		{"noise", []float64{1, 1, 1}, "data and poll: no certain difference at any number of QPs", 0},
	} {
		for kind, figure := range map[option.Kind]string{option.KindLatency: "lat_qps_64", option.KindBandwidth: "bw_qps_64"} {
			svg := drawingNamed(t, figure, alongQPs(t, kind, c.times...)...)
			if !strings.Contains(strings.ReplaceAll(svg, "&#34;", `"`), ">"+c.want+"<") {
				t.Errorf("%s, %s: the drawing does not say %q", c.name, kind, c.want)
			}
			if got := strings.Count(svg, "fill:#EEEEEE"); got != c.marks {
				t.Errorf("%s, %s: %d places are marked, want %d", c.name, kind, got, c.marks)
			}
		}
	}
}

// No mode is ahead where a row was disturbed.
func TestNoCrossoverOfDisturbedRows(t *testing.T) {
	files := alongQPs(t, option.KindBandwidth, 2, 1.5, 0.5, 0.4)
	files[2].Rows[0].Warnings = []result.Warning{{ID: "preempted", Text: "other work took the CPU"}}
	files[3].Rows[1].Warnings = []result.Warning{{ID: "preempted", Text: "other work took the CPU"}}
	svg := drawingNamed(t, "bw_qps_64", files...)
	if want := ">data is ahead of poll at 1, 16 QPs; not compared at 256, 4096<"; !strings.Contains(svg, want) {
		t.Errorf("the drawing does not say %q", want)
	}
}

func TestCrossoverOfAdaptiveIsSaid(t *testing.T) {
	var files []*result.File
	for i, by := range []float64{1.2, 1.2, 0.5} {
		f := testresult.Comparison(t, "write", option.KindBandwidth, []int{64}, map[option.Mode][]float64{"adaptive": {by}})
		f.Parameters.QPs = 1 << (4 * i)
		files = append(files, f)
	}
	if svg := drawingNamed(t, "qps_64", files...); !strings.Contains(svg, "adaptive and poll cross between 16 and 256 QPs") {
		t.Error("nothing is said of adaptive")
	}
}

func TestCrossoverOfEventIsSaidOnlyIfThereIsOne(t *testing.T) {
	files := alongQPs(t, option.KindBandwidth, 2, 2, 2)
	if svg := drawingNamed(t, "qps_64", files...); strings.Contains(svg, "event and poll") || strings.Contains(svg, "event is") {
		t.Error("something is said of event, which is behind everywhere")
	}
	event, poll := files[0].Rows[2].Rounds, files[0].Rows[1].Rounds
	for i := range event {
		event[i].Average = 3 * poll[i].Average
	}
	if svg := drawingNamed(t, "qps_64", files...); !strings.Contains(svg, "event and poll cross between 1 and 16 QPs") {
		t.Error("nothing is said of event")
	}
}

func TestNothingIsSaidOfModesWithoutRatios(t *testing.T) {
	files := alongQPs(t, option.KindBandwidth, 2, 2, 0.5)
	for _, f := range files {
		for i := range f.Rows {
			f.Rows[i].NoRatio = "no mode waits"
		}
	}
	svg := drawingNamed(t, "qps_64", files...)
	if strings.Contains(svg, "ahead") || strings.Contains(svg, "cross") || !strings.Contains(svg, "nothing is concluded between modes: no mode waits") {
		t.Error("something is concluded")
	}
}

// A run that failed is not compared.
func TestFailedRunOfASweepIsNotCompared(t *testing.T) {
	files := alongQPs(t, option.KindBandwidth, 2, 2, 2)
	files[1].Rows, files[1].Error = nil, "cannot create QPs"
	svg := drawingNamed(t, "qps_64", files...)
	for _, want := range []string{">data is ahead of poll at 1, 256 QPs; not compared at 16<", ">QPs 16: the run ended early: cannot create QPs<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing does not say %q", want)
		}
	}
}

// Figures recommend no rows that the verdict excludes.
func TestNoCrossoverOfDataThatIsNotToBeUsed(t *testing.T) {
	const wrong = "--verify found corrupt data in data mode"
	checked := bandwidths(t, []int{64}, "data", "poll", "event")
	checked.Parameters.Verify = true
	checked.Rows[0].Verify = &result.Verify{Messages: 1000, Torn: 3}
	torn := drawingNamed(t, "qps_64", append(alongQPs(t, option.KindBandwidth, 2, 2, 0.5), checked)...)
	if strings.Contains(torn, "ahead") || strings.Contains(torn, "cross") || !strings.Contains(torn, wrong) {
		t.Error("something is concluded of data that was torn")
	}
	files := alongQPs(t, option.KindBandwidth, 2, 2, 0.5)
	for _, f := range files {
		f.Rows[0].Forced = true
	}
	if svg := drawingNamed(t, "qps_64", files...); strings.Contains(svg, "ahead") || strings.Contains(svg, "cross") || strings.Contains(svg, wrong) {
		t.Error("something is concluded of forced data")
	}
}

func TestPointsOfASweepAreWhereItsStopsAre(t *testing.T) {
	svg := drawingNamed(t, "lat_qps_64", alongQPs(t, option.KindLatency, 2, 2, 2)...)
	points := tooltipsOf(t, svg, "event")
	if len(points) != 3 || math.Abs((points[2].X-points[1].X)-(points[1].X-points[0].X)) > 0.1 {
		t.Errorf("1, 16 and 256 QPs are at %v", points)
	}
	for i, want := range []string{"event, 1 QPs: median ", "event, 16 QPs: ", "event, 256 QPs: "} {
		if !strings.HasPrefix(points[i].Title, want) {
			t.Errorf("tooltip %d says %q", i, points[i].Title)
		}
	}
	textAt(t, svg, "256")
	textAt(t, svg, "number of QPs")
}

func TestNoPauseHasAPlaceOfItsOwn(t *testing.T) {
	drawn := drawings(t, alongPause(t)...)
	if len(drawn) != 2 {
		t.Fatalf("%d plots, want latency and core busy", len(drawn))
	}
	for name, svg := range drawn {
		points := tooltipsOf(t, svg, "event")
		if len(points) != 3 || points[1].X-points[0].X < 50 || points[2].X-points[1].X < 50 {
			t.Errorf("%s: points at %v", name, points)
		}
		if adaptive := tooltipsOf(t, svg, "adaptive"); len(adaptive) != 3 {
			t.Errorf("%s: points of adaptive at %v", name, adaptive)
		}
		if strings.Contains(svg, "control") {
			t.Errorf("%s draws the control", name)
		}
		for _, label := range []string{"0", "10", "10000", "pause between messages [usec]"} {
			textAt(t, svg, label)
		}
		if !strings.Contains(points[0].Title, "event, pause 0 usec: ") {
			t.Errorf("%s: %q", name, points[0].Title)
		}
	}
}

func TestSweepOfManySizesIsDrawnOfFour(t *testing.T) {
	var files []*result.File
	for _, n := range []int{1, 16, 256} {
		f := bandwidths(t, []int{2, 8, 64, 512, 4096, 65536}, "data", "poll")
		f.Parameters.QPs = n
		files = append(files, f)
	}
	drawn := sketchesOf(files, nil)
	if len(drawn) != 4 {
		t.Errorf("%d plots", len(drawn))
	}
	for i, s := range drawn {
		if s.Detail != (i > 0) {
			t.Errorf("%s: detail %v", s.Name, s.Detail)
		}
	}
}

// A file may contain any pauses.
func TestSweepOfNoPlacesIsNotDrawn(t *testing.T) {
	files := alongPause(t)
	for i, f := range files {
		f.Parameters.Gap = -time.Duration(i)
	}
	if drawn := drawings(t, files...); len(drawn) != 0 {
		t.Errorf("%d plots", len(drawn))
	}
}
