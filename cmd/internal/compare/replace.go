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
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

// replace replaces the files of an earlier comparison, and removes those that have no new version.
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

// ownNames returns all possible names of a comparison's files except plots. Sweeps over UD are of SEND.
func ownNames() []string {
	names := append([]string{pageName, reportName, verdict.FileName}, capsNames...)
	for _, transport := range []option.Transport{option.RC, option.UD} {
		plan := option.Plan{Sizes: []int{1}, Transport: transport}
		for _, p := range Parts(&plan) {
			names = append(names, p.Name+".json")
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// outdated reports whether a file is one of an earlier comparison: the result of a part, its verdict, or a report of
// ib_caps. Results of other programs are not.
func outdated(path string) bool {
	if name := filepath.Base(path); name == verdict.FileName || slices.Contains(capsNames, name) {
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

// Left keeps what was measured before an early end, and returns an error that says where they are; nil
// without results. It does not mix them with those of an earlier comparison.
func (f *Folder) Left() error { return f.left(nil) }

// left is Left after an error, which it returns, too.
func (f *Folder) left(why error) error {
	if f.stage == nil {
		return why
	}
	if len(f.taken) == 0 {
		return errors.Join(why, f.stage.Discard())
	}
	dir := f.stage.Dir()
	_, err := f.results()
	if !f.hasEarlier() && err == nil {
		if err = f.stage.Install(); err == nil {
			dir = f.dir
		}
	}
	if why == nil {
		why = err // often the same
	}
	var paths []string
	for _, p := range f.parts {
		path := filepath.Join(dir, p.Name+".json")
		if info, err := os.Lstat(path); f.taken[p.Name] != nil && err == nil && info.Mode().IsRegular() {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return why
	}
	return errors.Join(why, fmt.Errorf("the results of %d tests are in %s; to draw them: ib_report -o %s %s", len(paths), dir, dir, strings.Join(paths, " ")))
}

// hasEarlier reports whether the folder has files of another comparison.
func (f *Folder) hasEarlier() bool {
	return slices.ContainsFunc(ownNames(), func(name string) bool {
		_, err := os.Lstat(filepath.Join(f.dir, name))
		return err == nil
	})
}
