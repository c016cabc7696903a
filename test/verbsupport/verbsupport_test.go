package verbsupport

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/ibv"
	_ "github.com/ibperf/ibperf/verbs/shm"
	"golang.org/x/sys/unix"
)

var (
	update = flag.Bool("update", false, "write docs/VERBS.md, or with -device the device's answers to stdout")
	device = flag.String("device", "", "a soft RoCE device, whose answers are compared with those of the kernel's in testdata")
)

// kernels are the kernels of soft RoCE, with a column each; testdata has their answers.
var kernels = []string{"6.1", "6.12", "7.2"}

const tableFile = "../../docs/VERBS.md"

func answersFile(kernel string) string { return "testdata/rxe-" + kernel + ".txt" }

// TestTable compares docs/VERBS.md with the answers of the embedded device. Renew the file by
//
//	go test ./verbsupport -update
func TestTable(t *testing.T) {
	answers := []string{answersOf(t, "shm_whole")}
	for _, kernel := range kernels {
		answers = append(answers, string(must(os.ReadFile(answersFile(kernel)))(t)))
	}
	table := render(answers)
	if *update {
		if err := os.WriteFile(tableFile, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old := must(os.ReadFile(tableFile))(t); table != string(old) {
		t.Errorf("%s is not what the device offers; go test ./verbsupport -update in folder test makes\n%s", tableFile, table)
	}
}

// TestDevice compares the answers of soft RoCE in testdata with those of the device on this
// kernel. Renew them in the guest with that kernel, by -test.run TestDevice -device rxe0 -update.
func TestDevice(t *testing.T) {
	if *device == "" {
		t.Skip("no RDMA device: name one with -device")
	}
	answers := answersOf(t, *device)
	if *update {
		fmt.Print(answers)
		return
	}
	file := answersFile(runningKernel(t))
	if committed := must(os.ReadFile(file))(t); answers != string(committed) {
		t.Errorf("%s differs from %s:\n%s", *device, file, answers)
	}
}

// runningKernel returns the first two numbers of the kernel's version.
func runningKernel(t *testing.T) string {
	t.Helper()
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`^\d+\.\d+`).FindString(unix.ByteSliceToString(name.Release[:]))
}

// answersOf tries every verb: a line for each, with the answers separated by "|".
func answersOf(t *testing.T, name string) string {
	t.Helper()
	dev := must(verbs.Lookup(name))(t)
	var out strings.Builder
	for _, v := range general {
		fmt.Fprintf(&out, "%s|%s\n", v.name, answer(v.try(newResources(t, dev), 0)))
	}
	for _, v := range byTransport {
		out.WriteString(v.name)
		for _, tr := range transports {
			text := "–"
			if v.on == nil || v.on[tr.typ] {
				text = answer(v.try(newResources(t, dev), tr.typ))
			}
			out.WriteString("|" + text)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// errNotOffered means that the backend lacks the interface.
var errNotOffered = errors.New("not offered")

// An otherAnswer is an answer other than "works" and "refused".
type otherAnswer string

func (s otherAnswer) Error() string { return string(s) }

// answer returns the outcome of a verb in a word or two.
func answer(err error) string {
	var op *verbs.OpError
	var errno syscall.Errno
	var other otherAnswer
	switch {
	case err == nil:
		return "works"
	case errors.As(err, &other):
		return string(other)
	case errors.Is(err, errNotOffered):
		return "not offered"
	case errors.Is(err, verbs.ErrNotSupported):
		return "refused, EOPNOTSUPP"
	case errors.As(err, &op):
		return "refused, " + unix.ErrnoName(op.Errno)
	case errors.As(err, &errno):
		return "refused, " + unix.ErrnoName(errno)
	}
	return "fails: " + err.Error()
}

const preface = `# What the devices offer

A test that calls every verb (test/verbsupport) makes this page: for the embedded device of this
tree, and for soft RoCE (rxe) through libibverbs in the guests, with Linux 6.1 and
rdma-core 44 (Debian 12), with Linux 6.12 and rdma-core 56 (Debian 13), and with Linux 7.2 and
rdma-core 65 (Debian sid of November 2026).
"refused" is the answer of the device, or of package ibv for a flag that the library does not
know; "ignored" is a flag that was accepted and has no effect; "not offered" is a verb that the
backend lacks; – means that the transport has no such verb.
Names are the manual's; the documentation of package verbs has both names.

`

// render returns the page with the answers of all devices, the embedded one first.
func render(answers []string) string {
	devices := []string{"embedded"}
	for _, kernel := range kernels {
		devices = append(devices, "rxe "+kernel)
	}
	out := preface + "## All transports\n\n" + header(append([]string{"verb"}, devices...)...)
	for i, v := range general {
		cells := []string{v.name}
		for _, all := range answers {
			cells = append(cells, cellsOf(all, i, v.name, 1)...)
		}
		out += row(cells...)
	}
	out += "\n## By transport\n\n" + header("verb", "device", "RC", "UC", "UD", "XRC")
	for i, v := range byTransport {
		first := v.name
		for k, all := range answers {
			out += row(append([]string{first, devices[k]}, cellsOf(all, len(general)+i, v.name, len(transports))...)...)
			first = ""
		}
	}
	return out
}

// cellsOf returns the n answers of a line, if it is about the verb.
func cellsOf(answers string, line int, name string, n int) []string {
	lines := strings.Split(answers, "\n")
	if line < len(lines) {
		if cells := strings.Split(lines[line], "|"); cells[0] == name && len(cells) == n+1 {
			return cells[1:]
		}
	}
	return slices.Repeat([]string{"not tried"}, n)
}

func header(cells ...string) string {
	return row(cells...) + row(slices.Repeat([]string{"---"}, len(cells))...)
}

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
