package page

import (
	"html/template"
	"strings"
)

// Figure is one plot on disk, as picture and as vector drawing.
type Figure struct {
	Name   string // file name without folder and ending
	Title  string // what the plot shows, in a line
	PNG    string // path
	SVG    string // path
	Detail bool   // it is folded
}

// illustrated is a section with its figures.
type illustrated struct {
	Section
	figures
}

// figures are those that are seen at once, and the others.
type figures struct{ Main, More []drawing }

// A drawing is a figure with its SVG, to be put into the page as it is.
type drawing struct {
	Title string
	SVG   template.HTML
}

// What is the title without what is measured, which the section says.
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

// figuresOf returns the figures that one of that name belongs to: those of the section
// with the longest beginning of it.
func (c *content) figuresOf(name string) *figures {
	found, longest := &c.Loose, 0
	for _, s := range c.Sections {
		if len(s.Slug) > longest && strings.HasPrefix(name, s.Slug+"_") {
			found, longest = &s.figures, len(s.Slug)
		}
	}
	return found
}
