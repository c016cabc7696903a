package reports

import (
	"strings"

	"github.com/ibperf/ibperf/internal/terminal"
)

// Clean makes a string from a file or a peer fit for a terminal and for SVG, as
// [terminal.Clean] does.
func Clean(s string) string { return terminal.Clean(s) }

// Shorten cuts a string that has no place on a plot at n characters.
func Shorten(s string, n int) string {
	runes := []rune(Clean(s))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-3]) + "..."
}

// Wrap breaks text into lines of at most width characters where it has spaces.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Slug makes a file name of words that may hold anything.
func Slug(words ...string) string {
	safe := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}
	return Shorten(strings.Map(safe, strings.Join(words, "_")), 120)
}

// joined lists words: "WRITE, SEND and READ".
func joined(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// together lists names of tests, with what they share said once: "write and send latency",
// "read latency and bandwidth".
func together(names []string) string {
	op, kind, plain := strings.Cut(names[0], " ")
	var ops, kinds []string
	for _, name := range names {
		o, k, cut := strings.Cut(name, " ")
		plain = plain && cut && !strings.Contains(k, " ")
		ops, kinds = addNew(ops, o), addNew(kinds, k)
	}
	switch {
	case plain && len(kinds) == 1:
		return joined(ops) + " " + kind
	case plain && len(ops) == 1:
		return op + " " + joined(kinds)
	}
	var each []string
	for _, name := range names {
		if test, at, cut := strings.Cut(name, ", "); cut && len(names) > 1 {
			name = test + " (" + at + ")" // or its comma looks like one of the list
		}
		each = addNew(each, name)
	}
	return joined(each)
}
