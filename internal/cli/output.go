package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"golang.org/x/sys/unix"
)

// checkWritable tells before a run whether a file could be written after it, as
// far as that can be known: a disk may be full by then.
func checkWritable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("write %s: it is a folder: name a file in it", path)
	case err == nil && !info.Mode().IsRegular():
		return writableAs(path, path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("write %s: %w", path, bare(err))
	}
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil {
		return fmt.Errorf("write %s: %w: create the folder %s first", path, bare(err), dir)
	} else if !info.IsDir() {
		return fmt.Errorf("write %s: %s is not a folder", path, dir)
	}
	return writableAs(path, dir)
}

func writableAs(path, what string) error {
	if err := unix.Access(what, unix.W_OK); err != nil {
		return fmt.Errorf("write %s: %w: choose a place that you may write to", path, err)
	}
	return nil
}

// bare strips what package os puts in front of an error, which says it again.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// numbered puts a client's number before the extension of a file name.
func numbered(path string, n int) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "." + strconv.Itoa(n) + ext
}

// readyFile tells others that a server listens: it holds the port.
type readyFile string

// write makes the file appear with all that it holds.
func (f readyFile) write(port int) error {
	if f == "" {
		return nil
	}
	if err := atomicfile.Write(string(f), []byte(strconv.Itoa(port)+"\n")); err != nil {
		return fmt.Errorf("write ready file %s: %w", f, err)
	}
	return nil
}

// check tells whether the file can be written. Only a regular file may be
// replaced: renaming over a device or a link would destroy it.
func (f readyFile) check() error {
	if f == "" {
		return nil
	}
	if info, err := os.Lstat(string(f)); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("write ready file %s: it exists and is no regular file", f)
	}
	return checkWritable(string(f))
}

// remove takes the file away at the end.
func (f readyFile) remove() error {
	if f == "" {
		return nil
	}
	if err := os.Remove(string(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
