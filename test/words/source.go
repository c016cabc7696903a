package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// names are retired parts of identifiers.
var names = []string{
	"told", "heard", "lane", "lanes", "rig", "crowd", "tidy", "settle", "lean", "tally", "glance", "voice", "lent",
	"lend", "borrow", "way", "ways", "seat", "seats", "strict", "rigs", "tallies", "gate", "gates", "scheme", "schemes",
	"lap", "laps", "rush", "heed", "starve", "laid", "lay",
}

// shape matches a comment that begins with "x is how" or the like.
var shape = regexp.MustCompile(`^\w+(\.\w+)? (is|are) (how|what|who|where|when|whether)\b`)

// source returns a line for each retired name and each comment of the wrong shape in a Go file.
func source(path string, data []byte) (found []string, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, data, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	report := func(at token.Pos, format string, args ...any) {
		found = append(found, fmt.Sprintf("%s:%d: %s", path, fset.Position(at).Line, fmt.Sprintf(format, args...)))
	}
	for _, group := range file.Comments {
		if hit := shape.FindString(group.Text()); hit != "" {
			report(group.Pos(), "%q: a type is a ..., a function returns ...", hit)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if predicate(n) && n.Doc != nil && !strings.Contains(firstSentence(n.Doc.Text()), "reports whether") {
				report(n.Pos(), "%s: a predicate reports whether", n.Name.Name)
			}
		case *ast.Ident:
			if n.Obj != nil && n.Obj.Pos() != n.Pos() {
				return true // its declaration is reported
			}
			for _, part := range parts(n.Name) {
				if slices.Contains(names, part) {
					report(n.Pos(), "%s: the name %q is retired", n.Name, part)
				}
			}
		}
		return true
	})
	return found, nil
}

// predicate reports whether a function's one result is a bool.
func predicate(f *ast.FuncDecl) bool {
	r := f.Type.Results
	if r == nil || len(r.List) != 1 || len(r.List[0].Names) > 0 {
		return false
	}
	id, ok := r.List[0].Type.(*ast.Ident)
	return ok && id.Name == "bool"
}

func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i]
	}
	return text
}

var camel = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

// parts returns the words of an identifier, in lower case.
func parts(name string) (all []string) {
	for _, p := range camel.FindAllString(name, -1) {
		all = append(all, strings.ToLower(p))
	}
	return all
}
