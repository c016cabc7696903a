package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// Check returns an error if a file cannot be written, as can be known before the work: a disk may be full
// afterwards. The caller adds the name of the file. It notes the file, so that [Write] does not replace
// what another process writes meanwhile.
func Check(path string) error {
	real, err := resolve(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(real)
	switch {
	case err == nil && info.IsDir():
		return errors.New("it is a folder: name a file in it")
	case err == nil && !info.Mode().IsRegular():
		return writable(real)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return Cause(err)
	}
	dir := filepath.Dir(real)
	if info, err := os.Stat(dir); err != nil {
		return fmt.Errorf("%w: create the folder %s first", Cause(err), dir)
	} else if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	noted.renew(real)
	return writable(dir)
}

func writable(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return fmt.Errorf("%w: choose a file that you may write to", err)
	}
	return nil
}

// notes holds the files that were checked as they were then; nil for one that did not exist.
type notes struct {
	mu    sync.Mutex
	files map[string]fs.FileInfo
}

var noted = notes{files: map[string]fs.FileInfo{}}

// renew notes a file as it is now.
func (n *notes) renew(path string) {
	info, err := os.Lstat(path)
	if err != nil {
		info = nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.files[path] = info
}

// changed reports whether a file is there and is another one than was noted, or has changed since.
func (n *notes) changed(path string) bool {
	n.mu.Lock()
	before, known := n.files[path]
	n.mu.Unlock()
	now, err := os.Lstat(path)
	if !known || err != nil {
		return false
	}
	return before == nil || !Same(before, now)
}

// Changed reports whether another process has written a file since [Check] or [Write].
func Changed(path string) bool {
	real, err := resolve(path)
	return err == nil && noted.changed(real)
}

// Same reports whether two observations of a file are of the same file with the same contents.
func Same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
