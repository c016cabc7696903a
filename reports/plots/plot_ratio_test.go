package plots

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/reports"
)

func ratioDrawing(t *testing.T, c *reports.Comparison) string {
	t.Helper()
	sketches := ratioSketches(c)
	if len(sketches) != 1 {
		t.Fatalf("%d plots, want 1", len(sketches))
	}
	svg, err := sketches[0].svg()
	if err != nil {
		t.Fatal(err)
	}
	return string(svg)
}

func TestRatioDrawingIsAsInGoldenFile(t *testing.T) {
	golden.Check(t, "side_by_side.svg.golden", []byte(ratioDrawing(t, comparison(t, 5))))
}

func TestRatioDrawingSaysWhatItShows(t *testing.T) {
	svg := ratioDrawing(t, comparison(t, 5))
	for _, want := range []string{"ibperf side by side with perftest", "guest", "subject / reference", "median latency (lower is better)",
		"average BW (higher is better)", "write_lat, 2, data: perftest", "send_bw, 8, event: ucx_perftest put_bw", "1.10x", "the CPU is emulated"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing does not say %q", want)
		}
	}
}

func TestGoalsAreDrawnAndOnTheAxis(t *testing.T) {
	c := comparison(t, 5)
	without := ratioDrawing(t, c)
	c.Lines[1].Goal = 3
	if with := ratioDrawing(t, c); with == without {
		t.Error("a goal changes nothing in the drawing")
	}
	if s := ratioSketches(c)[0]; s.plot.X.Max < 3 {
		t.Errorf("the axis ends at %v, before the goal", s.plot.X.Max)
	}
}

func TestRatioPictureIsNotBlank(t *testing.T) {
	figures, err := Draw(t.TempDir(), reports.Set{Comparisons: []*reports.Comparison{comparison(t, 5)}})
	if err != nil || len(figures) != 1 {
		t.Fatalf("figures are %v, %v", figures, err)
	}
	img, err := png.Decode(bytes.NewReader(readFigure(t, figures[0].PNG)))
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range []string{reports.MetricLatency, reports.MetricBandwidth, reports.MetricRate} {
		c := metricColors[metric]
		if count := countColor(img, c); count < 100 {
			t.Errorf("%d pixels in the colour of %s", count, metric)
		}
	}
}

func TestRatioAxisHoldsOneAndAllQuartiles(t *testing.T) {
	for _, c := range []struct {
		name   string
		ratios []float64
	}{
		{"all below 1", []float64{0.3, 0.4}}, {"all above", []float64{2, 3}}, {"at 1", []float64{1}},
		{"far apart", []float64{0.02, 30}}, {"beyond the paper", []float64{1e-20, 1e20}},
	} {
		file := comparison(t, 0)
		for i, r := range c.ratios {
			file.Lines[i].Add(r, 1)
		}
		s := ratioSketches(file)[0]
		for _, r := range append(c.ratios, 1) {
			if at := drawable(r); at < s.plot.X.Min || at > s.plot.X.Max {
				t.Errorf("%s: %v is not on the axis from %v to %v", c.name, at, s.plot.X.Min, s.plot.X.Max)
			}
		}
		if svg := ratioDrawing(t, file); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%s: not a number in the drawing", c.name)
		}
	}
}

func TestManyLinesMakeSeveralPlots(t *testing.T) {
	c := comparison(t, 1)
	for len(c.Lines) < ratioLines+1 {
		c.Lines = append(c.Lines, c.Lines[0])
	}
	figures, err := Draw(t.TempDir(), reports.Set{Comparisons: []*reports.Comparison{c}})
	if err != nil || len(figures) != 2 || figures[0].Name == figures[1].Name {
		t.Errorf("figures are %v, %v", figures, err)
	}
}

func TestNoRatiosMakeNoPlot(t *testing.T) {
	if sketches := ratioSketches(comparison(t, 0)); len(sketches) != 0 {
		t.Errorf("%d plots of nothing", len(sketches))
	}
}
