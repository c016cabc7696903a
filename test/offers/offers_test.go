package offers

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/ibv"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

var (
	update = flag.Bool("update", false, "write docs/VERBS.md, or with -device the device's answers to stdout")
	device = flag.String("device", "", "a soft RoCE device, whose answers are compared with testdata/rxe.txt")
)

const (
	answersFile = "testdata/rxe.txt"
	tableFile   = "../../docs/VERBS.md"
)

// TestTable holds docs/VERBS.md to what the embedded device offers. Renew it by
//
//	go test ./test/offers -update
//
// and the column of soft RoCE, in the guest, by the test's -device rxe0 -update.
func TestTable(t *testing.T) {
	committed, err := os.ReadFile(answersFile)
	if err != nil {
		t.Fatal(err)
	}
	if *device != "" {
		answers := answersOf(t, *device)
		if *update {
			fmt.Print(answers)
		} else if answers != string(committed) {
			t.Errorf("%s differs from %s:\n%s", *device, answersFile, answers)
		}
		return
	}
	table := render(answersOf(t, "shm_whole"), string(committed))
	if *update {
		if err := os.WriteFile(tableFile, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	if table != string(old) {
		t.Errorf("%s is not what the device offers; go test ./test/offers -update makes\n%s", tableFile, table)
	}
}

// answersOf tries every verb: a line for each, with the answers separated by "|".
func answersOf(t *testing.T, name string) string {
	t.Helper()
	dev := must(verbs.Lookup(name))(t)
	var out strings.Builder
	for _, v := range general {
		fmt.Fprintf(&out, "%s|%s\n", v.name, answer(v.try(newRig(t, dev), 0)))
	}
	for _, v := range byTransport {
		out.WriteString(v.name)
		for _, tr := range transports {
			text := "–"
			if v.on == nil || v.on[tr.typ] {
				text = answer(v.try(newRig(t, dev), tr.typ))
			}
			out.WriteString("|" + text)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// errNotOffered says that the backend has no such thing.
var errNotOffered = errors.New("not offered")

// answer puts the outcome of a verb into a word or two.
func answer(err error) string {
	var op *verbs.OpError
	var errno syscall.Errno
	switch {
	case err == nil:
		return "works"
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

Made by a test that calls every verb (test/offers): the embedded device as it is in
this tree, and soft RoCE, through libibverbs, as it is in the guest's kernel (6.1).
"refused" is what the device answered; "not offered" is what its backend lacks; –
stands where the transport has no such verb.
Names are the manual's; package verbs tells its own names beside them.

`

// render makes the page of the answers of both devices.
func render(shm, rxe string) string {
	lines := func(s string) [][]string {
		var out [][]string
		for _, l := range strings.Split(strings.TrimSpace(s), "\n") {
			out = append(out, strings.Split(l, "|"))
		}
		return out
	}
	ours, theirs := lines(shm), lines(rxe)
	out := preface + "## All transports\n\n" + row("verb", "embedded", "soft RoCE") + row("---", "---", "---")
	for i, v := range ours {
		if i == len(general) {
			out += "\n## By transport\n\n" + row("verb", "device", "RC", "UC", "UD", "XRC") + row(strings.Split(strings.Repeat("--- ", 6), " ")[:6]...)
		}
		other := []string{v[0], "not tried", "not tried", "not tried", "not tried"}[:len(v)]
		if i < len(theirs) && theirs[i][0] == v[0] {
			other = theirs[i]
		}
		if i < len(general) {
			out += row(v[0], v[1], other[1])
			continue
		}
		out += row(append([]string{v[0], "embedded"}, v[1:]...)...) + row(append([]string{"", "soft RoCE"}, other[1:]...)...)
	}
	return out
}

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
