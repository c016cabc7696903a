package cli

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/option"
)

// Columns of the help text. Texts are to the right of the options where the terminal has room, else
// below them.
const (
	helpIndent     = 34
	helpBelow      = 8
	exitIndent     = 4
	helpWidth      = 100 // the default and the largest width
	minHelpWidth   = 30
	minWidthBeside = 72 // minimum width with texts to the right of options
)

// helpText returns the text of --help of a program for a terminal of a width; 0: unknown.
func helpText(t option.Test, name string, width int) string {
	s := option.New(t)
	f, width := define(&s), textWidth(width)
	var b strings.Builder
	fmt.Fprintf(&b, "%s measures the %s.\n\nUsage:\n", name, t.Title())
	writeEntry(&b, "  "+name+" [options]", "start a server and wait for a client", helpIndent, width)
	writeEntry(&b, "  "+name+" [options] HOST", "run against the server at HOST", helpIndent, width)
	b.WriteString("\n")
	writeEntry(&b, "", "A server needs no options: it uses the client's, and serves every test. "+option.OwnershipNote, 0, width)
	writeGroups(&b, f, width)
	fmt.Fprintf(&b, "\nExample:\n  node1$ %s\n  node2$ %s --compare -s 64K node1\n", name, name)
	writeExitStatus(&b, option.ExitStatusOf(func(o *option.Option) bool { return o.In(t) }), width)
	return b.String()
}

// writeExitStatus writes the exit statuses that a program has.
func writeExitStatus(b *strings.Builder, statuses []string, width int) {
	b.WriteString("\nExit status:\n")
	for status, text := range statuses {
		if text != "" {
			writeEntry(b, fmt.Sprintf("  %d ", status), text, exitIndent, width)
		}
	}
}

// textWidth returns the width of texts on a terminal of a width; 0: unknown.
func textWidth(terminal int) int {
	if terminal == 0 {
		return helpWidth
	}
	return max(minHelpWidth, min(terminal, helpWidth))
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

// writeEntry writes a text to the right of the word that it explains, or below it where the terminal has no
// room for both.
func writeEntry(b *strings.Builder, left, text string, indent, width int) {
	line := fmt.Sprintf("%-*s", indent, left)
	if indent == helpIndent && width < minWidthBeside {
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
