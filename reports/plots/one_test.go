package plots

import (
	"bytes"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/result"
)

// paper is a figure in a column of a paper.
var paper = Style{Style: chart.Style{Width: 3.4, Height: 2.2, Font: 8, NoTitle: true, Brief: true}}

func one(t *testing.T, kind string, format chart.Format, files ...*result.File) []byte {
	t.Helper()
	data, err := One(files, kind, format, paper)
	if err != nil {
		t.Fatal(err)
	}
	again, err := One(files, kind, format, paper)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("%s as %s is not the same twice", kind, format)
	}
	return data
}

func TestOneFigureInEveryFormat(t *testing.T) {
	f := latencies(t, []int{2, 64}, "data", "poll", "event")
	svg := string(one(t, kindRatio, chart.SVG, f))
	if !strings.Contains(svg, `width="244.8pt" height="158.4pt"`) || !strings.Contains(svg, `viewBox="0 0 306 198"`) {
		t.Errorf("the drawing is not 3.4 by 2.2 inches with 8 points: %.200s", svg)
	}
	if strings.Contains(svg, "RDMA_Write Latency") || strings.Contains(svg, "software device") {
		t.Error("there is a title")
	}
	img, err := png.DecodeConfig(bytes.NewReader(one(t, kindRatio, chart.PNG, f)))
	if err != nil || img.Width != 1020 || img.Height != 660 {
		t.Errorf("%d by %d pixels, %v", img.Width, img.Height, err)
	}
	if pdf := one(t, kindRatio, chart.PDF, f); !bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(pdf, []byte("[0 0 244.80 158.40]")) || !bytes.Contains(pdf, []byte("/FontFile2")) {
		t.Error("no PDF of that size with its font")
	}
	pgf := string(one(t, kindLatency, chart.PGF, f))
	if !strings.Contains(pgf, `\begin{pgfpicture}`) || !strings.Contains(pgf, `99 \%`) || strings.Contains(pgf, `\pgflineto`) {
		t.Error("no PGF")
	}
}

func TestOneFigureNeedsRoom(t *testing.T) {
	flat := Style{Style: chart.Style{Width: 3.4, Height: 0.8, Font: 8}}
	if _, err := One([]*result.File{latencies(t, []int{2, 64}, "data", "poll", "event")}, kindRatio, chart.SVG, flat); err == nil || !strings.Contains(err.Error(), "it needs a height of") {
		t.Errorf("error is %v", err)
	}
	if _, err := One([]*result.File{latencies(t, []int{2, 64}, "data", "poll", "event")}, kindRatio, chart.SVG, Style{Style: chart.Style{Width: 3.4}}); err != nil {
		t.Errorf("without a height: %v", err)
	}
}

// What is wrong with the numbers is said without a title, too.
func TestOneFigureWarns(t *testing.T) {
	f := bandwidths(t, []int{2, 64}, "data", "poll")
	f.Interrupted = true
	checked := bandwidths(t, []int{2, 64}, "data", "poll")
	checked.Parameters.Verify = true
	checked.Rows[0].Verify = &result.Verify{Messages: 1000, Torn: 3}
	if svg := string(one(t, kindRate, chart.SVG, f, checked)); !strings.Contains(svg, "corrupt data") {
		t.Error("nothing about corrupt data")
	}
}

func TestOneNamesTheChoices(t *testing.T) {
	f := latencies(t, []int{2, 64}, "data", "poll")
	for kind, want := range map[string]string{
		kindPercentiles: "2 figures of kind percentiles: choose one of write_lat_percentiles_2_shm_whole_RC, write_lat_percentiles_64_shm_whole_RC",
		"pie":           "no figure of kind pie: these results have latency, ratio",
	} {
		if _, err := One([]*result.File{f}, kind, chart.SVG, Style{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
	one(t, "write_lat_percentiles_64_shm_whole_RC", chart.SVG, f)
	if _, err := One(nil, kindRatio, chart.SVG, Style{}); err == nil {
		t.Error("a figure of nothing")
	}
	if _, err := One([]*result.File{f}, kindRatio, "gif", Style{}); err == nil || !strings.Contains(err.Error(), "pgf") {
		t.Errorf("error is %v", err)
	}
}

func TestEveryKindIsListed(t *testing.T) {
	files := []*result.File{latencies(t, []int{2, 64}, "data", "poll"), bandwidths(t, []int{2, 64}, "data", "poll")}
	files = append(append(append(files, alongQPs(t, option.KindBandwidth, 2, 2, 2)...), alongPause(t)...), testresult.RateSweep(t)...)
	drawn := map[string]bool{}
	for _, s := range sketchesOf(files, nil) {
		if drawn[s.Kind] = true; !slices.Contains(Kinds(), s.Kind) {
			t.Errorf("%s has kind %q", s.Name, s.Kind)
		}
	}
	for _, kind := range Kinds() {
		if !drawn[kind] {
			t.Errorf("nothing is of kind %s", kind)
		}
	}
}
