package plots

import (
	"encoding/xml"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/result"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// No text of a figure lies on a line, a marker, a bar or another text, on pages, in papers and on phones.
func TestNoTextLiesOnALineOrAnotherText(t *testing.T) {
	styles := map[string]chart.Style{
		"on a page":  {},
		"in a paper": paper.Style,
		"on a phone": {Width: 4.6, NoTitle: true},
	}
	labels := 0
	for what, files := range severalRuns(t) {
		for _, s := range sketchesOf(files, nil) {
			for where, style := range styles {
				svg, err := s.Encode(chart.SVG, style)
				if err != nil && style.Height > 0 && s.Columns > 0 {
					continue // too many panels for its height, as the error says
				}
				if err != nil {
					t.Fatalf("%s, %s, %s: %v", what, s.Name, where, err)
				}
				d := parsed(t, string(svg))
				for _, bad := range d.overlaps() {
					t.Errorf("%s, %s, %s: %s", what, s.Name, where, bad)
				}
				labels += len(d.texts)
			}
		}
	}
	if labels < 3000 {
		t.Errorf("only %d texts were drawn", labels)
	}
}

// An overlap is found: else the test above proves nothing.
func TestOverlapsAreFound(t *testing.T) {
	const head = `<svg viewBox="0 0 100 100"><g>`
	const text = `<text x="10" y="-20" style="fill:#222222;font-size:10px">word</text>`
	for drawing, want := range map[string]int{
		text: 0,
		text + `<path d="M0,0L90,90" style="fill:none;stroke:#0072B2" />`:            1,
		text + `<path d="M0,23L90,23" style="fill:none;stroke:#DDDDDD" />`:           0,
		text + `<path d="M0,40L90,40" style="fill:none;stroke:#0072B2" />`:           0,
		text + `<path d="M12,22L14,22L14,24L12,24Z" style="fill:#D55E00" />`:         1,
		text + `<path d="M12,22A3,3 0 0 1 12,26" style="fill:#D55E00" />`:            1,
		text + `<text x="20" y="-22" style="fill:#222222;font-size:10px">it</text>`:  1,
		text + `<text x="60" y="-20" style="fill:#222222;font-size:10px">far</text>`: 0,
	} {
		if got := parsed(t, head+drawing+`</g></svg>`).overlaps(); len(got) != want {
			t.Errorf("%q in %s", got, drawing)
		}
	}
}

// severalRuns returns what tests and golden files draw, and random results.
func severalRuns(t *testing.T) map[string][]*result.File {
	all := []option.Mode{"data", "poll", "adaptive", "event"}
	sizes := []int{2, 8, 64, 512, 4096, 65536, 1 << 20}
	lat, bw := latencies(t, sizes, all...), bandwidths(t, sizes, all...)
	runs := map[string][]*result.File{
		"golden latency":   {latencies(t, []int{64}, all...)},
		"golden bandwidth": {bandwidths(t, []int{2, 512, 65536}, all...), bandwidths(t, []int{64}, all...)},
		"many sizes":       {lat, bw},
		"control":          {testresult.Controlled(latencies(t, []int{64, 512}, all...), 1.1, 0.95)},
		"variants":         {testresult.Variants(t)},
		"QPs":              alongQPs(t, option.KindLatency, 2, 1, 0.5, 0.4),
		"pauses":           alongPause(t),
		"transports":       testresult.Transports(t),
		"hosts":            {lat, onHost(lat, "node3"), bw, onHost(bw, "node3"), onHost(bw, "node5")},
	}
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 1))
		runs[fmt.Sprintf("random %d", seed)] = []*result.File{randomRun(t, random, option.KindLatency), randomRun(t, random, option.KindBandwidth)}
	}
	return runs
}

// onHost returns a copy of a run on another host.
func onHost(f *result.File, host string) *result.File {
	other := *f
	other.Local.Host = host
	return &other
}

// randomRun returns a comparison with any number of sizes, whose modes have any ratios and variation.
func randomRun(t *testing.T, random *rand.Rand, kind option.Kind) *result.File {
	var sizes []int
	for size := 2; size <= 8<<20; size *= 2 {
		if random.IntN(3) > 0 {
			sizes = append(sizes, size)
		}
	}
	f := latencies(t, sizes, "data", "poll", "adaptive", "event")
	if kind == option.KindBandwidth {
		f = bandwidths(t, sizes, "data", "poll", "adaptive", "event")
	}
	spread := 0.5 * random.Float64()
	for i := range f.Rows {
		r := &f.Rows[i]
		by := math.Exp(random.NormFloat64() * spread)
		for j := range r.Rounds {
			v := by * math.Exp(random.NormFloat64()*spread*spread)
			r.Rounds[j].P50Ns, r.Rounds[j].Average = r.Rounds[j].P50Ns*v, r.Rounds[j].Average*v
		}
	}
	return f
}

