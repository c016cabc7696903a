// Package terminal tells whether somebody looks at what is printed, and how wide it may be, and
// keeps out of it what is no text.
package terminal

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Is tells whether w is a terminal.
func Is(w io.Writer) bool {
	f := fileOf(w)
	if f == nil {
		return false
	}
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// Width is how many columns the terminal w has, 0 if it is none or does not say.
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

// fileOf returns the file that w writes to, nil if it is none.
func fileOf(w io.Writer) *os.File {
	if text, ok := w.(*Writer); ok {
		w = text.w
	}
	f, _ := w.(*os.File)
	return f
}
