package compare

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ibperf/ibperf/cmd/internal/doctor"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/result"
)

// runFolder is the folder of the results of one run, until they are taken.
const runFolder = "run"

// RunDir makes a folder for the result files of one run and returns its path.
func (f *Folder) RunDir() (string, error) {
	path, err := f.path(runFolder)
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(path, 0o777); err != nil {
		return "", fmt.Errorf("create folder %s: %w", path, atomicfile.Advise(path, err))
	}
	return path, nil
}

// Take takes the result files of a run, and removes its folder. It merges them at once, so that little is
// left to do after a signal.
func (f *Folder) Take() (err error) {
	dir := f.stage.Path(runFolder)
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, p := range f.parts {
		file, err := result.Read(filepath.Join(dir, p.Name+".json"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if before := f.taken[p.Name]; before != nil {
			if file, err = harness.Merge([]*result.File{before, file}); err != nil {
				return fmt.Errorf("%s: %w", p.What, err)
			}
			file.Findings = doctor.OfRun(file)
		}
		f.taken[p.Name] = file
	}
	for _, name := range capsNames {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = f.Keep(name, data)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// results writes the results of all parts with any. If one fails, it writes the others.
func (f *Folder) results() (all []*result.File, err error) {
	for _, p := range f.parts {
		merged := f.taken[p.Name]
		if merged == nil {
			continue
		}
		err = errors.Join(err, merged.Write(f.stage.Path(p.Name+".json")))
		all = append(all, merged)
	}
	return all, err
}
