// Package layers holds that packages import only what is below them.
package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
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
	{"internal/cli", "internal/manpages"},
	{"harness", "internal/compare", "internal/conform"},
	{"oob"},
	{"reports/plots"},
	{"reports"},
	{"internal/caps", "internal/message", "internal/stats"},
	{"reports/result"},
	{"option"},
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

// imports returns what each package of the tree imports of the others, tests apart.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		pkg, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		all[pkg] = append(all[pkg], ownImports(file)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func ownImports(file *ast.File) (own []string) {
	for _, spec := range file.Imports {
		if pkg, found := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module); found {
			own = append(own, pkg)
		}
	}
	return own
}

func TestArrowsPointDown(t *testing.T) {
	all := imports(t)
	for pkg, imported := range all {
		for _, p := range append(imported, pkg) {
			if why := upward(pkg, p); why != "" {
				t.Errorf("%s %s", pkg, why)
			}
		}
	}
	if len(all) < 20 {
		t.Errorf("only %d packages were looked at", len(all))
	}
}

// The engine fills a result; what is made of it is not its business, not even through
// another package.
func TestHarnessKnowsOfResultsAlone(t *testing.T) {
	all := imports(t)
	below := []string{"harness"}
	for i := 0; i < len(below); i++ {
		for _, pkg := range all[below[i]] {
			if !slices.Contains(below, pkg) {
				below = append(below, pkg)
			}
		}
	}
	for _, pkg := range below {
		if strings.HasPrefix(pkg, "reports") && pkg != "reports/result" {
			t.Errorf("harness depends on %s", pkg)
		}
	}
	if !slices.Contains(below, "reports/result") {
		t.Error("harness does not depend on results: nothing was looked at")
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
