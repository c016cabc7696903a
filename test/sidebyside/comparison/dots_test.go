package comparison

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/reports/plots/sketch"
)

// recorded is the comparison in testdata, of three lines, one of each metric and arrival, with so many pairs.
func recorded(tb testing.TB, pairs int) *Comparison {
	tb.Helper()
	c, err := Read(filepath.Join("testdata", "comparison.json"))
	if err != nil {
		tb.Fatal(err)
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		subject, reference := l.Subject.Rounds, l.Reference.Rounds
		l.Subject.Rounds, l.Reference.Rounds = nil, nil
		for j := range pairs {
			l.Add(subject[j], reference[j])
		}
	}
	return c
}

func ratioDrawing(t *testing.T, c *Comparison) string {
	t.Helper()
	drawn := sketches(c)
	if len(drawn) != 1 {
		t.Fatalf("%d plots, want 1", len(drawn))
	}
	svg, err := drawn[0].SVG()
	if err != nil {
		t.Fatal(err)
	}
	return string(svg)
}

func TestRatioDrawingIsAsInGoldenFile(t *testing.T) {
	golden.Check(t, "side_by_side.svg.golden", []byte(ratioDrawing(t, recorded(t, 5))))
}

func TestRatioDrawingSaysWhatItShows(t *testing.T) {
	svg := ratioDrawing(t, recorded(t, 5))
	for _, want := range []string{"ibperf side by side with perftest", "guest", "subject / reference", "median latency (lower is better)",
		"average BW (higher is better)", "write_lat, 2, data: perftest", "send_bw, 8, event: ucx_perftest put_bw", "1.10x", "the CPU is emulated"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing does not say %q", want)
		}
	}
}

func TestDrawingHasTheColoursOfFigures(t *testing.T) {
	known := sketch.Colors()
	for metric, c := range metricColors {
		if hex := fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B); !slices.Contains(known, hex) {
			t.Errorf("%s is drawn in %s", metric, hex)
		}
	}
	for _, c := range regexp.MustCompile(`#[0-9A-F]{6}`).FindAllString(ratioDrawing(t, recorded(t, 5)), -1) {
		if !slices.Contains(known, c) {
			t.Errorf("colour %s", c)
		}
	}
}

func TestGoalsAreDrawnAndOnTheAxis(t *testing.T) {
	c := recorded(t, 5)
	without := ratioDrawing(t, c)
	c.Lines[1].Goal = 3
	if with := ratioDrawing(t, c); with == without {
		t.Error("a goal changes nothing in the drawing")
	}
	if s := sketches(c)[0]; s.Plot.X.Max < 3 {
		t.Errorf("the axis ends at %v, before the goal", s.Plot.X.Max)
	}
}

func TestRatiosAreInTheColoursOfTheirMetrics(t *testing.T) {
	svg := ratioDrawing(t, recorded(t, 5))
	for _, metric := range []string{MetricLatency, MetricBandwidth, MetricRate} {
		if !strings.Contains(svg, hex(metric)) {
			t.Errorf("the colour of %s is not in the drawing", metric)
		}
	}
}

// hex is the colour of a metric as SVG has it.
func hex(metric string) string {
	c := metricColors[metric]
	return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B)
}

func TestRatioAxisHoldsOneAndAllQuartiles(t *testing.T) {
	for _, c := range []struct {
		name   string
		ratios []float64
	}{
		{"all below 1", []float64{0.3, 0.4}}, {"all above", []float64{2, 3}}, {"at 1", []float64{1}},
		{"far apart", []float64{0.02, 30}}, {"beyond the paper", []float64{1e-20, 1e20}},
	} {
		file := recorded(t, 0)
		for i, r := range c.ratios {
			file.Lines[i].Add(r, 1)
		}
		s := sketches(file)[0]
		for _, r := range append(c.ratios, 1) {
			if at := drawable(r); at < s.Plot.X.Min || at > s.Plot.X.Max {
				t.Errorf("%s: %v is not on the axis from %v to %v", c.name, at, s.Plot.X.Min, s.Plot.X.Max)
			}
		}
		if svg := ratioDrawing(t, file); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%s: not a number in the drawing", c.name)
		}
	}
}

func TestManyLinesMakeSeveralPlots(t *testing.T) {
	c := recorded(t, 1)
	for len(c.Lines) < ratioLines+1 {
		c.Lines = append(c.Lines, c.Lines[0])
	}
	files, err := Set{c}.Draw(t.TempDir())
	if err != nil || len(files) != 5 || files[0] == files[2] { // two plots, each PNG and SVG, and the page
		t.Errorf("files are %v, %v", files, err)
	}
}

func TestNoRatiosMakeNoPlot(t *testing.T) {
	if drawn := sketches(recorded(t, 0)); len(drawn) != 0 {
		t.Errorf("%d plots of nothing", len(drawn))
	}
}
