// Package terminal reports whether a writer is a terminal, and returns its width.
package terminal

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	f := fileOf(w)
	if f == nil {
		return false
	}
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// Width returns the number of columns of the terminal w; 0 if w is not a terminal or its width is unknown.
func Width(w io.Writer) int {
	f := fileOf(w)
	if f == nil {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// fileOf returns the file that w writes to, directly or through a writer with Unwrap; nil if there is no
// file.
func fileOf(w io.Writer) *os.File {
	if outer, ok := w.(interface{ Unwrap() io.Writer }); ok {
		w = outer.Unwrap()
	}
	f, _ := w.(*os.File)
	return f
}
