package option

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Options are looked up by name or letter, so both must be unique.
func TestAbsentNames(t *testing.T) {
	named, lettered := map[string]bool{}, map[string]string{}
	for _, a := range Absents {
		if a.Name == "" || strings.HasPrefix(a.Name, "-") || strings.ContainsAny(a.Name, " =") {
			t.Errorf("%q is no name of an option", a.Name)
		}
		if named[a.Name] {
			t.Errorf("--%s is there twice", a.Name)
		}
		named[a.Name] = true
		if a.Letter == "" {
			continue
		}
		if len(a.Letter) != 1 || !unicode.IsLetter(rune(a.Letter[0])) {
			t.Errorf("--%s: %q is no letter", a.Name, a.Letter)
		}
		if other := lettered[a.Letter]; other != "" {
			t.Errorf("-%s is both --%s and --%s", a.Letter, other, a.Name)
		}
		lettered[a.Letter] = a.Name
	}
}

// Reasons follow a colon in messages, and are cells of a table.
func TestAbsentReasons(t *testing.T) {
	const longest = 110
	for _, a := range Absents {
		n := utf8.RuneCountInString(a.Why)
		first, _ := utf8.DecodeRuneInString(a.Why)
		switch {
		case n == 0 || n > longest:
			t.Errorf("--%s: the reason has %d characters, want 1 to %d: %q", a.Name, n, longest, a.Why)
		case strings.TrimSpace(a.Why) != a.Why || strings.ContainsAny(a.Why, "\n\r\t|"):
			t.Errorf("--%s: the reason is no line of a table: %q", a.Name, a.Why)
		case unicode.IsUpper(first) || strings.HasSuffix(a.Why, "."):
			t.Errorf("--%s: the reason is no part of a sentence: %q", a.Name, a.Why)
		}
	}
}
