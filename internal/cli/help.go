package cli

import (
	"fmt"
	"strings"
)

// Columns of the help text.
const (
	helpIndent = 34
	helpWidth  = 100
)

// helpText is what --help prints.
func helpText(s spec) string {
	f := define(newOptions(s), &rawOptions{})
	var b strings.Builder
	fmt.Fprintf(&b, "%s measures the %s.\n\n", s.program(), s.title())
	fmt.Fprintf(&b, "Usage:\n  %s [options]         start a server and wait for a client\n", s.program())
	fmt.Fprintf(&b, "  %s [options] HOST    run against the server at HOST\n", s.program())
	b.WriteString("\nA server needs no options: it takes the client's.\n")
	writeGroups(&b, f)
	fmt.Fprintf(&b, "\nExample:\n  node1$ %s\n  node2$ %s --compare -s 64K node1\n", s.program(), s.program())
	b.WriteString(exitHelp)
	return b.String()
}

const exitHelp = `
Exit status:
  0  the run was done and every check held
  1  interrupted, output not written, or anything not below
  2  options wrong, or in conflict with the peer's
  3  no usable device, or no permission
  4  peer unreachable, lost or timed out
  5  --verify found wrong data
  6  completion mode refused: the device does not promise what it needs
`

// writeGroups prints all options, with their texts in a column.
func writeGroups(b *strings.Builder, f *flags) {
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
			writeColumns(b, left, h.text)
		}
	}
}

func writeColumns(b *strings.Builder, left, text string) {
	line := fmt.Sprintf("%-*s", helpIndent, left)
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > helpWidth {
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", helpIndent)
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}
