// Package atomicfile writes files whole or not at all.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Write puts data at path, whole or not at all, with an error that says
// what to do. The caller adds the name of the file.
func Write(path string, data []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // replace what a link names, not the link
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return Advise(path, writeDevice(path, data))
	}
	return Advise(path, writeBeside(path, data))
}

// writeDevice writes to something that must not be replaced: a device, a pipe.
func writeDevice(path string, data []byte) error {
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return errors.Join(err, out.Close())
}

// writeBeside writes a file of another name in the same folder and renames it.
// The mode is left to the umask, which os.CreateTemp would not do.
func writeBeside(path string, data []byte) error {
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

// Advise adds to a write error what can be done about it.
func Advise(path string, err error) error {
	dir := filepath.Dir(path)
	switch {
	case err == nil:
		return nil
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

// Cause strips the operation and the name that package os puts before an error,
// as the errors here name the file themselves.
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
