// Package outfolder writes sets of files into folders that may hold other files. It replaces only
// files that ibperf wrote, and only when all new files are complete.
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

// Make creates the folder dir if it does not exist, and checks that files can be written into it.
func Make(dir string) error {
	if to, err := os.Readlink(dir); err == nil {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("create folder %s: it is a symbolic link to %s, which does not exist: create that folder, or remove the link", dir, to)
		}
	}
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

// Check returns an error if a file of the folder dir has one of the names and was not written by
// ibperf.
func Check(dir string, names []string) error {
	for _, name := range names {
		path := filepath.Join(dir, name)
		switch ours, err := Written(path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("replace %s: %w", path, atomicfile.Cause(err))
		case !ours:
			return fmt.Errorf("replace %s: ibperf did not write this file and does not replace it: move it away or name another folder", path)
		}
	}
	return nil
}

// A Stage is a temporary folder within the target folder, which holds the files until all are complete.
type Stage struct {
	dir, temp string
	before    map[string]fs.FileInfo // the files of the target folder when the stage was made
}

// Begin makes a stage for the folder dir, named after the program.
func Begin(dir, program string) (*Stage, error) {
	temp := filepath.Join(dir, program+".unfinished."+rand.Text()[:10])
	if err := os.Mkdir(temp, 0o777); err != nil {
		return nil, fmt.Errorf("create folder %s: %w", temp, atomicfile.Advise(temp, err))
	}
	before, err := filesIn(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read folder %s: %w", dir, atomicfile.Cause(err)), os.Remove(temp))
	}
	return &Stage{dir, temp, before}, nil
}

// filesIn returns the files of a folder as they are now.
func filesIn(dir string) (map[string]fs.FileInfo, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string]fs.FileInfo{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else it was removed meanwhile
			files[e.Name()] = info
		}
	}
	return files, nil
}

// Dir returns the temporary folder.
func (s *Stage) Dir() string { return s.temp }

// Path returns the path of a file in the temporary folder.
func (s *Stage) Path(name string) string { return filepath.Join(s.temp, name) }

// Names returns the names of the files in the stage.
func (s *Stage) Names() (names []string, err error) {
	entries, err := os.ReadDir(s.temp)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// Install moves all files to the target folder and removes the stage. It moves none if one of them
// would replace a file that ibperf did not write, or that another process has written since [Begin].
func (s *Stage) Install() error {
	names, err := s.Names()
	if err == nil {
		err = Check(s.dir, names)
	}
	if err == nil {
		err = s.checkUnchanged(names)
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

// checkUnchanged returns an error if another process has written one of the files since the stage was made.
func (s *Stage) checkUnchanged(names []string) error {
	now, err := filesIn(s.dir)
	if err != nil {
		return fmt.Errorf("read folder %s: %w", s.dir, atomicfile.Cause(err))
	}
	for _, name := range names {
		if is := now[name]; is != nil && (s.before[name] == nil || !atomicfile.Same(s.before[name], is)) {
			return fmt.Errorf("replace %s: another process has written it since this one began", filepath.Join(s.dir, name))
		}
	}
	return nil
}

// Discard removes the stage and the files in it. It has no effect after Install.
func (s *Stage) Discard() error { return os.RemoveAll(s.temp) }
