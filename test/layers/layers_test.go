// Package layers holds that packages import only what is below them.
package layers

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/ibperf/ibperf/"

// layers are the folders of the tree from top to bottom, as docs/ARCHITECTURE.md lists
// them. A package is in the layer of the longest folder that it lies in. It may import
// its own layer and those below.
var layers = [][]string{
	{"test"},
	{"cmd"},
	{"internal/cli"},
	{"harness"},
	{"oob"},
	{"reports/plots"},
	{"reports"},
	{"internal/caps", "internal/message", "internal/stats"},
	{"reports/result"},
	{"verbs/ibv", "verbs/shm", "verbs/verbstest"},
	{"verbs"},
	{"internal"},
}

// layerOf returns the number of a package's layer, -1 if it has none.
func layerOf(pkg string) int {
	found, longest := -1, ""
	for i, folders := range layers {
		for _, f := range folders {
			if (pkg == f || strings.HasPrefix(pkg, f+"/")) && len(f) > len(longest) {
				found, longest = i, f
			}
		}
	}
	return found
}

// upward returns why pkg may not import another of this module, empty if it may.
func upward(pkg, imported string) string {
	from, to := layerOf(pkg), layerOf(imported)
	switch {
	case from < 0:
		return "is in no layer"
	case to < from:
		return "imports what is above it: " + imported
	}
	return ""
}

// list runs go list on packages of this module and returns its lines, without the
// module's name.
func list(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(string(out), module, "@")), "\n")
}

func TestArrowsPointDown(t *testing.T) {
	packages := 0
	for _, line := range list(t, "-f", "{{.ImportPath}} {{join .Imports \" \"}}", module+"...") {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], "@")
		packages++
		for _, w := range words {
			imported, own := strings.CutPrefix(w, "@")
			if !own {
				continue
			}
			if why := upward(pkg, imported); why != "" {
				t.Errorf("%s %s", pkg, why)
			}
		}
	}
	if packages < 20 {
		t.Errorf("only %d packages were looked at", packages)
	}
}

// The engine fills a result; what is made of it is not its business, not even through
// another package.
func TestHarnessKnowsOfResultsAlone(t *testing.T) {
	for _, pkg := range list(t, "-deps", module+"harness") {
		if strings.HasPrefix(pkg, "@reports") && pkg != "@reports/result" {
			t.Errorf("harness depends on %s", strings.TrimPrefix(pkg, "@"))
		}
	}
}

func TestUpwardImportsAreFound(t *testing.T) {
	for _, pair := range [][2]string{
		{"harness", "internal/cli"}, {"reports", "harness"}, {"reports/result", "reports/table"}, {"reports", "reports/plots"},
		{"verbs", "verbs/shm"}, {"verbs/shm", "reports/result"}, {"internal/clock", "verbs"}, {"cmd/ib_caps", "test/layers"}, {"elsewhere", "verbs"},
	} {
		if upward(pair[0], pair[1]) == "" {
			t.Errorf("%s may import %s", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{
		{"cmd/ib_caps", "internal/cli"}, {"harness", "oob"}, {"harness", "internal/stats"}, {"internal/stats", "reports/result"},
		{"reports", "reports/page"}, {"reports/result", "internal/atomicfile"}, {"test/e2e", "test/sidebyside"},
	} {
		if why := upward(pair[0], pair[1]); why != "" {
			t.Errorf("%s %s", pair[0], why)
		}
	}
}
