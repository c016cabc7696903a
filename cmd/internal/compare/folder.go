package compare

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/option"

	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/text"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

// Draw makes plots of runs in a folder.
type Draw func(dir string, runs []*result.File) ([]page.Figure, error)

// A Folder is the folder of a comparison's files. Until the comparison is complete, its files are in a
// temporary folder within, and the files of an earlier comparison stay.
type Folder struct {
	dir   string
	begun time.Time
	parts []Part
	stage *outfolder.Stage        // nil before the first file
	taken map[string]*result.File // merged results of the runs taken, by the part's name
	files []string                // all files except the plots, which the page includes
}

// The files of a comparison in addition to those of its parts.
const (
	pageName   = "index.html"
	reportName = "report.txt" // all tables
)

var capsNames = []string{"caps-client.json", "caps-server.json"}

// Make creates the folder if it does not exist, and checks that the files of the parts and the bundle can
// be written. It changes no existing file.
func Make(dir, bundle string, parts []Part) (*Folder, error) {
	names, err := replaced(dir, bundle, parts)
	if err == nil {
		err = outfolder.Check(dir, names)
	}
	if err == nil {
		err = outfolder.CheckBundle(bundle)
	}
	if err == nil {
		err = outfolder.Make(dir)
	}
	return &Folder{dir: dir, begun: time.Now(), parts: parts, taken: map[string]*result.File{}}, err
}

// replaced returns the names of the files that the comparison will write, and of existing plots that it
// may replace.
func replaced(dir, bundle string, parts []Part) ([]string, error) {
	names := []string{pageName, reportName, verdict.FileName}
	if bundle != "" {
		names = append(names, capsNames...)
	}
	var plots []string // prefixes of their names
	for _, p := range parts {
		names = append(names, p.Name+".json")
		plots = append(plots, phrase.Slug(string(p.Plan.Op), string(p.Plan.Kind))+"_")
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("create folder %s: %w", dir, atomicfile.Cause(err))
	}
	for _, e := range entries {
		name := e.Name()
		drawn := slices.Contains([]string{".png", ".svg"}, filepath.Ext(name))
		if drawn && slices.ContainsFunc(plots, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			names = append(names, name)
		}
	}
	return names, nil
}

// Page returns the path of the page after the comparison.
func (f *Folder) Page() string { return filepath.Join(f.dir, pageName) }

// path returns the path of a file until the comparison is complete.
func (f *Folder) path(name string) (string, error) {
	if f.stage == nil {
		stage, err := outfolder.Begin(f.dir, option.CompareProgram)
		if err != nil {
			return "", err
		}
		f.stage = stage
	}
	return f.stage.Path(name), nil
}

// Keep writes another file, which the bundle includes.
func (f *Folder) Keep(name string, data []byte) error {
	path, err := f.path(name)
	if err != nil {
		return err
	}
	f.files = append(f.files, name)
	if err := atomicfile.Write(path, data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// A Conclusion is the verdict of a comparison.
type Conclusion struct {
	Text string // as the client prints it
	None string // why there is no verdict and what to do about it, in a line; empty if there is one

	Findings []result.Finding // of all tests
}

// Conclude writes results, report, plots and page of all parts, and replaces the files of an earlier
// comparison. It returns the verdict in lines of a width, on request with its details, also with an error of writing.
func (f *Folder) Conclude(draw Draw, width int, details bool) (c Conclusion, err error) {
	results, err := f.results()
	if err != nil {
		return c, f.left(err)
	}
	for _, p := range f.parts {
		if taken := f.taken[p.Name]; taken != nil {
			f.files = append(f.files, p.Name+".json")
		}
	}
	c.Findings = result.FindingsOf(results)
	v := verdict.Judge(results)
	if c.Text = text.Verdict(v, text.Style{Width: width, Details: details}); v == nil {
		c.Text = "VERDICT\n None: no test has measured two modes, see " + filepath.Join(f.dir, reportName) + ".\n"
	} else if none := v.Brief.NoVerdict; none != nil {
		c.None = none.Reason + ". " + none.Remedy
	}
	if err := errors.Join(f.report(results), f.keepVerdict(v), f.page(draw, results)); err != nil {
		return c, f.left(err)
	}
	return c, f.replace()
}

// page draws the plots and writes the page.
func (f *Folder) page(draw Draw, runs []*result.File) error {
	figures, err := draw(f.stage.Dir(), runs)
	if err != nil {
		return err
	}
	f.files = append(f.files, pageName)
	return page.Write(f.stage.Path(pageName), runs, figures)
}

// keepVerdict writes the verdict for programs, unless no test has measured two modes.
func (f *Folder) keepVerdict(v *verdict.Verdict) error {
	if v == nil {
		return nil
	}
	data, err := v.Brief.JSON()
	if err != nil {
		return err
	}
	return f.Keep(verdict.FileName, data)
}

// report writes all tables, and the verdict with its details at their end.
func (f *Folder) report(runs []*result.File) error {
	var b strings.Builder
	b.WriteString(outfolder.ReportMark)
	if err := text.Write(&b, runs, text.Style{}, text.Brief); err != nil {
		return err
	}
	return f.Keep(reportName, []byte(b.String()))
}
