package main

import (
	"regexp"
	"strings"
)

// help is the text of --help in its parts.
type help struct {
	paragraphs []string // without an indent
	usage      []entry
	options    []section
	lists      []section // of anything else, such as programs
	examples   []string  // lines
	statuses   []entry
}

// section is a titled list of entries.
type section struct {
	title   string
	entries []entry
}

// entry is an option, a command line or a status, and the text about it, which may be empty.
type entry struct{ head, text string }

var (
	titleLine = regexp.MustCompile(`^(\S.*):$`)
	entryLine = regexp.MustCompile(`^(  |      --)\S`) // other lines with an indent continue an entry
	columns   = regexp.MustCompile(`\s{2,}`)           // between the head of an entry and its text
)

// parseHelp parses a text of --help: paragraphs, and lines with an indent below titles, which end in a colon.
func parseHelp(text string) *help {
	h := &help{}
	var title, previous string
	var entries []entry
	end := func() {
		h.add(title, entries)
		title, entries = "", nil
	}
	lines := strings.Split(strings.TrimSpace(text)+"\n", "\n")
	for i, line := range lines {
		if usage, is := strings.CutPrefix(line, "Usage: "); is {
			end()
			title, line = "Usage", "  "+usage
		}
		switch m := titleLine.FindStringSubmatch(line); {
		case m != nil && strings.HasPrefix(lines[i+1], " "):
			end()
			title = m[1]
		case line == "":
		case line[0] != ' ':
			end()
			h.addParagraph(line, previous != "")
		default:
			entries = withLine(entries, line, title)
		}
		previous = line
	}
	end()
	return h
}

// withLine adds a line with an indent to the entries of a title. A usage without a text continues with
// command lines of the same program, below each other.
func withLine(entries []entry, line, title string) []entry {
	trimmed := strings.TrimSpace(line)
	again := title == "Usage" && len(entries) > 0 && strings.HasPrefix(trimmed, firstWord(entries[0].head)+" ")
	if entryLine.MatchString(line) || again || len(entries) == 0 {
		head, text := trimmed, ""
		if at := columns.FindStringIndex(trimmed); at != nil {
			head, text = trimmed[:at[0]], trimmed[at[1]:]
		}
		return append(entries, entry{head, text})
	}
	last := &entries[len(entries)-1]
	if last.text == "" && title == "Usage" {
		last.head += " " + trimmed
	} else {
		last.text = strings.TrimSpace(last.text + " " + trimmed)
	}
	return entries
}

// addParagraph adds a line without an indent, which continues the last paragraph or begins one.
func (h *help) addParagraph(line string, continues bool) {
	if last := len(h.paragraphs) - 1; continues && last >= 0 {
		h.paragraphs[last] += " " + line
		return
	}
	h.paragraphs = append(h.paragraphs, line)
}

func (h *help) add(title string, entries []entry) {
	switch {
	case len(entries) == 0:
	case title == "Usage":
		h.usage = entries
	case title == "Exit status":
		h.statuses = entries
	case strings.HasPrefix(title, "Example"):
		for _, e := range entries {
			h.examples = append(h.examples, strings.TrimSpace(e.head+"  "+e.text))
		}
	case strings.HasPrefix(entries[0].head, "-"):
		h.options = append(h.options, section{title, entries})
	default:
		h.lists = append(h.lists, section{title, entries})
	}
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}
