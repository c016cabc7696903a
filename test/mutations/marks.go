package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// marker begins a comment that marks mutants as impossible to find.
const marker = "//mutation:equal"

// mark is a comment that begins with marker.
type mark struct {
	at          token.Position
	first, last int // lines of its mutants
	kinds       []string
}

func (k mark) covers(m mutant) bool {
	return k.first <= m.line && m.line <= k.last && slices.Contains(k.kinds, m.kind)
}

// marksOf returns the marks of a file.
func marksOf(files *token.FileSet, tree *ast.File) ([]mark, error) {
	var marks []mark
	for _, group := range tree.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(c.Text, marker)
			if !ok {
				continue
			}
			at := files.Position(c.Pos())
			which, reason, _ := strings.Cut(strings.TrimSpace(text), " ")
			k := mark{at: at, first: at.Line, last: at.Line, kinds: strings.Split(which, ",")}
			for _, name := range k.kinds {
				if !slices.Contains(kinds, name) || reason == "" {
					return nil, fmt.Errorf("%s: %s KIND[,KIND...] REASON, with kinds of %s", at, marker, strings.Join(kinds, ", "))
				}
			}
			if fn := documented(tree, group); fn != nil {
				k.last = files.Position(fn.End()).Line
			}
			marks = append(marks, k)
		}
	}
	return marks, nil
}

// documented returns the function whose comment it is, or nil.
func documented(tree *ast.File, comment *ast.CommentGroup) *ast.FuncDecl {
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc == comment {
			return fn
		}
	}
	return nil
}

// withoutMarked returns the mutants without the marked ones. A mark without a mutant is an error.
func withoutMarked(all []mutant, marks []mark) ([]mutant, error) {
	used := make([]bool, len(marks))
	left := slices.DeleteFunc(all, func(m mutant) bool {
		i := slices.IndexFunc(marks, func(k mark) bool { return k.covers(m) })
		if i >= 0 {
			used[i] = true
		}
		return i >= 0
	})
	if i := slices.Index(used, false); i >= 0 {
		return nil, fmt.Errorf("%s: no mutant of this kind is here: remove the mark", marks[i].at)
	}
	return left, nil
}
