// Package page writes HTML pages of verdicts, figures and tables. A page is one file without scripts,
// and needs no network.
package page

import (
	"bytes"
	_ "embed" // the page's template and style
	"fmt"
	"html/template"

	"github.com/ibperf/ibperf/internal/atomicfile"
)

//go:embed page.html.tmpl
var pageSource string

//go:embed page.css
var pageStyle string

// A Page is the content of a page, from top to bottom: the verdict in a few lines with one figure, the
// answers in detail, sections with figures and tables, and facts and definitions for all of them.
type Page struct {
	Title       string // what was compared
	Lead        string // where and when, in one line
	Software    string // what replaces hardware in all runs; empty: nothing, or not the same in all runs
	Brief       []Paragraph
	Alarming    bool     // the verdict is withheld, or reports corrupted data
	Picture     string   // name of the figure below the brief; empty: none
	Answers     []Answer // folded
	Warnings    []string // of all sections
	Sections    []Section
	Figures     []Figure
	Facts       Facts       // of all runs
	Definitions [][2]string // name and meaning
}

// A Paragraph is a line of the verdict, or several lines in columns.
type Paragraph struct {
	Label  string // empty: none
	Text   string
	Code   string // command after the text
	Strong bool   // what to do
	Table  bool   // lines in columns
}

// An Answer is a question and its answer.
type Answer struct {
	Question string
	Lines    []string
	Bad      bool // it reports corrupted data
}

// content is the template's input.
type content struct {
	Page
	Style    template.CSS
	Sections []*illustrated
	Loose    figures // figures of no section
	Picture  *drawing
}

// functions are called by the template. number converts an index to a number from 1. A long table does
// not fit on half a sheet of paper, and may continue on the next one.
var functions = template.FuncMap{
	"number": func(i int) int { return i + 1 },
	"long":   func(rows int) bool { return rows > 16 },
}

// Write writes the page to path.
func (p Page) Write(path string) error {
	c := content{Page: p}
	for _, s := range p.Sections {
		c.Sections = append(c.Sections, &illustrated{Section: s})
	}
	var look styles
	for _, f := range p.Figures {
		drawn, err := look.inline(f)
		if err != nil {
			return err
		}
		if f.Name == p.Picture {
			c.Picture = &drawn
			if len(p.Sections) == 1 {
				continue // the section follows
			}
		}
		c.figuresOf(f.Name).add(drawn, f.Detail)
	}
	c.Style = template.CSS(pageStyle + look.sheet())
	var b bytes.Buffer
	if err := template.Must(template.New("page").Funcs(functions).Parse(pageSource)).Execute(&b, c); err != nil {
		return fmt.Errorf("make page %s: %w", path, err)
	}
	if err := atomicfile.Write(path, b.Bytes()); err != nil {
		return fmt.Errorf("write page %s: %w", path, err)
	}
	return nil
}
