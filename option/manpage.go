package option

import (
	"fmt"
	"strings"
)

// ExitStatus says what the exit statuses of the programs mean, in their order.
var ExitStatus = []string{
	"the run was done and every check held",
	"interrupted, output not written, or anything not below",
	"options wrong, or in conflict with the peer's",
	"no usable device, or no permission",
	"peer unreachable, lost or timed out",
	"--verify found wrong data",
	"completion mode refused: the device does not promise what it needs",
}

// ManPage returns the man page of a test's program, in the language of man(7).
func ManPage(t Test, release string) string {
	var b strings.Builder
	name := t.Program()
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"ibperf %s\" \"ibperf\"\n", strings.ToUpper(name), release)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", name, roff("measures the "+t.Title()))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n[options]\n.br\n.B %s\n[options]\n.I HOST\n", name, name)
	b.WriteString(".SH DESCRIPTION\n" + roff("Without a host the program is a server, which needs no options: it takes the client's, "+
		"and serves every test. With one it runs the test against the server there.") + "\n")
	group := ""
	for _, o := range Table() {
		if !o.In(t) {
			continue
		}
		if o.Group != group {
			group = o.Group
			fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(group)))
		}
		b.WriteString(o.manEntry(t))
	}
	b.WriteString(".SH EXIT STATUS\n")
	for status, text := range ExitStatus {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", status, roff(text))
	}
	fmt.Fprintf(&b, ".SH EXAMPLE\n.nf\nnode1$ %s\nnode2$ %s \\-\\-compare \\-s 64K node1\n.fi\n", name, name)
	b.WriteString(".SH SEE ALSO\n.BR ibv_query_qp_data_in_order (3)\n")
	return b.String()
}

func (o *Option) manEntry(t Test) string {
	head := ".B \\-\\-" + roff(o.Name)
	if o.Letter != "" {
		head = ".B \\-" + o.Letter + ", \\-\\-" + roff(o.Name)
	}
	if o.Argument != "" {
		head += " \\fI" + o.Argument + "\\fR"
	}
	return ".TP\n" + head + "\n" + roff(o.HelpText(t)) + "\n"
}

// roff writes text so that none of it is taken for a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
