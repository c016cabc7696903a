package reports

import "strings"

// Figure is one plot on disk, as picture and as vector drawing.
type Figure struct {
	Name  string // file name without folder and ending
	Title string // what the plot shows, in a line
	PNG   string // path
	SVG   string // path
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
