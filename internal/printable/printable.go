// Package printable removes control characters from the text of peers, files and command lines. All
// output of the programs goes through its [Writer].
package printable

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Clean returns text as one line of valid UTF-8 without control characters, for terminals, logs and
// pictures. Line breaks, tabs and other white space become spaces; other characters that are not
// printable become U+FFFD.
func Clean(s string) string { return strings.Map(cleaned, strings.ToValidUTF8(s, replacement)) }

// Shorten returns text as it is up to a number of bytes, and longer text cut there, with "..."
// at its end.
func Shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// replacement replaces bytes that are not UTF-8.
const replacement = string(unicode.ReplacementChar)

// cleaned returns the replacement of a character.
func cleaned(r rune) rune {
	switch {
	case unicode.IsPrint(r):
		return r
	case unicode.IsSpace(r):
		return ' '
	}
	return unicode.ReplacementChar
}

// Writer writes text with its line breaks and tabs, and other characters as [Clean] returns them, so
// that no escape sequence of a peer, a file or a command line reaches the terminal. Several
// goroutines may use it.
type Writer struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // the first bytes of a character that the next Write completes
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes p. It returns len(p), or 0 and the error of the underlying writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := p
	if len(w.rest) > 0 {
		text = append(w.rest, p...)
	}
	whole := wholeRunes(text)
	w.rest = bytes.Clone(text[whole:])
	shown := bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return cleaned(r)
	}, bytes.ToValidUTF8(text[:whole], []byte(replacement)))
	if _, err := w.w.Write(shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap returns the underlying writer.
func (w *Writer) Unwrap() io.Writer { return w.w }

// ClearLine clears the terminal's line that has the cursor.
func (w *Writer) ClearLine() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.w, "\r\x1b[K")
	return err
}

// wholeRunes returns the length of text without an incomplete character at its end.
func wholeRunes(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if at := len(text) - n; utf8.RuneStart(text[at]) {
			if utf8.FullRune(text[at:]) {
				break
			}
			return at
		}
	}
	return len(text)
}

// EscapeJSON returns JSON with characters that are not printable as \u escapes, which every reader
// decodes to the same characters and no terminal interprets.
func EscapeJSON(data []byte) []byte {
	odd := func(r rune) bool { return r > unicode.MaxASCII && !unicode.IsPrint(r) || r == '\x7f' }
	if bytes.IndexFunc(data, odd) < 0 {
		return data
	}
	var b []byte
	for _, r := range string(data) {
		if !odd(r) {
			b = utf8.AppendRune(b, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	return b
}
