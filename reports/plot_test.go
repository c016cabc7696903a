package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func drawFiles(t *testing.T, files ...*File) []Figure {
	t.Helper()
	figures, err := Draw(t.TempDir(), Set{Runs: files})
	if err != nil {
		t.Fatal(err)
	}
	return figures
}

// drawings returns the vector drawings of a file, which are quickly made.
func drawings(t *testing.T, files ...*File) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, g := range plotGroups(files) {
		for _, s := range sketches(g) {
			svg, err := s.svg()
			if err != nil {
				t.Fatal(err)
			}
			all[s.name] = string(svg)
		}
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
	lat := syntheticFile(t, "write", KindLatency, []int{64}, "data", "poll", "event")
	bw := syntheticFile(t, "write", KindBandwidth, []int{2, 512, 65536}, "data", "poll", "event")
	bw.Interrupted = true
	for _, f := range []*File{lat, bw} {
		for name, svg := range drawings(t, f) {
			if strings.Contains(name, "percentiles") || strings.Contains(name, "bw") {
				checkGolden(t, name+".svg.golden", []byte(svg))
			}
		}
	}
}

func TestDrawMakesTheSameBytesAgain(t *testing.T) {
	f := syntheticFile(t, "write", KindBandwidth, []int{2, 8}, "poll", "event")
	first, second := drawFiles(t, f), drawFiles(t, f)
	for i := range first {
		if !bytes.Equal(readFigure(t, first[i].SVG), readFigure(t, second[i].SVG)) ||
			!bytes.Equal(readFigure(t, first[i].PNG), readFigure(t, second[i].PNG)) {
			t.Errorf("%s is not the same twice", first[i].Name)
		}
	}
}

func TestPicturesAreNotBlank(t *testing.T) {
	lat := syntheticFile(t, "write", KindLatency, []int{2, 64}, "data", "poll", "event")
	bars := syntheticFile(t, "send", KindBandwidth, []int{4096}, "data", "poll", "event")
	figures := drawFiles(t, lat, bars)
	if len(figures) != 5 { // by size, two of percentiles, CPU, bars
		t.Errorf("%d figures, want 5", len(figures))
	}
	for _, fig := range figures {
		img, err := png.Decode(bytes.NewReader(readFigure(t, fig.PNG)))
		if err != nil {
			t.Fatalf("%s: %v", fig.PNG, err)
		}
		if size := img.Bounds().Size(); size.X != 9*figureDPI || size.Y < 5*figureDPI {
			t.Errorf("%s: size is %v", fig.PNG, size)
		}
		for mode, c := range modeColors {
			if count := countColor(img, c); count < 100 {
				t.Errorf("%s: %d pixels in the colour of %s", fig.Name, count, mode)
			}
		}
	}
}

func TestFiguresSayWhatTheyShow(t *testing.T) {
	f := syntheticFile(t, "write", KindLatency, []int{64}, "data", "poll")
	f.Rows[0].Forced = true
	f.Interrupted = true
	for name, svg := range drawings(t, f) {
		for _, want := range []string{"RDMA_Write Latency", "shm_whole", "RC", "RDMA_WRITE_WITH_IMM",
			"software device: embedded shared memory", "data (forced, unsafe)", "interrupted", "[usec]"} {
			if !strings.Contains(svg, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
}

func TestDrawOfNearlyNothing(t *testing.T) {
	for name, f := range emptyFiles(t) {
		for drawing, svg := range drawings(t, f) {
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("%s: not a number in %s", name, drawing)
			}
		}
	}
}

func TestHostileNamesStayInTheFolderAndInXML(t *testing.T) {
	f := syntheticFile(t, "write", KindBandwidth, []int{2, 4}, "poll")
	f.Op = "../../etc/x"
	f.Local.Device.Name = "<script>&\x00\x1b"
	twin := *f
	twin.Local.Device.Name = "<script>&\x00\x1c"
	figures := drawFiles(t, f, &twin)
	if len(figures) != 2 || figures[0].Name == figures[1].Name {
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
	if _, err := Draw(file, Set{}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error is %v", err)
	}
}
