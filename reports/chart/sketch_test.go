package chart

import (
	"encoding/xml"
	"image/color"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// cross is a plotter that records where it draws.
type cross struct {
	x, y float64
	at   vg.Point
}

func (c *cross) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	c.at = vg.Point{X: x(c.x), Y: y(c.y)}
}

// withTooltips returns a drawing with an axis from 0 to 100, and its circles.
func withTooltips(t *testing.T, s *Sketch, tooltips ...Tooltip) []circle {
	t.Helper()
	s.Plot.X.Min, s.Plot.X.Max, s.Plot.Y.Min, s.Plot.Y.Max = 0, 100, 0, 100
	s.Tooltips = tooltips
	svg, err := s.Encode(SVG, Style{})
	if err != nil {
		t.Fatal(err)
	}
	var drawing struct {
		Groups []struct {
			Circles []circle `xml:"circle"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal(svg, &drawing); err != nil {
		t.Fatalf("%v in\n%s", err, svg)
	}
	var all []circle
	for _, g := range drawing.Groups {
		all = append(all, g.Circles...)
	}
	return all
}

type circle struct {
	X     float64 `xml:"cx,attr"`
	Y     float64 `xml:"cy,attr"`
	R     float64 `xml:"r,attr"`
	Title string  `xml:"title"`
}

func TestTooltipIsWhereThePlotDraws(t *testing.T) {
	s := Blank()
	s.Title, s.Subtitle, s.YLabel, s.Notes = "a title", "below it", "y", []string{"a note"}
	mark := &cross{x: 30, y: 70}
	s.Plot.Add(mark)
	all := withTooltips(t, s, Tooltip{30, 70, "it"})
	if len(all) != 1 || math.Abs(all[0].X-float64(mark.at.X)) > 0.06 || math.Abs(all[0].Y-float64(pageHeight-mark.at.Y)) > 0.06 || all[0].R != 9 {
		t.Errorf("tooltips %v, drawn at %v", all, mark.at)
	}
}

func TestTooltipsNearEachOther(t *testing.T) {
	all := withTooltips(t, Blank(), Tooltip{50, 50, "a\nand more"}, Tooltip{50.1, 50, "b"}, Tooltip{50, 50, "a"}, Tooltip{52, 50, "c"}, Tooltip{10, 10, "far"}, Tooltip{400, 10, "beyond"}, Tooltip{math.NaN(), 1, "nowhere"})
	if len(all) != 3 || all[0].Title != "a\nand more\nb" || all[1].Title != "c" || all[2].Title != "far" || all[2].R != 9 {
		t.Fatalf("tooltips %v", all)
	}
	if apart := math.Hypot(all[0].X-all[1].X, all[0].Y-all[1].Y); all[0].R+all[1].R > apart+0.2 || all[0].R < 3.5 {
		t.Errorf("%v and %v overlap or are too small", all[0], all[1])
	}
}

func TestTooltipTextsAreEscaped(t *testing.T) {
	const text = "<script>&\"'</title>\n\x00 end"
	all := withTooltips(t, Blank(), Tooltip{50, 50, text})
	if len(all) != 1 || !strings.HasPrefix(all[0].Title, "<script>&\"'</title>\n") {
		t.Errorf("tooltips %v", all)
	}
}

func TestFontIsNamedOnce(t *testing.T) {
	s := Blank()
	s.Title, s.Subtitle = "a title", "below it"
	svg, err := s.Encode(SVG, Style{})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(svg), "Liberation"); n != 1 || strings.Count(string(svg), "font-weight:bold") != 1 {
		t.Errorf("the font is named %d times", n)
	}
	if strings.Contains(string(svg), "<circle") {
		t.Error("tooltips of an empty plot")
	}
}

func TestStrokesInOneStyleAreOnePath(t *testing.T) {
	const drawing = `<path d="M1,1L2,2" style="fill:none;stroke:#DDDDDD" />
<path d="M3,3L4,4" style="fill:none;stroke:#DDDDDD" />
<path d="M5,5L6,6" style="fill:none;stroke:#222222" />
<path d="M1,1L2,2L3,1Z" style="fill:#222222" />
<path d="M1,1L2,2L3,1Z" style="fill:#222222" />
<path d="M5,5L6,6" style="fill:none;stroke:#222222" />
</g>
`
	const want = `<path d="M1,1L2,2M3,3L4,4" style="fill:none;stroke:#DDDDDD" />
<path d="M5,5L6,6" style="fill:none;stroke:#222222" />
<path d="M1,1L2,2L3,1Z" style="fill:#222222" />
<path d="M1,1L2,2L3,1Z" style="fill:#222222" />
<path d="M5,5L6,6" style="fill:none;stroke:#222222" />
</g>
`
	if got := string(joinStrokes([]byte(drawing))); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestLongLinesAreBroken(t *testing.T) {
	style := TextStyle(11, false, Ink, draw.TextStyle{})
	for _, line := range wrap(strings.Repeat("words and words ", 40), style, 500) {
		if style.Width(line) > 500 {
			t.Errorf("%q is too wide", line)
		}
	}
	if got := wrap("short", style, 500); len(got) != 1 || got[0] != "short" {
		t.Errorf("%q", got)
	}
	if got := wrap("", style, 500); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestNotesLeaveRoomForThePlot(t *testing.T) {
	s := Blank()
	low, high := &cross{x: 0, y: 0}, &cross{x: 0, y: 100}
	s.Plot.Add(low, high)
	for range 9 {
		s.Notes = append(s.Notes, strings.Repeat("a note that goes on ", 40))
	}
	withTooltips(t, s)
	if room := high.at.Y - low.at.Y; room < pageHeight/2 {
		t.Errorf("%v of %v are left", room, pageHeight)
	}
}

func TestColorsAreAllDifferent(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Colors() {
		if seen[c] || len(c) != 7 {
			t.Errorf("%s is there twice, or no colour", c)
		}
		seen[c] = true
	}
	if !seen["#0072B2"] || !seen["#FFFFFF"] {
		t.Error("blue or white is not there")
	}
}

func TestTint(t *testing.T) {
	last := Blue
	for steps := 1; steps < 4; steps++ {
		c := Tint(Blue, steps)
		if c.R <= last.R || c.B <= last.B {
			t.Errorf("%d steps: %v is not lighter than %v", steps, c, last)
		}
		last = c
	}
	if Tint(Blue, 0) != Blue || Tint(Blue, 9) != last || (last == color.NRGBA{R: 255, G: 255, B: 255, A: 255}) {
		t.Error("no step changes it, or many make it white")
	}
}

func TestSaveTellsDetails(t *testing.T) {
	main, detail := Blank(), Blank()
	main.Name, detail.Name, detail.Detail = "a", "a", true
	figures, err := Save(t.TempDir(), []*Sketch{main, detail})
	if err != nil || len(figures) != 2 || figures[0].Detail || !figures[1].Detail || figures[0].Name == figures[1].Name {
		t.Fatalf("%v, %v", figures, err)
	}
	for _, f := range figures {
		if info, err := os.Stat(f.PNG); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f.PNG, err)
		}
	}
}

// blank is a sample in a legend.
type blank struct{}

func (blank) Thumbnail(*draw.Canvas) {}

// A legend with many and with long texts leaves the panels of a figure for narrow screens their height.
func TestNarrowFiguresKeepTheirPanels(t *testing.T) {
	high, low := &cross{x: 30, y: 90}, &cross{x: 30, y: 10}
	s := Blank()
	s.Plot.Add(high, low)
	s.Plot.X.Min, s.Plot.X.Max, s.Plot.Y.Min, s.Plot.Y.Max = 0, 100, 0, 100
	var heights []vg.Length
	for range 2 {
		if _, err := s.Encode(SVG, narrow); err != nil {
			t.Fatal(err)
		}
		heights = append(heights, high.at.Y-low.at.Y)
		for i := range 20 {
			text := strconv.Itoa(i) + strings.Repeat("long", 40)
			s.addEntry(entry{text, text, blank{}})
		}
	}
	if heights[0] < 60 || math.Abs(float64(heights[1]-heights[0])) > 6 {
		t.Errorf("the height is %v, with a long legend %v", heights[0], heights[1])
	}
}
