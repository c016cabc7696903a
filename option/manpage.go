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
	"no usable device, here or at the server, or no permission",
	"peer unreachable, lost or timed out, or its messages wrong",
	"--verify found wrong data",
	"completion mode refused: the device does not promise what it needs",
	"a figure was below --limit_bw or --limit_msgrate",
}

// ManPage returns the man page of a test's program, in the language of man(7).
func ManPage(t Test, release string) string {
	m := manual{
		name: t.Program(), does: "measures the " + t.Title(),
		text: "Without a host the program is a server, which needs no options: it takes the client's, " +
			"and serves every test. With one it runs the test against the server there.",
		has: func(o *Option) bool { return o.Takes(t) }, help: func(o *Option) string { return o.HelpText(t) },
		statuses: ExitStatus, example: "--compare -s 64K node1", see: seeOrder,
	}
	return m.page(release)
}

// CompareManPage returns that of ib_compare.
func CompareManPage(release string) string {
	m := manual{
		name: CompareProgram, does: "compares the ways to wait for data between two hosts",
		text: "Without a host the program is a server, which needs no options. With one it measures write, send, read and atomic operations, " +
			"latency and bandwidth, in every completion mode with the server there, and says which mode is best, " +
			"what it costs, and whether the order of data may be relied on.",
		has: (*Option).InCompare, help: (*Option).CompareHelp, statuses: ExitStatus, example: "node1", see: seeOrder,
	}
	return m.page(release)
}

// manual is what a man page is made of.
type manual struct {
	name, does, text, example string
	also                      string // options with which it needs no server; empty: none
	more                      string // about quirks; empty: nothing
	see                       string // other pages
	statuses                  []string
	has                       func(*Option) bool
	help                      func(*Option) string
}

// aboutVariable says what [DeviceVariable] is.
const aboutVariable = "The device where -d names none; an empty value is as none. A server takes it for clients on RDMA devices: " +
	"for a client on an embedded device it takes that one, unless -d names another. Without either a program takes the first RDMA device whose port is active, of several the first that has the address of the control connection, " +
	"and ends with status 3 if there is none."

const seeOrder = "ibv_query_qp_data_in_order (3)"

func (m *manual) page(release string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"ibperf %s\" \"ibperf\"\n", strings.ToUpper(m.name), release)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", m.name, roff(m.does))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n[options]\n.br\n.B %s\n[options]\n.I HOST\n", m.name, m.name)
	if m.also != "" {
		fmt.Fprintf(&b, ".br\n.B %s %s\n[options]\n", m.name, roff(m.also))
	}
	b.WriteString(".SH DESCRIPTION\n" + roff(m.text) + "\n")
	group := ""
	for _, o := range Table() {
		if !m.has(o) {
			continue
		}
		if o.Group != group {
			group = o.Group
			fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(group)))
		}
		b.WriteString(m.entry(o))
	}
	if m.more != "" {
		b.WriteString(".SH QUIRKS\n" + roff(m.more) + "\n")
	}
	fmt.Fprintf(&b, ".SH ENVIRONMENT\n.TP\n.B %s\n%s\n", DeviceVariable, roff(aboutVariable))
	b.WriteString(".SH EXIT STATUS\n")
	for status, text := range m.statuses {
		if text != "" {
			fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", status, roff(text))
		}
	}
	fmt.Fprintf(&b, ".SH EXAMPLE\n.nf\nnode1$ %s\nnode2$ %s %s\n.fi\n", m.name, m.name, roff(m.example))
	fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s\n", m.see)
	return b.String()
}

func (m *manual) entry(o *Option) string {
	head := ".B \\-\\-" + roff(o.Name)
	if o.Letter != "" {
		head = ".B \\-" + o.Letter + ", \\-\\-" + roff(o.Name)
	}
	if o.Argument != "" {
		head += " \\fI" + o.Argument + "\\fR"
	}
	return ".TP\n" + head + "\n" + roff(m.help(o)) + "\n"
}

// roff writes text so that none of it is taken for a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
