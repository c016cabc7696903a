package harness

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// Operation, mode and kind are asked for where a test is resolved; all else asks the
// scheme.
func TestOnlyTheSchemeAsksForOperationModeAndKind(t *testing.T) {
	allowed := []string{"scheme.go"}
	asks := []string{
		"option.OpWrite", "option.OpSend", "option.OpRead", "option.OpAtomic", "option.ModeAuto", "option.ModeData", "option.ModePoll", "option.ModeEvent",
		"KindLatency", "KindBandwidth", "VariantRelaxed", "VariantLook", "VariantControl", "option.AlsoRelaxed", "option.AlsoLook", "option.AlsoControl",
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || slices.Contains(allowed, file) {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && slices.Contains(asks, id.Name) && !isVerb(f, id) {
				t.Errorf("%s: %s belongs into scheme.go", fset.Position(id.Pos()), id.Name)
			}
			return true
		})
	}
}

// isVerb tells names of package verbs, such as verbs.OpSend, from those of a test.
func isVerb(f *ast.File, id *ast.Ident) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel == id {
			x, ok := sel.X.(*ast.Ident)
			found = ok && x.Name == "verbs"
		}
		return !found
	})
	return found
}

// A receiver that looks at the CQ as well as at memory posts receives again, too.
func TestLooksAtTheCQDoNotStopAStream(t *testing.T) {
	if !promised {
		t.Skip("mode data is not promised")
	}
	for _, op := range []option.Op{option.OpWrite, option.OpSend} {
		p := testPlan(op, option.KindBandwidth, 65536, 0)
		p.Compare, p.Completion, p.Also, p.Rounds = true, option.ModeAuto, []string{option.AlsoLook}, 3
		p.Iterations = 0 // a comparison lasts for a time by default
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if errs[0] != nil || errs[1] != nil {
			t.Fatalf("%s: %v; %v", op, errs[0], errs[1])
		}
		if !slices.ContainsFunc(files[0].Rows, func(r result.Row) bool { return r.Variant == option.AlsoLook && r.Bandwidth.Average > 0 }) {
			t.Errorf("%s: no row that looks", op)
		}
	}
}
