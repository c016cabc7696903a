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
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/result"
	"golang.org/x/sys/unix"
)

// Draw makes plots of runs in a folder.
type Draw func(dir string, runs []*result.File) ([]page.Figure, error)

// A Folder holds what a comparison leaves. Until the comparison is complete, its files are in a
// folder within, and those of an earlier one stay.
type Folder struct {
	dir   string
	begun time.Time
	stage *outfolder.Stage // nil until there is a file
	saved map[string]bool  // runs that have a file
	runs  []string         // names of the runs that are over
	files []string         // that were written, but for the plots, which the page has in it
}

// The files of a comparison beside those of its runs.
const (
	pageName   = "index.html"
	reportName = "report.txt" // all tables
)

var capsNames = []string{"caps-client.json", "caps-server.json"}

// Make creates the folder if it is not there, and finds out whether runs could leave their files
// in it and a bundle could be written. No file that is there is changed.
func Make(dir, bundle string, runs []Run) (*Folder, error) {
	names, err := replaced(dir, bundle, runs)
	if err == nil {
		err = outfolder.Check(dir, names)
	}
	if err == nil {
		err = checkBundle(bundle)
	}
	if err == nil {
		err = outfolder.Make(dir)
	}
	return &Folder{dir: dir, begun: time.Now(), saved: map[string]bool{}}, err
}

// replaced lists the names that files of the runs will have, and plots that are there and may
// have such a name.
func replaced(dir, bundle string, runs []Run) ([]string, error) {
	names := []string{pageName, reportName}
	if bundle != "" {
		names = append(names, capsNames...)
	}
	var plots []string // how their names begin
	for _, r := range runs {
		names = append(names, r.Name+".json")
		plots = append(plots, reports.Slug(string(r.Plan.Op), r.Plan.Kind)+"_")
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

// checkBundle finds a name that no file can have.
func checkBundle(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("write bundle %s: it exists and is no regular file", path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("write bundle %s: there is no folder %s", path, filepath.Dir(path))
	}
	if err := unix.Access(filepath.Dir(path), unix.W_OK); err != nil {
		return fmt.Errorf("write bundle %s: %w: choose a folder that you may write to", path, err)
	}
	return nil
}

// Page is where the page is in the end.
func (f *Folder) Page() string { return filepath.Join(f.dir, pageName) }

// path is where a file is until the comparison is complete.
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

// Save writes the result file of a run.
func (f *Folder) Save(run string, file *result.File) error {
	path, err := f.path(run + ".json")
	if err != nil {
		return err
	}
	f.saved[run] = true
	return file.Write(path)
}

// Done notes that a run is over and has saved its file.
func (f *Folder) Done(run string) { f.runs = append(f.runs, run) }

// Failed notes a run that failed, whose file says why. It is saved unless the run has come far
// enough to do so itself.
func (f *Folder) Failed(run string, file *result.File) error {
	f.Done(run)
	if f.saved[run] {
		return nil
	}
	return f.Save(run, file)
}

// Keep writes a further file, which goes into the bundle.
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

// Conclude writes the report, the plots and the page of all runs, and puts all files in the place
// of those of an earlier comparison. It returns the verdict in lines of a width, which there is
// even if something could not be written.
func (f *Folder) Conclude(draw Draw, width int) (verdict string, err error) {
	var runs []*result.File
	for _, name := range f.runs {
		r, err := result.Read(f.stage.Path(name + ".json"))
		if err != nil {
			return "", errors.Join(err, f.Left())
		}
		runs = append(runs, r)
		f.files = append(f.files, name+".json")
	}
	verdict = f.verdict(runs, width)
	if err := errors.Join(f.report(runs), f.page(draw, runs)); err != nil {
		return verdict, errors.Join(err, f.Left())
	}
	return verdict, f.replace()
}

func (f *Folder) verdict(runs []*result.File, width int) string {
	if v := reports.Judge(runs); v != nil {
		return v.Text(width)
	}
	return "VERDICT\n None: no run has measured two modes, see " + filepath.Join(f.dir, reportName) + ".\n"
}

// page draws the plots and makes the page.
func (f *Folder) page(draw Draw, runs []*result.File) error {
	figures, err := draw(f.stage.Dir(), runs)
	if err != nil {
		return err
	}
	f.files = append(f.files, pageName)
	return reports.WriteHTML(f.stage.Path(pageName), runs, figures)
}

// report writes all tables, which end with the verdict.
func (f *Folder) report(runs []*result.File) error {
	var b strings.Builder
	b.WriteString(outfolder.ReportMark)
	if err := reports.WriteTables(&b, runs, reports.Style{}, reports.SideBySide); err != nil {
		return err
	}
	return f.Keep(reportName, []byte(b.String()))
}
