package option

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
)

// OPTIONS.md has every option of the table once, under its group; go test -update renews it.
func TestOptionsPage(t *testing.T) {
	page := OptionsPage()
	golden.Check(t, "../../docs/OPTIONS.md", []byte(page))
	for _, o := range Table() {
		head := "| " + strings.TrimSuffix(written(o.Name, o.Letter), "`")
		if n := strings.Count(page, head+"`") + strings.Count(page, head+" "+o.Argument+"`"); n != 1 {
			t.Errorf("--%s is on the page %d times", o.Name, n)
		}
		if !slices.Contains(groups, o.Group) {
			t.Errorf("--%s has the group %q, which is not in the list", o.Name, o.Group)
		}
	}
}

// PERFTEST.md follows the table; go test -update renews it.
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

// Each name of perftest's getopt table (6.29, in testdata/perftest.txt) is in the table or in Absents, and
// no other option is marked as perftest's.
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
