package option

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
)

// Docs/PERFTEST.md is what the table says; go test -update renews it.
func TestPerftestPage(t *testing.T) {
	page := PerftestPage()
	golden.Check(t, "../../docs/PERFTEST.md", []byte(page))
	rows := 0
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "| `") {
			rows++
		}
	}
	if want := len(Table()) + len(Absents); rows != want {
		t.Errorf("the page has %d options, the table %d", rows, want)
	}
}

// Each name of perftest's getopt table (6.29, in testdata/perftest.txt) is the table's or is
// absent, and no other is said to be perftest's.
func TestEveryOptionOfPerftestIsAccountedFor(t *testing.T) {
	data, err := os.ReadFile("testdata/perftest.txt")
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, a := range Absents {
		said = append(said, a.Name)
	}
	for _, o := range Table() {
		if o.Perftest != "" {
			said = append(said, o.Name)
		}
	}
	theirs := strings.Fields(string(data))
	for _, name := range theirs {
		if !slices.Contains(said, name) {
			t.Errorf("--%s of perftest is not accounted for", name)
		}
	}
	for _, name := range said {
		if !slices.Contains(theirs, name) {
			t.Errorf("--%s is said to be perftest's", name)
		}
	}
}

func TestManPages(t *testing.T) {
	for _, test := range Tests() {
		checkManPage(t, test.Program(), ManPage(test, "1.2.3"), func(o *Option) bool { return o.Takes(test) })
	}
	checkManPage(t, CompareProgram, CompareManPage("1.2.3"), (*Option).InCompare)
	checkManPage(t, ConformProgram, ConformManPage("1.2.3"), (*Option).InConform)
}

// checkManPage holds a program's page against the options that it has.
func checkManPage(t *testing.T, program, page string, has func(*Option) bool) {
	t.Helper()
	for _, o := range Table() {
		is := strings.Contains(page, `\-\-`+strings.ReplaceAll(o.Name, "-", `\-`)) && strings.Contains(page, roff(o.Help))
		if is != has(o) {
			t.Errorf("%s: --%s is on the page: %v", program, o.Name, is)
		}
	}
	if !strings.Contains(page, ".SH ENVIRONMENT\n.TP\n.B "+DeviceVariable+"\n") {
		t.Errorf("%s: %s is not on the page", program, DeviceVariable)
	}
	for line := range strings.Lines(page) {
		if request, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(line, ".") && !known[request] {
			t.Errorf("%s: line %q is a request that man(7) does not have", program, line)
		}
	}
}

var known = map[string]bool{".TH": true, ".SH": true, ".B": true, ".BR": true, ".I": true, ".br": true, ".TP": true, ".nf": true, ".fi": true}
