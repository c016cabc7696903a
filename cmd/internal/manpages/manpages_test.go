package main

import (
	"strings"
	"testing"
)

const grouped = `ib_look measures the looks. A look is quick.

Usage:
  ib_look [options]                start a server and wait for a client
  ib_look --loop [options] HOST    run against the server at
                                   HOST

A server needs no options:
it uses the client's.

Queues:
  -q, --qp N                       number of QPs
                                   (default 1)
      --no_lock                    take no locks: .5 of the
                                   time, in '\'

Output:
  -d, --ib-dev NAME                device (default IBPERF_DEVICE)

Example:
  node1$ ib_look
  node2$ ib_look -q 2 node1

Exit status:
  0  done
  1  any other failure, or
     none
`

// The page of a program has everything that is in its help, and no line that is a request by accident.
func TestPageHasTheWholeHelp(t *testing.T) {
	p := &page{name: "ib_look", release: "v0.1.0", help: parseHelp(grouped), others: []string{"ib_caps", "ib_look"}}
	const want = `.TH IB_LOOK 1 "" "ibperf v0.1.0" "ibperf"
.SH NAME
ib_look \- measures the looks
.SH SYNOPSIS
.TP
\fBib_look\fR [options]
start a server and wait for a client
.TP
\fBib_look\fR \fB\-\-loop\fR [options] \fIHOST\fR
run against the server at HOST
.SH DESCRIPTION
ib_look measures the looks. A look is quick.
.PP
A server needs no options: it uses the client\(aqs.
.SH OPTIONS
.SS Queues
.TP
\fB\-q\fR, \fB\-\-qp\fR \fIN\fR
number of QPs (default 1)
.TP
\fB\-\-no_lock\fR
take no locks: .5 of the time, in \(aq\e\(aq
.SS Output
.TP
\fB\-d\fR, \fB\-\-ib\-dev\fR \fINAME\fR
device (default IBPERF_DEVICE)
.SH ENVIRONMENT
.TP
.B IBPERF_DEVICE
The device without \-d. An empty value counts as unset.
.SH EXIT STATUS
.TP
\fB0\fR
done
.TP
\fB1\fR
any other failure, or none
.SH EXAMPLES
.nf
node1$ ib_look
node2$ ib_look \-q 2 node1
.fi
.SH SEE ALSO
.BR ib_caps (1),
.BR ibv_query_qp_data_in_order (3)
`
	if got := p.roff(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

const plain = `Usage: ib_draw [-o DIR] FILE...
       ib_draw plot [-o FILE]
         FILE...

Prints tables from files.

Options:
  -h, --help            print this
  -o, --output DIR      write plots

Kinds:
  busy-time  of a core
`

// The usage may begin in the line of its title, and options that have no groups are not below a title of their
// own.
func TestPageOfASmallHelp(t *testing.T) {
	text := (&page{name: "ib_draw", help: parseHelp(plain)}).roff()
	for _, want := range []string{
		"ib_draw \\- prints tables from files\n", ".br\n\\fBib_draw\\fR plot [\\fB\\-o\\fR \\fIFILE\\fR] \\fIFILE\\fR\\&...\n",
		".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint this\n.TP\n",
		"write plots\n.SH KINDS\n.TP\nbusy\\-time\nof a core\n.SH SEE ALSO",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestOptionsAreBold(t *testing.T) {
	for head, want := range map[string]string{
		"-q, --tx-depth N": `\fB\-q\fR, \fB\-\-tx\-depth\fR \fIN\fR`, "pause-busy": `pause\-busy`, "ib_caps [--out_json]": `\fBib_caps\fR [\fB\-\-out_json\fR]`,
		"--label NAME=FILE": `\fB\-\-label\fR \fINAME\fR=\fIFILE\fR`, "6": `\fB6\fR`,
	} {
		if got := styled(head); got != want {
			t.Errorf("%s is %s, want %s", head, got, want)
		}
	}
}
