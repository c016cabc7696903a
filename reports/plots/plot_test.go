package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/result"
)

func drawFiles(t *testing.T, files ...*result.File) []page.Figure {
	t.Helper()
	figures, err := Draw(t.TempDir(), files)
	if err != nil {
		t.Fatal(err)
	}
	return figures
}

// drawings returns the vector drawings of a file, which are quickly made.
func drawings(t *testing.T, files ...*result.File) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, s := range sketchesOf(files, nil) {
		svg, err := s.Encode(chart.SVG, chart.Style{})
		if err != nil {
			t.Fatal(err)
		}
		all[s.Name] = string(svg)
	}
	return all
}

func readFigure(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDrawingsAreAsInGoldenFiles(t *testing.T) {
	lat := latencies(t, []int{64}, "data", "poll", "adaptive", "event")
	bw := bandwidths(t, []int{2, 512, 65536}, "data", "poll", "adaptive", "event")
	bw.Interrupted = true
	for _, f := range []*result.File{lat, bw} {
		for name, svg := range drawings(t, f) {
			if strings.Contains(name, "percentiles") || strings.Contains(name, "bw_by_size") {
				golden.Check(t, name+".svg.golden", []byte(svg))
			}
		}
	}
}

func TestDrawMakesTheSameBytesAgain(t *testing.T) {
	f := bandwidths(t, []int{2, 512}, "poll", "event")
	first, second := drawFiles(t, f), drawFiles(t, f)
	for i := range first {
		if !bytes.Equal(readFigure(t, first[i].SVG), readFigure(t, second[i].SVG)) ||
			!bytes.Equal(readFigure(t, first[i].PNG), readFigure(t, second[i].PNG)) {
			t.Errorf("%s is not the same twice", first[i].Name)
		}
	}
}

func TestPicturesAreNotBlank(t *testing.T) {
	lat := latencies(t, []int{2, 64}, option.Modes()...)
	bars := bandwidths(t, []int{512}, option.Modes()...)
	figures := drawFiles(t, lat, bars)
	if len(figures) != 9 { // by size, ratio, busy, two of percentiles, rounds; bars, ratio, rounds
		t.Errorf("%d figures, want 9", len(figures))
	}
	for _, fig := range figures {
		img, err := png.Decode(bytes.NewReader(readFigure(t, fig.PNG)))
		if err != nil {
			t.Fatalf("%s: %v", fig.PNG, err)
		}
		if size := img.Bounds().Size(); size.X != 8*chart.DPI || size.Y < 5*chart.DPI {
			t.Errorf("%s: size is %v", fig.PNG, size)
		}
		for _, mode := range option.Modes() {
			if count := countColor(img, modeColors[mode]); count < 100 && !(mode == "poll" && strings.Contains(fig.Name, "ratio")) && !strings.Contains(fig.Name, "rounds") {
				t.Errorf("%s: %d pixels in the colour of %s", fig.Name, count, mode)
			}
		}
	}
}

func TestFiguresSayWhatTheyShow(t *testing.T) {
	f := latencies(t, []int{64}, "data", "poll")
	f.Rows[0].Forced = true
	f.Interrupted = true
	for name, svg := range drawings(t, f) {
		for _, want := range []string{"RDMA_Write Latency: ", "64", "shm_whole, RC, 20 rounds, software device: embedded shared memory",
			"data (forced, unsafe), RDMA_WRITE", "interrupted", "lat"} {
			if !strings.Contains(svg, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
}

// nearlyEmpty are runs in which much is missing, nothing or beyond measure.
func nearlyEmpty(t *testing.T) map[string]*result.File {
	zeroLatency := latencies(t, []int{64}, "data", "poll")
	for i := range zeroLatency.Rows {
		zeroLatency.Rows[i].Latency = &result.Latency{}
	}
	zeroBandwidth := bandwidths(t, []int{2, 512}, "data", "poll")
	for i := range zeroBandwidth.Rows {
		zeroBandwidth.Rows[i].Bandwidth = &result.Bandwidth{}
	}
	emptyMessages := bandwidths(t, []int{2, 512}, "poll")
	emptyMessages.Rows[0].Size = 0
	extreme := latencies(t, []int{2, 64}, "data", "poll", "event")
	for i, ns := range []float64{0, 5e-324, 1, 1e300, math.MaxFloat64, 0} {
		l := extreme.Rows[i].Latency
		l.MinNs, l.P50Ns, l.P99Ns, l.MaxNs, l.MeanNs, extreme.Rows[i].Local.CPUNs = 0, ns, ns, ns, ns, ns
	}
	fast := bandwidths(t, []int{2, 512}, "poll")
	fast.Rows[0].Bandwidth = &result.Bandwidth{Average: math.MaxFloat64, Peak: math.MaxFloat64, MsgRate: math.MaxFloat64}
	rounds := bandwidths(t, []int{2, 512}, "data", "poll", "event")
	for i := range rounds.Rows {
		for j := range rounds.Rows[i].Rounds {
			rounds.Rows[i].Rounds[j].Average = []float64{0, 5e-324, 1, 1e300, math.MaxFloat64}[(i+j)%5]
		}
	}
	return map[string]*result.File{
		"extreme rounds":       rounds,
		"extreme latency":      extreme,
		"extreme bandwidth":    fast,
		"no latency rows":      latencies(t, nil),
		"no bandwidth rows":    bandwidths(t, nil),
		"latency zeros":        zeroLatency,
		"bandwidth zeros":      zeroBandwidth,
		"empty messages":       emptyMessages,
		"nothing but the kind": {Kind: option.KindLatency, Op: "write"},
	}
}

func TestDrawOfNearlyNothing(t *testing.T) {
	for name, f := range nearlyEmpty(t) {
		for drawing, svg := range drawings(t, f) {
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("%s: not a number in %s", name, drawing)
			}
		}
	}
}

func TestHostileNamesStayInTheFolderAndInXML(t *testing.T) {
	f := bandwidths(t, []int{2, 512}, "poll", "event")
	f.Op = "../../etc/x"
	f.Local.Device.Name = "<script>&\x00\x1b"
	twin := *f
	twin.Op = "../..\x00etc/x"
	figures := drawFiles(t, f, &twin)
	if len(figures) != 8 || figures[0].Name == figures[4].Name {
		t.Fatalf("figures are %v", figures)
	}
	for _, fig := range figures {
		if filepath.Base(fig.SVG) != fig.Name+".svg" {
			t.Errorf("figure at %s", fig.SVG)
		}
		d := xml.NewDecoder(bytes.NewReader(readFigure(t, fig.SVG)))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestDrawNamesTheFolderItCannotMake(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Draw(file, nil); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error is %v", err)
	}
}

// Plots of latency are of percentiles: they leave out runs that have none.
func TestPlotsWithoutPercentiles(t *testing.T) {
	lat := noPeak(latencies(t, []int{2, 64}, "data", "poll"))
	if drawn := drawings(t, lat); len(drawn) != 0 {
		t.Errorf("%d plots of means", len(drawn))
	}
	if bw := drawings(t, noPeak(bandwidths(t, []int{2, 65536}, "data", "poll"))); len(bw) != 4 {
		t.Errorf("%d plots of bandwidth", len(bw))
	}
	full := latencies(t, []int{2, 64}, "data", "poll")
	if both, alone := drawings(t, full, lat), drawings(t, full); len(both) != len(alone) {
		t.Errorf("%d plots with means, %d without", len(both), len(alone))
	}
}

// countColor counts the pixels of exactly that colour.
func countColor(img image.Image, want color.Color) int {
	r, g, b, _ := want.RGBA()
	n := 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if pr, pg, pb, _ := img.At(x, y).RGBA(); pr == r && pg == g && pb == b {
				n++
			}
		}
	}
	return n
}