// A shape is a line or an area of a drawing.
type shape struct {
	points []vg.Point
	filled bool
}

// A parsedDrawing holds the texts and shapes of a drawing that must not overlap.
type parsedDrawing struct {
	texts  []string
	boxes  []vg.Rectangle
	shapes []shape
}

var (
	fontSize = regexp.MustCompile(`font-size:([\d.]+)px`)
	styleOfX = regexp.MustCompile(`(fill|stroke):(#[0-9A-F]{6})`)
	command  = regexp.MustCompile(`([MLAZ])([^MLAZ]*)`)
	numberIn = regexp.MustCompile(`-?[\d.]+(?:e-?\d+)?`)
)

// behind are the colors of what lies behind texts: paper, grid and bands.
var behind = []string{"#FFFFFF", "#DDDDDD", "#EEEEEE", "#D0D0D0"}

// parsed reads a drawing.
func parsed(t *testing.T, svg string) *parsedDrawing {
	t.Helper()
	var drawing struct {
		Groups []struct {
			Paths []struct {
				D     string `xml:"d,attr"`
				Style string `xml:"style,attr"`
			} `xml:"path"`
			Texts []struct {
				X     float64 `xml:"x,attr"`
				Y     float64 `xml:"y,attr"`
				Style string  `xml:"style,attr"`
				Text  string  `xml:",chardata"`
			} `xml:"text"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal([]byte(svg), &drawing); err != nil {
		t.Fatal(err)
	}
	d := &parsedDrawing{}
	for _, g := range drawing.Groups {
		for _, text := range g.Texts {
			size, err := strconv.ParseFloat(fontSize.FindStringSubmatch(text.Style)[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			width := chart.TextStyle(size, strings.Contains(text.Style, "bold"), chart.Ink, draw.TextStyle{}).Width(text.Text)
			d.texts = append(d.texts, text.Text)
			low := vg.Point{X: vg.Length(text.X), Y: vg.Length(-text.Y)}
			d.boxes = append(d.boxes, vg.Rectangle{Min: low, Max: low.Add(vg.Point{X: width, Y: vg.Length(0.7 * size)})})
		}
		for _, p := range g.Paths {
			if m := styleOfX.FindStringSubmatch(p.Style); m != nil && !slices.Contains(behind, m[2]) {
				d.shapes = append(d.shapes, shapesOf(p.D, m[1] == "fill")...)
			}
		}
	}
	return d
}

// shapesOf returns the shapes of a path. An arc is a line to its end.
func shapesOf(path string, filled bool) (all []shape) {
	for _, m := range command.FindAllStringSubmatch(path, -1) {
		numbers := numberIn.FindAllString(m[2], -1)
		if len(numbers) < 2 {
			continue
		}
		x, _ := strconv.ParseFloat(numbers[len(numbers)-2], 64)
		y, _ := strconv.ParseFloat(numbers[len(numbers)-1], 64)
		if m[1] == "M" {
			all = append(all, shape{filled: filled})
		}
		s := &all[len(all)-1]
		s.points = append(s.points, vg.Point{X: vg.Length(x), Y: vg.Length(y)})
	}
	return all
}

// overlaps says which texts lie on something.
func (d *parsedDrawing) overlaps() (all []string) {
	for i, box := range d.boxes {
		for j, other := range d.boxes[:i] {
			if overlap(box, other) {
				all = append(all, fmt.Sprintf("%q lies on %q", d.texts[i], d.texts[j]))
			}
		}
		if slices.ContainsFunc(d.shapes, func(s shape) bool { return s.covers(box) }) {
			all = append(all, fmt.Sprintf("%q lies on a line or marker at %v", d.texts[i], box))
		}
	}
	return all
}

// covers reports whether a shape has a point in common with a box.
func (s shape) covers(box vg.Rectangle) bool {
	if s.filled {
		area := vg.Rectangle{Min: s.points[0], Max: s.points[0]}
		for _, p := range s.points {
			area.Min, area.Max = vg.Point{X: min(area.Min.X, p.X), Y: min(area.Min.Y, p.Y)}, vg.Point{X: max(area.Max.X, p.X), Y: max(area.Max.Y, p.Y)}
		}
		return overlap(area, box)
	}
	for i := range len(s.points) - 1 {
		if crosses([2]vg.Point{s.points[i], s.points[i+1]}, box) {
			return true
		}
	}
	return false
}
