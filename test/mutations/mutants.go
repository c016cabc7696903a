package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// mutant is one fault: a part of a file with its replacement.
type mutant struct {
	path       string // of the file, relative to the root
	line       int
	function   string // "(*qp).PostSend"
	kind       string // one of kinds
	begin, end int    // of the replaced part, in bytes
	old, new   string
}

// String returns the mutant's line of output without the verdict.
func (m mutant) String() string {
	return fmt.Sprintf("%s:%d: %s: %s %s", m.path, m.line, m.function, m.kind, brief(m.old))
}

// brief returns a text as one short line.
func brief(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 40 {
		s = s[:37] + "..."
	}
	return s
}

// apply returns the file with the fault.
func (m mutant) apply(source []byte) []byte {
	return []byte(string(source[:m.begin]) + m.new + string(source[m.end:]))
}

// kinds has the kinds of faults, by the names that marks use.
var kinds = []string{
	"negate", // the condition of an if
	"drop",   // a statement that calls
	"keep",   // an assignment, ++ or --: the old value is kept
	"swap",   // an operator for another one, see swapped
}

// swapped maps a binary operator to its replacement. Conditions with == and != are negated instead.
var swapped = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.AND: token.OR, token.OR: token.AND, token.SHL: token.SHR, token.SHR: token.SHL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
}

// mutantsOf returns all mutants of the packages that are not marked as equal.
func mutantsOf(packages string) ([]mutant, error) {
	paths, err := sources(packages)
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		m, err := mutantsIn(path, source)
		if err != nil {
			return nil, err
		}
		all = append(all, m...)
	}
	return all, nil
}

// sources returns the files of packages that this machine compiles, without tests,
// relative to the current directory.
func sources(packages string) ([]string, error) {
	out, err := exec.Command("go", "list", "-f", `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}
{{end}}`, packages).Output()
	if err != nil {
		return nil, err
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	paths := strings.Fields(string(out))
	for i := range paths {
		if paths[i], err = filepath.Rel(root, paths[i]); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// mutantsIn returns the mutants of a file that are not marked.
func mutantsIn(path string, source []byte) ([]mutant, error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, path, source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	f := &finder{files: files, path: filepath.ToSlash(path), source: source}
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			f.function = f.nameOf(fn)
			ast.Inspect(fn.Body, f.visit)
		}
	}
	marks, err := marksOf(files, tree)
	if err != nil {
		return nil, err
	}
	return withoutMarked(f.found, marks)
}

// finder collects the mutants of a file.
type finder struct {
	files    *token.FileSet
	path     string
	source   []byte
	function string
	found    []mutant
}

func (f *finder) nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	return "(" + f.text(fn.Recv.List[0].Type) + ")." + fn.Name.Name
}

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.files.Position(n.Pos()).Offset:f.files.Position(n.End()).Offset])
}

// visit makes the mutants of a node and reports whether its children are visited, which is always so.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		f.replace("negate", n.Cond, "!("+f.text(n.Cond)+")")
	case *ast.BinaryExpr:
		f.swap(n)
	case *ast.BlockStmt:
		f.leaveOut(n.List)
	case *ast.CaseClause:
		f.leaveOut(n.Body)
	case *ast.CommClause:
		f.leaveOut(n.Body)
	}
	return true
}

// leaveOut makes mutants without one of the statements. The statement is still compiled, so that its
// variables and imports count as used.
func (f *finder) leaveOut(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			f.replace("drop", s, "if false { "+f.text(s)+" }")
		case *ast.IncDecStmt:
			f.replace("keep", s, "if false { "+f.text(s)+" }")
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				f.replace("keep", s, "if false { "+f.text(s)+" }")
			}
		}
	}
}

func (f *finder) swap(e *ast.BinaryExpr) {
	if op, ok := swapped[e.Op]; ok {
		f.replace("swap", e, "(("+f.text(e.X)+") "+op.String()+" ("+f.text(e.Y)+"))")
	}
}

func (f *finder) replace(kind string, n ast.Node, new string) {
	begin := f.files.Position(n.Pos())
	f.found = append(f.found, mutant{path: f.path, line: begin.Line, function: f.function, kind: kind,
		begin: begin.Offset, end: f.files.Position(n.End()).Offset, old: f.text(n), new: new})
}
