package compare

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// replace puts the new files in the place of the old ones, and removes those of an earlier
// comparison that have no successor.
func (f *Folder) replace() error {
	written, err := f.stage.Names()
	if err == nil {
		err = f.stage.Install()
	}
	if err != nil {
		return errors.Join(err, fmt.Errorf("the new files are in %s", f.stage.Dir()))
	}
	for _, name := range ownNames() {
		if path := filepath.Join(f.dir, name); !slices.Contains(written, name) && outdated(path) {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}

// ownNames are those that files of comparisons may have, plots apart: sweeps over UD are of SEND.
func ownNames() []string {
	names := append([]string{pageName, reportName}, capsNames...)
	for _, transport := range []option.Transport{option.RC, option.UD} {
		plan := option.Plan{Sizes: []int{1}, Transport: transport}
		for _, r := range Runs(&plan) {
			names = append(names, r.Name+".json")
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// outdated reports whether a file is an earlier comparison's: the result of one of its runs, or
// what a device can do. A result of another program is none.
func outdated(path string) bool {
	if slices.Contains(capsNames, filepath.Base(path)) {
		ours, err := outfolder.Written(path)
		return ours && err == nil
	}
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	old, err := result.Read(path)
	return err == nil && old.Comparison != nil
}

// Left keeps the results of the runs that are over after an early end, and says where they are;
// nil if there are none. They are not mixed with those of an earlier comparison.
func (f *Folder) Left() error {
	if f.stage == nil {
		return nil
	}
	if len(f.runs) == 0 {
		return f.stage.Discard()
	}
	dir, why := f.stage.Dir(), error(nil)
	if !f.hasEarlier() {
		if why = f.stage.Install(); why == nil {
			dir = f.dir
		}
	}
	var paths []string
	for _, name := range f.runs {
		paths = append(paths, filepath.Join(dir, name+".json"))
	}
	return errors.Join(why, fmt.Errorf("the results of %d runs are in %s; to draw them: ib_report -o %s %s", len(f.runs), dir, dir, strings.Join(paths, " ")))
}

// hasEarlier reports whether the folder has files of another comparison.
func (f *Folder) hasEarlier() bool {
	return slices.ContainsFunc(ownNames(), func(name string) bool {
		_, err := os.Lstat(filepath.Join(f.dir, name))
		return err == nil
	})
}
