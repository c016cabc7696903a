package page

import (
	"html/template"
	"strings"
)

// A Figure is a chart on disk, as PNG and as SVG.
type Figure struct {
	Name   string // of both files, without folder and extension
	Kind   string // what it shows, in one word
	Title  string // one line
	PNG    string // path
	SVG    string // path
	Narrow []byte // SVG for narrow screens, without title; nil: the same
	Detail bool   // the page folds it away
}

// illustrated is a section with its figures.
type illustrated struct {
	Section
	figures
}

// figures holds the figures of a section: those in view, and those that are folded away.
type figures struct{ Main, More []drawing }

// A drawing is the SVG of a figure, ready for the page. Narrow may be empty.
type drawing struct {
	Title       string
	SVG, Narrow template.HTML
}

// What returns the title without the name of the test, which is the title of the section.
func (d drawing) What() string {
	if _, what, found := strings.Cut(d.Title, ": "); found {
		return what
	}
	return d.Title
}

func (f *figures) add(d drawing, detail bool) {
	if detail {
		f.More = append(f.More, d)
	} else {
		f.Main = append(f.Main, d)
	}
}

// figuresOf returns the figures that a figure of that name is added to: those of the section with
// the longest slug that the name begins with.
func (c *content) figuresOf(name string) *figures {
	found, longest := &c.Loose, 0
	for _, s := range c.Sections {
		if len(s.Slug) > longest && strings.HasPrefix(name, s.Slug+"_") {
			found, longest = &s.figures, len(s.Slug)
		}
	}
	return found
}
