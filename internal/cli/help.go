package cli

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/option"
)

// Columns of the help text: texts stand behind the options where there is room, else
// below them.
const (
	helpIndent = 34
	helpBelow  = 8
	exitIndent = 4
	helpWidth  = 100 // where the terminal's is not known, and at most
	helpLeast  = 30
	helpBeside = 72 // from here on there is room
)

// helpText is what --help prints within a width; 0: it is not known.
func helpText(t option.Test, width int) string {
	s := option.New(t)
	f, width := define(&s), textWidth(width)
	var b strings.Builder
	fmt.Fprintf(&b, "%s measures the %s.\n\nUsage:\n", t.Program(), t.Title())
	writeEntry(&b, "  "+t.Program()+" [options]", "start a server and wait for a client", helpIndent, width)
	writeEntry(&b, "  "+t.Program()+" [options] HOST", "run against the server at HOST", helpIndent, width)
	b.WriteString("\n")
	writeEntry(&b, "", "A server needs no options: it takes the client's, and serves every test.", 0, width)
	writeGroups(&b, f, width)
	fmt.Fprintf(&b, "\nExample:\n  node1$ %s\n  node2$ %s --compare -s 64K node1\n", t.Program(), t.Program())
	b.WriteString("\nExit status:\n")
	for status, text := range option.ExitStatus {
		writeEntry(&b, fmt.Sprintf("  %d ", status), text, exitIndent, width)
	}
	return b.String()
}

// textWidth is the width of texts on a terminal of a width; 0: it is not known.
func textWidth(terminal int) int {
	if terminal == 0 {
		return helpWidth
	}
	return max(helpLeast, min(terminal, helpWidth))
}

// writeGroups prints all options.
func writeGroups(b *strings.Builder, f *flags, width int) {
	for _, g := range f.groups {
		b.WriteString("\n" + g.title + ":\n")
		for _, h := range g.flags {
			left := "      --" + h.name
			if h.letter != "" {
				left = "  -" + h.letter + ", --" + h.name
			}
			if h.argument != "" {
				left += " " + h.argument
			}
			writeEntry(b, left, h.text, helpIndent, width)
		}
	}
}

// writeEntry prints a text behind what it explains, or below it where the line has no
// room for both.
func writeEntry(b *strings.Builder, left, text string, indent, width int) {
	line := fmt.Sprintf("%-*s", indent, left)
	if indent == helpIndent && width < helpBeside {
		indent = helpBelow
		b.WriteString(left + "\n")
		line = strings.Repeat(" ", indent)
	}
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > width && strings.TrimSpace(line) != "" {
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", indent)
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
}
