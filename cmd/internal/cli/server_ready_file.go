package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/ibperf/ibperf/internal/atomicfile"
)

// readyFile is the path of --ready-file, which holds the port while the server listens; empty: none.
type readyFile string

// write writes the port to the file.
func (f readyFile) write(port int) error {
	if f == "" {
		return nil
	}
	if err := atomicfile.Write(string(f), []byte(strconv.Itoa(port)+"\n")); err != nil {
		return fmt.Errorf("write ready file %s: %w", f, err)
	}
	return nil
}

// check returns an error unless the file can be written. Only a regular file may be
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

// remove removes the file, unless another server has written it.
func (f readyFile) remove() error {
	if f == "" {
		return nil
	}
	if atomicfile.Changed(string(f)) {
		return fmt.Errorf("remove ready file %s: another process has written it: it stays", f)
	}
	if err := os.Remove(string(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
