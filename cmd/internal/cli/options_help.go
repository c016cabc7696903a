package cli

import (
	"fmt"
	"slices"
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

// commonOptions are the options that most runs need, which --help explains.
var commonOptions = []string{
	"ib-dev", "gid-index", "port", "rdma_cm", "connection", "qp", "tx-depth", "bidirectional", "size", "all", "iters", "duration",
	"completion", "compare", "verify", "report_gbits", "output", "details", "out_json", "help",
}

// helpText returns the text of --help of a program for a terminal of a width; 0: unknown.
func helpText(t option.Test, name string, width int, depth option.Help) string {
	s := option.New(t)
	f, width := define(&s), textWidth(width)
	groups, others := f.groups, []string(nil)
	if depth == option.ShortHelp {
		groups, others = commonGroups(f.groups)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s measures the %s.\n\nUsage:\n", name, t.Title())
	writeEntry(&b, "  "+name+" [options]", "start a server and wait for a client", helpIndent, width)
	writeEntry(&b, "  "+name+" [options] HOST", "run against the server at HOST", helpIndent, width)
	b.WriteString("\n")
	writeEntry(&b, "", "A server needs no options: it uses the client's, and serves every test. "+option.OwnershipNote, 0, width)
	writeGroups(&b, groups, width)
	if len(others) > 0 {
		b.WriteString("\nOther options, which --help=all explains:\n")
		writeEntry(&b, "", strings.Join(others, ", "), 1, width)
	}
	fmt.Fprintf(&b, "\nExample:\n  node1$ %s\n  node2$ %s --compare -s 64K node1\n", name, name)
	writeExitStatus(&b, option.ExitStatusOf(func(o *option.Option) bool { return o.In(t) }), width)
	return b.String()
}

// writeExitStatus writes the exit statuses that a program has.
func writeExitStatus(b *strings.Builder, statuses []string, width int) {
	b.WriteString("\nExit status:\n")
	for status, text := range statuses {
		if text != "" {
			writeEntry(b, fmt.Sprintf("  %d", status), text, exitIndent, width)
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

// commonGroups returns the common options in their groups, and the names of the others.
func commonGroups(all []flagGroup) (common []flagGroup, others []string) {
	for _, g := range all {
		few := flagGroup{title: g.title}
		for _, h := range g.flags {
			if slices.Contains(commonOptions, h.name) && g.title != option.GroupAccepted {
				few.flags = append(few.flags, h)
			} else {
				others = append(others, h.longName())
			}
		}
		if len(few.flags) > 0 {
			common = append(common, few)
		}
	}
	return common, others
}

// writeGroups prints options.
func writeGroups(b *strings.Builder, groups []flagGroup, width int) {
	for _, g := range groups {
		b.WriteString("\n" + g.title + ":\n")
		for _, h := range g.flags {
			left := "      "
			if h.letter != "" {
				left = "  "
			}
			writeEntry(b, left+h.spelling(), h.text, helpIndent, width)
		}
	}
}

// spelling returns letter, name and argument as perftest's --help has them: "-c, --connection=<RC/UC>".
func (h *flagHelp) spelling() string {
	if h.letter != "" {
		return "-" + h.letter + ", " + h.longName()
	}
	return h.longName()
}

// longName returns the long name with the argument.
func (h *flagHelp) longName() string {
	if h.argument != "" {
		return "--" + h.name + "=<" + h.argument + ">"
	}
	return "--" + h.name
}

// writeEntry writes a text to the right of the word that it explains, or below it where the terminal has no
// room for both.
func writeEntry(b *strings.Builder, left, text string, indent, width int) {
	line := fmt.Sprintf("%-*s", indent, left)
	if narrow := indent == helpIndent && width < minWidthBeside; narrow || left != "" && len(left) >= indent {
		if narrow {
			indent = helpBelow
		}
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
