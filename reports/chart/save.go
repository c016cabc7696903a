package chart

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ibperf/ibperf/internal/atomicfile"
)

// A Figure is a chart on disk.
type Figure struct {
	Name     string // of both files, without folder and extension
	Kind     string
	Title    string
	PNG, SVG string // paths
	Narrow   []byte // SVG for narrow screens, without title; nil if Detail is set
	Detail   bool   // a page folds it away
}

// narrow is the style for narrow screens. The height is the one that the content needs.
var narrow = Style{Width: 4.6, NoTitle: true}

// Save writes sketches to the folder dir, which it creates if necessary. The same sketches give the
// same bytes.
func Save(dir string, all []*Sketch) ([]Figure, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("create folder %s: %w", dir, atomicfile.Cause(err))
	}
	var figures []Figure
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

// save writes the PNG and the SVG of a sketch.
func (s *Sketch) save(dir string) (Figure, error) {
	base := filepath.Join(dir, s.Name)
	fig := Figure{Name: s.Name, Kind: s.Kind, Title: s.Title, PNG: base + ".png", SVG: base + ".svg", Detail: s.Detail}
	for path, format := range map[string]Format{fig.SVG: SVG, fig.PNG: PNG} {
		data, err := s.Encode(format, Style{})
		if err != nil {
			return fig, fmt.Errorf("draw %s: %w", path, err)
		}
		if err := atomicfile.Write(path, data); err != nil {
			return fig, fmt.Errorf("write %s: %w", path, err)
		}
	}
	if s.Detail {
		return fig, nil
	}
	var err error
	if fig.Narrow, err = s.Encode(SVG, narrow); err != nil {
		return fig, fmt.Errorf("draw %s for narrow screens: %w", s.Name, err)
	}
	return fig, nil
}

// freeName returns name, or name with a number if another figure has that name.
func freeName(taken map[string]bool, name string) string {
	free := name
	for i := 2; taken[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	taken[free] = true
	return free
}
