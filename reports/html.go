package reports

import (
	"bytes"
	_ "embed" // the page's template
	"fmt"
	"html/template"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/reports/result"
)

//go:embed page.html.tmpl
var pageSource string

// pageTemplate is parsed when it is needed: most programs draw no page.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageSource))
})

// A page is what the template shows.
type page struct {
	Title    string
	Sections []section
	Loose    []drawing // figures that no section claims
}

// A section is one group or all comparisons: numbers, figures, and all that explains them.
type section struct {
	Title       string
	Runs        []runView
	Warnings    []string
	Verify      string
	Failed      bool // Verify tells of bad messages
	Main        string
	SideBySide  []*table // for what pages are made: it comes first
	Tables      []*table
	Notes       []string
	Figures     []drawing
	Definitions [][2]string
}

// A drawing is a figure with its SVG, to be put into the page as it is.
type drawing struct {
	Title string
	SVG   template.HTML
}

// A runView describes a run beside its group's numbers.
type runView struct {
	Label    string
	Line     string
	Command  string
	Software string
	Heads    [2]string   // of the facts
	Facts    [][3]string // name, here, at the peer
	Settings [][]string  // name and value
}

// WriteHTML writes one page about a set to path. The figures, made by plots.Draw of
// the same set, become part of the page, which needs nothing else.
func WriteHTML(path string, set Set, figs []Figure) error {
	p := page{Title: "RDMA benchmark results"}
	drawings := make([]drawing, len(figs))
	used := make([]bool, len(figs))
	for i, fig := range figs {
		svg, err := inlineSVG(fig.SVG)
		if err != nil {
			return err
		}
		drawings[i] = drawing{fig.Title, svg}
	}
	add := func(s section, figures string) {
		for i, fig := range figs {
			if !used[i] && strings.HasPrefix(fig.Name, figures) {
				used[i] = true
				s.Figures = append(s.Figures, drawings[i])
			}
		}
		p.Sections = append(p.Sections, s)
	}
	for _, g := range groupFiles(set.Runs) {
		add(newSection(g), Slug(g.Op, g.Kind)+"_")
	}
	if len(set.Comparisons) > 0 {
		add(comparisons(set.Comparisons).section(), RatioSlug)
	}
	for i := range figs {
		if !used[i] {
			p.Loose = append(p.Loose, drawings[i])
		}
	}
	var b bytes.Buffer
	if err := pageTemplate().Execute(&b, p); err != nil {
		return fmt.Errorf("make page %s: %w", path, err)
	}
	if err := atomicfile.Write(path, b.Bytes()); err != nil {
		return fmt.Errorf("write page %s: %w", path, err)
	}
	return nil
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
	return template.HTML(data[at:]), nil // plots.Draw has escaped all text in it
}

func newSection(g *Group) section {
	s := section{
		Title:    TestTitle(g.Op, g.Kind),
		Warnings: g.WarningLines(),
		Verify:   verifyLine(g),
		Failed:   verifyTable(g) != nil,
		Main:     mainDefinition(g),
	}
	if len(g.Entries()) > 0 {
		s.SideBySide = compareTables(g, false)
		s.Tables = []*table{summaryTable(g), detailTable(g, false)}
		if t := verifyTable(g); t != nil {
			s.Tables = append([]*table{t}, s.Tables...)
		}
	}
	for i, f := range g.Runs {
		s.Runs = append(s.Runs, newRunView(g.Label(i), f))
	}
	defs := g.Runs[0].Definitions
	if len(defs) == 0 {
		defs = result.DefinitionsFor(g.Kind, g.Op)
	}
	s.Definitions = definitionList(defs, g.Runs[0].Units)
	return s
}

// definitionList lists names and meanings, with units, in the order of the names.
func definitionList(defs, units map[string]string) [][2]string {
	var list [][2]string
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		text := clean(defs[name])
		if unit := units[name]; unit != "" {
			text += " [" + clean(unit) + "]"
		}
		list = append(list, [2]string{clean(name), text})
	}
	return list
}
