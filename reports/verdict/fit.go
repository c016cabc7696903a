package verdict

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ibperf/ibperf/reports/phrase"
)

// width returns the number of characters of a text.
func width(text string) int { return utf8.RuneCountInString(text) }

// fits returns the first text that has at most room characters, or the last one cut to them.
func fits(room int, texts ...string) string {
	for _, text := range texts {
		if width(text) <= room {
			return text
		}
	}
	return phrase.Shorten(texts[len(texts)-1], room)
}

// listed joins as many items as fit into room characters, one or more: "WRITE, SEND and 3 more".
func listed(items []string, between string, room int) string {
	for n := len(items); n > 0; n-- {
		some := items
		if n < len(items) {
			some = append(slices.Clone(items[:n]), strconv.Itoa(len(items)-n)+" more")
		}
		text := strings.Join(some, between)
		if between == ", " {
			text = phrase.List(some)
		}
		if width(text) <= room {
			return text
		}
	}
	return phrase.Shorten(items[0], room)
}
