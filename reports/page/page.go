// Package page writes a page of answers, tables and figures that needs nothing else: no
// other file, no network, no script.
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

// A Page is what is shown, from top to bottom: answers, a card for each test, sections
// with figures and tables, and what holds for all of them.
type Page struct {
	Title       string
	Lead        string // what was measured, and where, in a line
	Software    string // what stands in for hardware in all of it
	Answers     []Answer
	Cards       []Card
	Warnings    []string // of all sections
	Sections    []Section
	Figures     []Figure
	Facts       Facts       // of all runs
	Definitions [][2]string // name and meaning
}

// An Answer to a question that a reader comes with.
type Answer struct {
	Question string
	Lines    []string
	Bad      bool // it says that something is wrong
}

// A Card sums a section up, in a few short lines.
type Card struct {
	Section string // ID of the section
	Title   string
	Lines   []string
}

// content is what the template shows.
type content struct {
	Page
	Style    template.CSS
	Sections []*illustrated
	Others   []*illustrated // that no card is of
	Loose    figures        // that no section claims
}

// functions are what the template calls: number counts from 1.
var functions = template.FuncMap{"number": func(i int) int { return i + 1 }}

// Write writes a page to path.
func Write(path string, p Page) error {
	c := content{Page: p}
	carded := map[string]bool{}
	for _, card := range p.Cards {
		carded[card.Section] = true
	}
	for _, s := range p.Sections {
		i := &illustrated{Section: s}
		c.Sections = append(c.Sections, i)
		if !carded[s.ID] && len(p.Sections) > 1 {
			c.Others = append(c.Others, i)
		}
	}
	var look styles
	for _, f := range p.Figures {
		drawn, err := look.inline(f)
		if err != nil {
			return err
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
