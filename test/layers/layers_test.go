// Package layers checks that each package imports only what the table allows.
package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/ibperf/ibperf/"

// index returns the number of a package in the table, -1 if it is not there.
func index(pkg string) int {
	return slices.IndexFunc(table, func(r rule) bool { return r.pkg == pkg })
}

// forbidden returns the reason why pkg may not import another of this module, empty if it may.
func forbidden(pkg, imported string) string {
	i := index(pkg)
	switch {
	case i < 0:
		return "is not in the table"
	case !slices.Contains(table[i].imports, imported):
		return "imports " + imported + ", which the table does not allow"
	}
	return ""
}

// root is the folder of the product's module.
var root = filepath.Join("..", "..")

// imports returns the imports of each package of the product within both modules. Tests says
// whether they are those of its tests or those of all other files.
func imports(t *testing.T, tests bool) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata" || path == filepath.Join(root, "test")):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") != tests:
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

func TestImportsAreInTheTable(t *testing.T) {
	all := imports(t, false)
	for pkg, imported := range all {
		if index(pkg) < 0 {
			t.Errorf("%s is not in the table", pkg)
			continue
		}
		for _, p := range imported {
			if why := forbidden(pkg, p); why != "" {
				t.Errorf("%s %s", pkg, why)
			}
		}
	}
	for _, r := range table {
		if _, found := all[r.pkg]; !found {
			t.Errorf("the table has %s, and the tree does not", r.pkg)
		}
	}
}

// Tests of the product may import any package of the product, and none of test/.
func TestProductDoesNotImportTestTools(t *testing.T) {
	all := imports(t, true)
	if len(all) < 20 {
		t.Errorf("only %d packages with tests were found", len(all))
	}
	for pkg, imported := range all {
		for _, p := range imported {
			if strings.HasPrefix(p, "test/") {
				t.Errorf("a test of %s imports %s", pkg, p)
			}
		}
	}
}

// What only tests and checks need is required by test/go.mod.
func TestRequirementsOfTheProduct(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, m := range requirement.FindAllStringSubmatch(string(data), -1) {
		direct = append(direct, m[1])
	}
	if !slices.Equal(direct, requirements) {
		t.Errorf("go.mod requires %q, want %q", direct, requirements)
	}
}

// requirement matches a line of go.mod without the comment "indirect".
var requirement = regexp.MustCompile(`(?m)^\t(\S+) v\S+$`)

func TestTableIsOrderedFromTopToBottom(t *testing.T) {
	for i, r := range table {
		if index(r.pkg) != i {
			t.Errorf("%s is in the table twice", r.pkg)
		}
		for _, p := range r.imports {
			if index(p) <= i {
				t.Errorf("the table allows %s to import %s, which is not below it", r.pkg, p)
			}
		}
	}
}

// The engine fills results and depends on no report, not even through another package.
func TestHarnessDependsOnNoReport(t *testing.T) {
	all := imports(t, false)
	below := []string{"harness"}
	for i := 0; i < len(below); i++ {
		for _, pkg := range all[below[i]] {
			if !slices.Contains(below, pkg) {
				below = append(below, pkg)
			}
		}
	}
	for _, pkg := range below {
		if strings.HasPrefix(pkg, "reports") {
			t.Errorf("harness depends on %s", pkg)
		}
	}
	if !slices.Contains(below, "result") {
		t.Error("harness does not depend on results: the walk found nothing")
	}
}

func TestForbiddenImportsAreFound(t *testing.T) {
	for _, pair := range [][2]string{
		{"harness", "cmd/internal/cli"}, {"reports", "harness"}, {"result", "reports/table"}, {"reports", "reports/plots"},
		{"reports/rows", "reports/verdict"}, {"reports/verdict", "reports/text"}, {"reports/text", "reports/page"}, {"reports/tables", "reports/verdict"},
		{"reports/chart", "reports/rows"}, {"reports/chart", "reports/page"}, {"reports/phrase", "result"},
		{"verbs", "verbs/shm"}, {"verbs/shm", "result"}, {"harness/internal/clock", "verbs"}, {"harness/internal/affinity", "oob"}, {"cmd/ib_caps", "test/layers"}, {"elsewhere", "verbs"},
		{"internal/units", "internal/atomicfile"}, {"internal/sched", "result"}, {"oob", "reports"}, {"cmd/ib_caps", "harness"},
	} {
		if forbidden(pair[0], pair[1]) == "" {
			t.Errorf("%s may import %s", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{
		{"cmd/ib_caps", "cmd/internal/cli"}, {"harness", "oob"}, {"harness", "harness/internal/stats"}, {"harness/internal/stats", "result"},
		{"reports", "reports/text"}, {"reports/page", "reports/verdict"}, {"result", "internal/atomicfile"},
	} {
		if why := forbidden(pair[0], pair[1]); why != "" {
			t.Errorf("%s %s", pair[0], why)
		}
	}
}
