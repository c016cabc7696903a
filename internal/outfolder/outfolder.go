// Package outfolder writes sets of files into folders that may have others' files in them: it
// replaces files that ibperf wrote, and these only when the new ones are complete.
package outfolder

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ibperf/ibperf/internal/atomicfile"
)

// Make creates the folder dir if it is not there, and checks that files can be written into it.
func Make(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("create folder %s: %w", dir, atomicfile.Cause(err))
	}
	probe := filepath.Join(dir, ".ibperf.probe."+rand.Text())
	file, err := os.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write into folder %s: %w", dir, atomicfile.Advise(probe, err))
	}
	if err := errors.Join(file.Close(), os.Remove(probe)); err != nil {
		return fmt.Errorf("write into folder %s: %w", dir, err)
	}
	return nil
}

// Check returns an error that names a file of the folder dir which has one of the names and was
// not written by ibperf.
func Check(dir string, names []string) error {
	for _, name := range names {
		path := filepath.Join(dir, name)
		switch ours, err := Written(path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("replace %s: %w", path, atomicfile.Cause(err))
		case !ours:
			return fmt.Errorf("replace %s: ibperf did not write it and leaves it alone: move it away or name another folder", path)
		}
	}
	return nil
}

// A Stage is a new folder within the one that files are for, where they are until all are
// complete.
type Stage struct{ dir, temp string }

// Begin makes a stage for the folder dir, named after who writes.
func Begin(dir, program string) (*Stage, error) {
	temp := filepath.Join(dir, program+".unfinished."+rand.Text()[:10])
	if err := os.Mkdir(temp, 0o777); err != nil {
		return nil, fmt.Errorf("create folder %s: %w", temp, atomicfile.Advise(temp, err))
	}
	return &Stage{dir, temp}, nil
}

// Dir is where files are while they are not complete.
func (s *Stage) Dir() string { return s.temp }

// Path is where a file is meanwhile.
func (s *Stage) Path(name string) string { return filepath.Join(s.temp, name) }

// Names lists the files that are there.
func (s *Stage) Names() (names []string, err error) {
	entries, err := os.ReadDir(s.temp)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// Install moves all files to where they are for, unless one of them would replace a file that
// ibperf did not write: then none is moved. The stage is gone if there is no error.
func (s *Stage) Install() error {
	names, err := s.Names()
	if err == nil {
		err = Check(s.dir, names)
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Rename(s.Path(name), filepath.Join(s.dir, name)); err != nil {
			return fmt.Errorf("replace %s: %w", filepath.Join(s.dir, name), atomicfile.Cause(err))
		}
	}
	return os.Remove(s.temp)
}

// Discard removes the stage and the files in it, if they were not installed.
func (s *Stage) Discard() error { return os.RemoveAll(s.temp) }
