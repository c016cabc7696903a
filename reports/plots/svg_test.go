package plots

import (
	"encoding/xml"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/result"
)

// A drawnTooltip is a circle with a title in a drawing.
type drawnTooltip struct {
	X     float64 `xml:"cx,attr"`
	Y     float64 `xml:"cy,attr"`
	R     float64 `xml:"r,attr"`
	Title string  `xml:"title"`
}

// A drawnText is a text in a drawing, with its place from the top left.
type drawnText struct {
	X    float64 `xml:"x,attr"`
	Y    float64 `xml:"y,attr"`
	Text string  `xml:",chardata"`
}

// elements are the tooltips and texts of a drawing.
func elements(t *testing.T, svg string) (tooltips []drawnTooltip, texts []drawnText) {
	t.Helper()
	var drawing struct {
		Groups []struct {
			Circles []drawnTooltip `xml:"circle"`
			Texts   []drawnText    `xml:"text"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal([]byte(svg), &drawing); err != nil {
		t.Fatal(err)
	}
	height := heightOf(t, svg)
	for _, g := range drawing.Groups {
		tooltips = append(tooltips, g.Circles...)
		for _, text := range g.Texts {
			text.Y += height // it is turned over by a scale, within a group that is
			texts = append(texts, text)
		}
	}
	return tooltips, texts
}

var viewBox = regexp.MustCompile(`viewBox="0 0 [\d.]+ ([\d.]+)"`)

// heightOf returns the height of a drawing.
func heightOf(t *testing.T, svg string) float64 {
	t.Helper()
	m := viewBox.FindStringSubmatch(svg)
	if m == nil {
		t.Fatal("the drawing has no size")
	}
	height, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return height
}

// drawingNamed is the only drawing of files with that in its name.
func drawingNamed(t *testing.T, word string, files ...*result.File) string {
	t.Helper()
	var found []string
	for name, svg := range drawings(t, files...) {
		if strings.Contains(name, word) {
			found = append(found, svg)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d drawings of %q", len(found), word)
	}
	return found[0]
}

// tooltipsOf returns the tooltips of a drawing about one series.
func tooltipsOf(t *testing.T, svg, who string) (some []drawnTooltip) {
	t.Helper()
	all, _ := elements(t, svg)
	for _, s := range all {
		if strings.Contains(s.Title, who+", ") {
			some = append(some, s)
		}
	}
	return some
}

// textAt returns where a drawing has a text.
func textAt(t *testing.T, svg, text string) drawnText {
	t.Helper()
	_, texts := elements(t, svg)
	for _, drawn := range texts {
		if drawn.Text == text {
			return drawn
		}
	}
	t.Fatalf("no text %q", text)
	return drawnText{}
}

var square = regexp.MustCompile(`<path d="M([\d.]+),([\d.]+)L[\d.]+,[\d.]+L([\d.]+),([\d.]+)L[\d.]+,[\d.]+Z" style="fill:#([0-9A-F]{6})`)

// squares are the middles of the filled squares of a colour, with y from above.
func squares(t *testing.T, svg string, c color.NRGBA) (all [][2]float64) {
	for _, m := range square.FindAllStringSubmatch(svg, -1) {
		var v [4]float64
		for i := range v {
			v[i], _ = strconv.ParseFloat(m[i+1], 64)
		}
		if rgb, _ := strconv.ParseUint(m[5], 16, 32); uint32(rgb) == uint32(c.R)<<16|uint32(c.G)<<8|uint32(c.B) && math.Abs(v[2]-v[0]) < 8 {
			all = append(all, [2]float64{(v[0] + v[2]) / 2, heightOf(t, svg) - (v[1]+v[3])/2})
		}
	}
	return all
}

var colour = regexp.MustCompile(`#[0-9A-Fa-f]{6}`)

func TestFiguresHaveNoOtherColours(t *testing.T) {
	known := map[string]bool{}
	for _, c := range chart.Colors() {
		known[c] = true
	}
	variant := latencies(t, []int{2, 64}, "data", "poll", "event")
	variant.Rows[0].Variant = option.VariantControl
	var many []*result.File
	for range 4 {
		many = append(many, latencies(t, []int{64}, "data", "poll", "event"), bandwidths(t, []int{2, 512}, "data", "poll", "event"))
	}
	files := append(alongQPs(t, option.KindBandwidth, 2, 0.5, 0.5), alongPause(t)...)
	for _, drawn := range []map[string]string{drawings(t, variant), drawings(t, many...), drawings(t, files...)} {
		for name, svg := range drawn {
			for _, c := range colour.FindAllString(svg, -1) {
				if !known[c] {
					t.Errorf("%s: colour %s", name, c)
				}
			}
			for line := range strings.Lines(svg) { // what has no colour is black
				if strings.HasPrefix(line, "<path") && !strings.Contains(line, "fill:#") && !strings.Contains(line, "stroke:#") {
					t.Errorf("%s: no colour in %s", name, line)
				}
			}
		}
	}
}

// A page holds dozens of figures and is to stay below 1 MB, with all message sizes, too.
func TestFiguresAreSmall(t *testing.T) {
	all := make([]int, 23)
	for i := range all {
		all[i] = 2 << i
	}
	for _, c := range []struct {
		sizes         []int
		most, average int
	}{{[]int{2, 8, 64, 512, 4096, 65536, 1 << 20}, 20_000, 13_500}, {all, 40_000, 20_000}} {
		sum, n := 0, 0
		for name, svg := range drawings(t, latencies(t, c.sizes, "data", "poll", "event"), bandwidths(t, c.sizes, "data", "poll", "event")) {
			if len(svg) > c.most {
				t.Errorf("%s of %d sizes has %d bytes", name, len(c.sizes), len(svg))
			}
			sum, n = sum+len(svg), n+1
		}
		if sum/n > c.average {
			t.Errorf("figures of %d sizes have %d bytes on average", len(c.sizes), sum/n)
		}
	}
}
