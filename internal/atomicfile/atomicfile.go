// Package atomicfile writes files whole or not at all.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Write writes a file with data, whole or not at all. Its error says what to do; the caller adds the
// name of the file. If another process has written the file since [Check], the data are written beside
// it, and the error names their file.
func Write(path string, data []byte) error {
	path, err := resolve(path)
	if err != nil {
		return err
	}
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.Mode()&fs.ModeNamedPipe != 0:
		return Advise(path, writePipe(path, data))
	case err == nil && !info.Mode().IsRegular():
		return Advise(path, writeDevice(path, data))
	}
	return Advise(path, replace(path, data))
}

// resolve returns the target of links, which is written in place of a link. Links of /proc, such as that of
// /dev/stdout to a pipe, have no path as their target and are opened as they are.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if to, err := os.Readlink(path); err == nil {
		return "", fmt.Errorf("it is a symbolic link to %s, which does not exist: remove the link, or create what it names", to)
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path)), nil
	}
	return path, nil
}

// writeDevice writes to a device or to a pipe without a name, which must not be replaced.
func writeDevice(path string, data []byte) error {
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return errors.Join(err, out.Close())
}

// replace writes the file at path, or one beside it if another process has written it since it was noted.
func replace(path string, data []byte) error {
	if !noted.changed(path) {
		err := writeRenamed(path, data)
		if err == nil {
			noted.renew(path)
		}
		return err
	}
	ext := filepath.Ext(path)
	beside := strings.TrimSuffix(path, ext) + "." + rand.Text()[:10] + ext
	if err := writeRenamed(beside, data); err != nil {
		return err
	}
	return fmt.Errorf("another process has written it since this one began: the output of this one is in %s", beside)
}

// writeRenamed writes a file of another name in the same folder and renames it, when its data are on
// the disk. Its mode follows the umask; os.CreateTemp would make it 0600.
func writeRenamed(path string, data []byte) error {
	dir, base := filepath.Split(path)
	if len(base) > 100 {
		base = base[:100]
	}
	temp := filepath.Join(dir, "."+base+"."+rand.Text()[:10])
	out, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	if err == nil {
		err = out.Sync()
	}
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// Advise returns a write error with what to do about it.
func Advise(path string, err error) error {
	dir := filepath.Dir(path)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNoReader), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: start its reader first, or name a file", err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: free some space there or choose another folder", Cause(err))
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: create the folder %s first", Cause(err), dir)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: choose a folder you may write to, not %s", Cause(err), dir)
	case errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("%w: name a file in it", Cause(err))
	}
	return Cause(err)
}

// Cause returns an error of package os without its operation and file name, which the text around
// it has.
func Cause(err error) error {
	var pe *os.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}
