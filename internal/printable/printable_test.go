package printable

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"größer, 終わり, e\u0301":     "größer, 終わり, e\u0301",
		"\x1b[2Ja\x07\x7f\u009b1m": "\ufffd[2Ja\ufffd\ufffd\ufffd1m",
		"one\r\ntwo\tthree\u2028.": "one  two three .",
		"\u202egnp.exe\u200b":      "\ufffdgnp.exe\ufffd",
		"a\xff\xfeb":               "a\ufffdb",
	} {
		if got := Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	}
}

// A Writer passes lines and tabs on, and characters whole that come in two pieces.
func TestWriter(t *testing.T) {
	const text = "größer:\t終わり 😀\n\x1b]0;title\x07\rover\xff\u202e\n"
	const want = "größer:\t終わり 😀\n\ufffd]0;title\ufffd over\ufffd\ufffd\n"
	for cut := range len(text) + 1 {
		var b bytes.Buffer
		w := NewWriter(&b)
		for _, piece := range []string{text[:cut], text[cut:]} {
			if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
		}
		if b.String() != want {
			t.Errorf("cut at %d: %q, want %q", cut, b.String(), want)
		}
	}
}

func TestWriterOfNothing(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.Close()
	if n, err := NewWriter(w).Write([]byte("x")); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write = %d, %v", n, err)
	}
}

// Whatever is written, what comes out is printable, and what is printable comes out as it was.
func FuzzWriter(f *testing.F) {
	f.Add([]byte("\x1b[2J\n"), []byte("\xe7\xb5"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var out bytes.Buffer
		w := NewWriter(&out)
		for _, piece := range [][]byte{a, b, []byte("\n")} {
			if _, err := w.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		odd := func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }
		if got := out.String(); !utf8.ValidString(got) || strings.ContainsFunc(got, odd) {
			t.Errorf("%q%q comes out as %q", a, b, got)
		}
		all := string(a) + string(b) + "\n"
		if utf8.ValidString(all) && !strings.ContainsFunc(all, odd) && out.String() != all {
			t.Errorf("%q comes out as %q", all, out.String())
		}
	})
}

// Escaped JSON has nothing in it that is not printable, and means what it meant.
func FuzzEscapeJSON(f *testing.F) {
	f.Add("größer\u009b\x1b\x7f\U000e0001\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		data, err := json.MarshalIndent([]string{s}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		escaped := EscapeJSON(data)
		if err := errors.Join(json.Unmarshal(data, &want), json.Unmarshal(escaped, &got)); err != nil {
			t.Fatal(err)
		}
		if got[0] != want[0] {
			t.Errorf("%q means %q, want %q", escaped, got[0], want[0])
		}
		if bytes.ContainsFunc(escaped, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' }) {
			t.Errorf("%q is not printable", escaped)
		}
	})
}
