package reports

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func ratioDrawing(t *testing.T, c *Comparison) string {
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
	checkGolden(t, "side_by_side.svg.golden", []byte(ratioDrawing(t, syntheticComparison(5))))
}

func TestRatioDrawingSaysWhatItShows(t *testing.T) {
	svg := ratioDrawing(t, syntheticComparison(5))
	for _, want := range []string{"ibperf side by side with perftest", "guest", "subject / reference", "median latency (lower is better)",
		"average BW (higher is better)", "write_lat, 2, data: perftest", "send_bw, 8, event: ucx_perftest put_bw", "1.10x", "the CPU is emulated"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing does not say %q", want)
		}
	}
}

func TestGoalsAreDrawnAndOnTheAxis(t *testing.T) {
	c := syntheticComparison(5)
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
	figures, err := Draw(t.TempDir(), comparisonSet(syntheticComparison(5)))
	if err != nil || len(figures) != 1 {
		t.Fatalf("figures are %v, %v", figures, err)
	}
	img, err := png.Decode(bytes.NewReader(readFigure(t, figures[0].PNG)))
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range []string{MetricLatency, MetricBandwidth, MetricRate} {
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
		file := syntheticComparison(0)
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
	c := syntheticComparison(1)
	for len(c.Lines) < ratioLines+1 {
		c.Lines = append(c.Lines, c.Lines[0])
	}
	figures, err := Draw(t.TempDir(), comparisonSet(c))
	if err != nil || len(figures) != 2 || figures[0].Name == figures[1].Name {
		t.Errorf("figures are %v, %v", figures, err)
	}
}

func TestPageHoldsComparisonWithFigureAndDefinitions(t *testing.T) {
	set := comparisonSet(syntheticComparison(5))
	set.Runs = []*File{syntheticFile(t, "write", KindLatency, []int{8}, "poll")}
	page := comparisonPage(t, set)
	for _, want := range []string{"ibperf side by side with perftest", "the clocks differ", "what the other counts", "0.95x",
		"the CPU is emulated", "iters 1000", "<th>subject</th><th>reference</th>", "<td>ibperf, rxe0</td><td>ucx_perftest put_bw</td>", "sidebyside -o x.json", "RDMA_Write Latency Test"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	comparison := page[strings.Index(page, `<section id="s1">`):]
	if got := strings.Count(comparison, "<svg"); got != 1 {
		t.Errorf("%d figures beside the comparison, want 1", got)
	}
	if page := comparisonPage(t, comparisonSet(hostileComparison(`<script>alert(1)</script>"'>&`))); strings.Contains(page, "<script") {
		t.Error("a string of the file became markup")
	}
}

func comparisonPage(t *testing.T, set Set) string {
	t.Helper()
	dir := t.TempDir()
	figures, err := Draw(dir, set)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "index.html")
	if err := WriteHTML(path, set, figures); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
