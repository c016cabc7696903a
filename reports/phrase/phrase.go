// Package phrase formats parts of sentences: lists, ranges, numbers, and lines of a width.
package phrase

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/units"
)

// Shorten returns s as one line of printable characters, cut to at most n characters.
func Shorten(s string, n int) string {
	runes := []rune(printable.Clean(s))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-3]) + "..."
}

// Wrap breaks text at spaces into lines of at most width characters.
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

// Slug returns a file name made from words of any characters.
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

// List joins words: "WRITE, SEND and READ".
func List(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// AddNew appends item to list unless list has it.
func AddNew[T comparable](list []T, item T) []T {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}

// Distinct returns the different items of list in their order, in linear time.
func Distinct[T comparable](list []T) (distinct []T) {
	seen := map[T]bool{}
	for _, item := range list {
		if !seen[item] {
			seen[item] = true
			distinct = append(distinct, item)
		}
	}
	return distinct
}

// SizeRanges lists the message sizes in some, writing three or more that are neighbors in all as
// first-last.
func SizeRanges(all, some []int) string { return Ranges(all, some, units.Size) }

// Ranges lists the values in some, formatted by text, writing three or more that are neighbors in
// all as first-last.
func Ranges(all, some []int, text func(int) string) string {
	var parts []string
	places := map[int]int{}
	for i, value := range slices.Backward(all) {
		places[value] = i // the first
	}
	for i := 0; i < len(some); {
		at, known := places[some[i]]
		if !known {
			at = -1
		}
		n := 1
		for i+n < len(some) && at+n < len(all) && all[at+n] == some[i+n] {
			n++
		}
		if n < 3 {
			n = 1
			parts = append(parts, text(some[i]))
		} else {
			parts = append(parts, text(some[i])+"-"+text(some[i+n-1]))
		}
		i += n
	}
	return strings.Join(parts, ", ")
}

// sentenceWidth returns the width to which sentences are wrapped on lines of a width.
func sentenceWidth(width int) int {
	const maxWidth, minWidth = 110, 40
	if width == 0 {
		return maxWidth
	}
	return max(minWidth, min(maxWidth, width-3)) // further lines are indented
}

// WriteWrapped writes a sentence, indented by a number of blanks, and by two more from its second
// line on.
func WriteWrapped(b *strings.Builder, sentence string, blanks, width int) {
	for i, part := range Wrap(sentence, sentenceWidth(width)+1-blanks) {
		b.WriteString(strings.Repeat(" ", blanks+min(i, 1)*2) + part + "\n")
	}
}
