// Package page writes a page of tables and figures that needs nothing else.
package page

import (
	"bytes"
	_ "embed" // the page's template
	"fmt"
	"html/template"
	"os"
	"strings"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/reports/table"
)

//go:embed page.html.tmpl
var pageSource string

// A Section is what a page says of one thing: numbers, figures, and all that explains them.
type Section struct {
	Title       string
	Slug        string // begins the names of its figures
	Runs        []Run
	Warnings    []string
	Verify      string
	Failed      bool // Verify tells of bad messages
	Main        string
	SideBySide  []*table.Table // for what pages are made: it comes first
	Tables      []*table.Table
	Notes       []string
	Definitions [][2]string // name and meaning
}

// A Run describes a run beside the numbers of its section.
type Run struct {
	Label    string
	Line     string
	Command  string
	Software string
	Heads    [2]string   // of the facts
	Facts    [][3]string // name, and a value below each head
	Settings [][]string  // name and value
}

// content is what the template shows.
type content struct {
	Title    string
	Sections []*illustrated
	Loose    []drawing // figures that no section claims
}

// illustrated is a section with its figures.
type illustrated struct {
	Section
	Figures []drawing
}

// A drawing is a figure with its SVG, to be put into the page as it is.
type drawing struct {
	Title string
	SVG   template.HTML
}

// Write writes a page of these sections and figures to path.
func Write(path, title string, sections []Section, figures []Figure) error {
	c := content{Title: title}
	for _, s := range sections {
		c.Sections = append(c.Sections, &illustrated{Section: s})
	}
	for _, f := range figures {
		svg, err := inlineSVG(f.SVG)
		if err != nil {
			return err
		}
		list := c.figuresOf(f.Name)
		*list = append(*list, drawing{f.Title, svg})
	}
	var b bytes.Buffer
	if err := template.Must(template.New("page").Parse(pageSource)).Execute(&b, c); err != nil {
		return fmt.Errorf("make page %s: %w", path, err)
	}
	if err := atomicfile.Write(path, b.Bytes()); err != nil {
		return fmt.Errorf("write page %s: %w", path, err)
	}
	return nil
}

// figuresOf returns the list that a figure of that name belongs to.
func (c *content) figuresOf(name string) *[]drawing {
	for _, s := range c.Sections {
		if strings.HasPrefix(name, s.Slug) {
			return &s.Figures
		}
	}
	return &c.Loose
}

// inlineSVG reads a drawing without the XML declaration, which has no place
// inside HTML.
func inlineSVG(path string) (template.HTML, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read figure %s: %w", path, atomicfile.Cause(err))
	}
	at := bytes.Index(data, []byte("<svg"))
	if at < 0 {
		return "", fmt.Errorf("read figure %s: no drawing in it", path)
	}
	return template.HTML(data[at:]), nil // who drew it has escaped all text in it
}
