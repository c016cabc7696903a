// Package plots draws result files. It is apart from package reports because fonts and
// canvases take memory in every program that is linked with them.
package plots

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/result"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of every figure, and how fine its picture is.
const (
	figureWidth  = 9 * vg.Inch
	figureHeight = 5.4 * vg.Inch
	figureDPI    = 144
)

// Draw makes the plots of a set in the folder dir, which is created if it does
// not exist. Runs of the same operation on the same devices share their plots.
// The same files give the same bytes.
func Draw(dir string, set reports.Set) ([]reports.Figure, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("create folder %s: %w", dir, atomicfile.Cause(err))
	}
	var figures []reports.Figure
	taken := map[string]bool{}
	for _, s := range sketchesOf(set) {
		s.name = freeName(taken, s.name)
		fig, err := s.save(dir)
		if err != nil {
			return nil, err
		}
		figures = append(figures, fig)
	}
	return figures, nil
}

// sketches makes all plots of a set.
func sketchesOf(set reports.Set) []*sketch {
	var all []*sketch
	for _, g := range plotGroups(set.Runs) {
		all = append(all, sketches(g)...)
	}
	for _, c := range set.Comparisons {
		all = append(all, ratioSketches(c)...)
	}
	return all
}

// sketches makes all plots of a group.
func sketches(g *reports.Group) []*sketch {
	lines := seriesOf(g)
	if len(lines) == 0 {
		return nil
	}
	var all []*sketch
	if g.Kind == result.KindLatency {
		all = append(all, latencySketch(g, lines))
		all = append(all, percentileSketches(g, lines)...)
		all = append(all, costSketch(g, lines))
	} else {
		all = []*sketch{bandwidthSketch(g, lines)}
	}
	var drawn []*sketch
	for _, s := range all {
		if s != nil {
			drawn = append(drawn, s)
		}
	}
	return drawn
}

// plotGroups lays together what may share a plot: the operation and kind as in
// tables, and also the devices and the transport, which the title names. Runs
// keep the numbers that they have in tables.
func plotGroups(files []*result.File) []*reports.Group {
	var groups []*reports.Group
	type key struct{ op, kind, device, peer, transport string }
	index := map[key]*reports.Group{}
	numbers := map[[2]string]int{}
	for _, f := range files {
		numbers[[2]string{f.Op, f.Kind}]++
		k := key{f.Op, f.Kind, f.Local.Device.Name, f.Peer.Device.Name, f.Parameters.Transport}
		g := index[k]
		if g == nil {
			g = &reports.Group{Op: f.Op, Kind: f.Kind}
			index[k] = g
			groups = append(groups, g)
		}
		g.Add(f, numbers[[2]string{f.Op, f.Kind}])
	}
	return groups
}

// save writes the picture and the vector drawing.
func (s *sketch) save(dir string) (reports.Figure, error) {
	base := filepath.Join(dir, s.name)
	fig := reports.Figure{Name: s.name, Title: s.title, PNG: base + ".png", SVG: base + ".svg"}
	svg, err := s.svg()
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

func (s *sketch) svg() ([]byte, error) {
	canvas := vgsvg.New(figureWidth, figureHeight)
	s.draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	// Viewers without Liberation Sans take a font of the same metrics, if told.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")), nil
}

func (s *sketch) png() ([]byte, error) {
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(figureWidth, figureHeight), vgimg.UseDPI(figureDPI))}
	s.draw(draw.New(canvas))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	return b.Bytes(), err
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
