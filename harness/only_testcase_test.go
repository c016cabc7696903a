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
	"github.com/ibperf/ibperf/result"
)

// Only the resolving of a test depends on operation, mode and kind; all other code depends on the
// resolved test case.
func TestOnlyTestCasesDependOnOperationModeAndKind(t *testing.T) {
	asks := []string{
		"option.OpWrite", "option.OpSend", "option.OpRead", "option.OpAtomic", "option.ModeAuto", "option.ModeData", "option.ModePoll", "option.ModeAdaptive", "option.ModeEvent",
		"KindLatency", "KindBandwidth", "VariantRelaxed", "VariantLook", "VariantFlag", "VariantControl", "VariantSameCPU", "option.VariantRelaxed", "option.VariantLook", "option.VariantFlag", "option.VariantControl",
	}
	var files []string
	for _, folder := range []string{"", "internal/loop/", "internal/setup/"} {
		some, err := filepath.Glob(folder + "*.go")
		if err != nil || len(some) == 0 {
			t.Fatal(folder, err)
		}
		files = append(files, some...)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && slices.Contains(asks, id.Name) && !isVerb(f, id) {
				t.Errorf("%s: %s belongs into package testcase", fset.Position(id.Pos()), id.Name)
			}
			return true
		})
	}
}

// isVerb reports whether a name is one of package verbs, such as verbs.OpSend.
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

// In the look variant, where the receiver polls the CQ as well as memory, receives are reposted and
// the test does not stall.
func TestStreamsRunInTheLookVariant(t *testing.T) {
	if !promised {
		t.Skip("mode data is not promised")
	}
	for _, op := range []option.Op{option.OpWrite, option.OpSend} {
		p := testPlan(op, option.KindBandwidth, 65536, 0)
		p.Compare, p.Completion, p.Also, p.Rounds = true, option.ModeAuto, []option.Variant{option.VariantLook}, 3
		p.Iterations = 0 // a comparison is limited by time, by default
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if errs[0] != nil || errs[1] != nil {
			t.Fatalf("%s: %v; %v", op, errs[0], errs[1])
		}
		if !slices.ContainsFunc(files[0].Rows, func(r result.Row) bool { return r.Variant == option.VariantLook && r.Bandwidth.Average > 0 }) {
			t.Errorf("%s: no row that looks", op)
		}
	}
}
