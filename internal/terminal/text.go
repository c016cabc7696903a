package terminal

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

// Clean makes text of a peer or of a file fit for a terminal, a log and a picture: one line of
// valid UTF-8 without control characters. Line breaks, tabs and other white space become
// spaces, everything else that is not printable becomes U+FFFD.
func Clean(s string) string { return strings.Map(cleaned, strings.ToValidUTF8(s, replacement)) }

// replacement stands for what is not UTF-8.
const replacement = string(unicode.ReplacementChar)

// cleaned is what stands for a character.
func cleaned(r rune) rune {
	switch {
	case unicode.IsPrint(r):
		return r
	case unicode.IsSpace(r):
		return ' '
	}
	return unicode.ReplacementChar
}

// Writer passes text on with its lines and tabs, and everything else as [Clean] makes it. All
// that a program prints goes through one, so that no escape sequence of a peer, a file or a
// command line reaches the terminal. It serves any number of goroutines.
type Writer struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // the beginning of a character, whose end is in the next Write
}

// NewWriter returns a Writer that passes on to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write passes p on. It returns len(p), or the error of the writer behind it and 0.
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

// ClearLine takes away the line of a terminal that the cursor is in.
func (w *Writer) ClearLine() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.w, "\r\x1b[K")
	return err
}

// wholeRunes is how much of text there is without a character at its end that is cut off.
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

// EscapeJSON writes what is not printable in the strings of JSON as \u escapes, which mean the
// same to every reader and nothing to a terminal.
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
