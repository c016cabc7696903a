package sketch

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/reports/page"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// The size of every figure, and how fine its picture is.
const (
	figureWidth  = 8 * vg.Inch
	figureHeight = 5 * vg.Inch
	DPI          = 144
)

// Save draws sketches in the folder dir, which is created if it does not exist. The
// same sketches give the same bytes.
func Save(dir string, all []*Sketch) ([]page.Figure, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("create folder %s: %w", dir, atomicfile.Cause(err))
	}
	var figures []page.Figure
	taken := map[string]bool{}
	for _, s := range all {
		s.Name = freeName(taken, s.Name)
		figure, err := s.save(dir)
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure)
	}
	return figures, nil
}

// save writes the picture and the vector drawing.
func (s *Sketch) save(dir string) (page.Figure, error) {
	base := filepath.Join(dir, s.Name)
	fig := page.Figure{Name: s.Name, Title: s.Title, PNG: base + ".png", SVG: base + ".svg", Detail: s.Detail}
	svg, err := s.SVG()
	if err != nil {
		return fig, fmt.Errorf("draw %s: %w", fig.SVG, err)
	}
	if err := atomicfile.Write(fig.SVG, svg); err != nil {
		return fig, fmt.Errorf("write %s: %w", fig.SVG, err)
	}
	png, err := s.png()
	if err != nil {
		return fig, fmt.Errorf("draw %s: %w", fig.PNG, err)
	}
	if err := atomicfile.Write(fig.PNG, png); err != nil {
		return fig, fmt.Errorf("write %s: %w", fig.PNG, err)
	}
	return fig, nil
}

func (s *Sketch) png() ([]byte, error) {
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(figureWidth, figureHeight), vgimg.UseDPI(DPI))}
	s.draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	return outfolder.MarkPNG(b.Bytes())
}

// freeName returns name, or name with a number if another plot has it.
func freeName(taken map[string]bool, name string) string {
	free := name
	for i := 2; taken[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	taken[free] = true
	return free
}
