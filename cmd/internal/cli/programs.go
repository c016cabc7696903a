package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ibperf/ibperf/cmd/internal/drawing"
	"github.com/ibperf/ibperf/internal/version"
	"github.com/ibperf/ibperf/option"
)

// call is the command line of a program.
type call struct {
	name           string   // of the program, as the user called it: ib_write_lat, or "ibperf write_lat"
	command        []string // all words, as in os.Args
	args           []string // those after the name
	stdout, stderr io.Writer
}

// entry is one of the programs, each of which is a program of its own in cmd/ and part of ibperf.
type entry struct {
	name string
	does string
	run  func(c call) int
}

// short returns the name within ibperf: write_lat.
func (p *entry) short() string { return strings.TrimPrefix(p.name, "ib_") }

// ibperf is the program that has all others.
const ibperf = "ibperf"

// programs returns all programs, in the order of the help text of ibperf.
func programs() []entry {
	all := []entry{
		{option.CompareProgram, "compare completion modes between two hosts: which is best, and what it costs", func(c call) int { return runCompare(c, drawing.Elsewhere) }},
		{capsProgram, "print what RDMA devices can do, and what they promise about data order", runCaps},
		{option.VerifyProgram, "check for hours or days that data arrives in order", runVerify},
		{clusterProgram, "find slow nodes of a cluster, started by its launcher", func(c call) int { return runCluster(c, drawing.ClusterElsewhere) }},
		{option.ConformProgram, "check a device against the semantics of libibverbs", runConform},
		{drawing.Program, "make tables, plots and a page from result files", report},
	}
	for _, t := range option.Tests() {
		all = append(all, entry{t.Program(), "measure the " + t.Title(), func(c call) int { return runTest(t, c) }})
	}
	return all
}

// Ibperf runs ibperf, which has all programs: args are those of os.Args. The first word after the name names
// the program (ibperf write_lat ...), unless the file is a link with the program's own name (ib_write_lat
// ...). It returns the exit status.
func Ibperf(args []string, stdout, stderr io.Writer) int {
	c := call{name: filepath.Base(args[0]), command: args, args: args[1:], stdout: stdout, stderr: stderr}
	all := programs()
	if i := slices.IndexFunc(all, func(p entry) bool { return p.name == c.name }); i >= 0 {
		return all[i].run(c)
	}
	word := ""
	if len(c.args) > 0 {
		word = c.args[0]
	}
	if i := slices.IndexFunc(all, func(p entry) bool { return p.short() == word }); i >= 0 {
		c.name, c.args = ibperf+" "+word, c.args[1:]
		return all[i].run(c)
	}
	console := newConsole(stdout, stderr)
	return guarded(ibperf, console, func(context.Context) error {
		if word == completeWord {
			return printCandidates(console, complete(all, c.args[1:]))
		}
		return introduce(console, word, all)
	})
}

// report becomes the program that draws, with the name that the user called. It returns if that fails.
func report(c call) int {
	path, err := drawing.Path()
	if err == nil {
		err = syscall.Exec(path, append([]string{c.name}, c.args...), os.Environ())
		err = fmt.Errorf("start %s: %w", path, err)
	}
	newConsole(c.stdout, c.stderr).fail(c.name, err)
	return Status(err)
}

// introduce prints what ibperf is, or returns the error of a word that is no program.
func introduce(c *console, word string, all []entry) error {
	text := ""
	switch word {
	case "-h", "--help":
		text = ibperfHelp(all, c.width())
	case "-V", "--version":
		text = version.Line(ibperf)
	case "":
		return usage("no program named, such as compare or write_lat")
	default:
		return usage(fmt.Sprintf("no program %s", quoted(word)))
	}
	_, err := io.WriteString(c, text)
	return err
}

// ibperfHelp returns what ibperf --help prints.
func ibperfHelp(all []entry, width int) string {
	const indent = 16
	var b strings.Builder
	width = textWidth(width)
	writeEntry(&b, "", "ibperf has RDMA benchmarks that compare the ways to learn that data has arrived.", 0, width)
	b.WriteString("\nUsage:\n  ibperf PROGRAM [options] [HOST]\n\nPrograms:\n")
	for _, p := range all {
		writeEntry(&b, "  "+p.short(), p.does, indent, width)
	}
	b.WriteString("\nOptions:\n")
	writeEntry(&b, "  -h, --help", "print this text", indent, width)
	writeEntry(&b, "  -V, --version", "print the version", indent, width)
	b.WriteString("\n")
	writeEntry(&b, "", "ibperf PROGRAM --help prints the options of a program. A link to ibperf with the name of a program is that program, such as ib_write_lat.", 0, width)
	b.WriteString("\nExample:\n  node1$ ibperf compare\n  node2$ ibperf compare node1\n")
	return b.String()
}
