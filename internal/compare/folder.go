package compare

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/result"
	"golang.org/x/sys/unix"
)

// Draw makes plots of runs in a folder.
type Draw func(dir string, runs []*result.File) ([]page.Figure, error)

// A Folder holds what a comparison leaves.
type Folder struct {
	dir   string
	begun time.Time
	runs  []string // names of the runs that have a file
	files []string // that were written, but for the plots, which the page has in it
}

// Make creates the folder if it is not there, and finds out whether a bundle could be
// written. Files of an earlier comparison are written over.
func Make(dir, bundle string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("create folder %s: %w", dir, atomicfile.Cause(err))
	}
	probe := filepath.Join(dir, ".ibperf")
	if err := os.WriteFile(probe, nil, 0o666); err != nil {
		return nil, fmt.Errorf("write into folder %s: %w", dir, atomicfile.Cause(err))
	}
	f := &Folder{dir: dir, begun: time.Now()}
	return f, errors.Join(os.Remove(probe), f.clear(), checkBundle(bundle))
}

// clear removes what an earlier comparison has left and this one may not write over.
func (f *Folder) clear() (err error) {
	old, _ := filepath.Glob(f.Path("*")) // the pattern is right
	for _, path := range append(old, f.Page(), filepath.Join(f.dir, reportName)) {
		if !f.isOurs(filepath.Base(path)) {
			continue
		}
		if failed := os.Remove(path); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// isOurs knows the names of files that comparisons write.
func (f *Folder) isOurs(name string) bool {
	plan := option.Plan{Sizes: []int{1}}
	known := []string{"index.html", reportName, "caps-client.json", "caps-server.json"}
	for _, r := range Runs(&plan) {
		known = append(known, r.Name+".json")
	}
	return slices.Contains(known, name)
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

// Path is where the result file of a run is to be.
func (f *Folder) Path(run string) string { return filepath.Join(f.dir, run+".json") }

// Page is where the page is.
func (f *Folder) Page() string { return filepath.Join(f.dir, "index.html") }

// Done notes that a run has written its result file.
func (f *Folder) Done(run string) { f.runs = append(f.runs, run) }

// Failed notes a run that failed, whose file says why. It is written unless the run has
// come far enough to leave one itself.
func (f *Folder) Failed(run string, file *result.File) error {
	f.Done(run)
	if own, err := result.Read(f.Path(run)); err == nil && !own.Finished.Before(f.begun) {
		return nil
	}
	return file.Write(f.Path(run))
}

// Left says what there is after an early end, nil if that is nothing.
func (f *Folder) Left() error {
	if len(f.runs) == 0 {
		return nil
	}
	var paths []string
	for _, name := range f.runs {
		paths = append(paths, f.Path(name))
	}
	return fmt.Errorf("the results of %d runs are in %s; to draw them: ib_report -o %s %s", len(f.runs), f.dir, f.dir, strings.Join(paths, " "))
}

// Conclude writes the report, the plots and the page of all runs, and returns the verdict
// in lines of a width, which there is even if something could not be written.
func (f *Folder) Conclude(draw Draw, width int) (verdict string, err error) {
	var runs []*result.File
	for _, name := range f.runs {
		r, err := result.Read(f.Path(name))
		if err != nil {
			return "", err
		}
		runs = append(runs, r)
		f.files = append(f.files, name+".json")
	}
	return f.verdict(runs, width), errors.Join(f.report(runs), f.page(draw, runs))
}

func (f *Folder) verdict(runs []*result.File, width int) string {
	if v := reports.Judge(runs); v != nil {
		return v.Text(width)
	}
	return "VERDICT\n None: no run has measured two modes, see " + filepath.Join(f.dir, reportName) + ".\n"
}

// page draws the plots and makes the page.
func (f *Folder) page(draw Draw, runs []*result.File) error {
	figures, err := draw(f.dir, runs)
	if err != nil {
		return err
	}
	f.files = append(f.files, filepath.Base(f.Page()))
	return reports.WriteHTML(f.Page(), runs, figures)
}

// reportName is the file with all tables.
const reportName = "report.txt"

// report writes all tables, which end with the verdict.
func (f *Folder) report(runs []*result.File) error {
	var b strings.Builder
	if err := reports.WriteTables(&b, runs, reports.Style{}, reports.SideBySide); err != nil {
		return err
	}
	f.files = append(f.files, reportName)
	path := filepath.Join(f.dir, reportName)
	if err := atomicfile.Write(path, []byte(b.String())); err != nil {
		return fmt.Errorf("write report %s: %w", path, err)
	}
	return nil
}

// Keep writes a further file, which goes into the bundle.
func (f *Folder) Keep(name string, data []byte) error {
	f.files = append(f.files, name)
	path := filepath.Join(f.dir, name)
	if err := atomicfile.Write(path, data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
