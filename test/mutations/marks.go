package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// marker begins the comment that says of mutants that no test can notice them.
const marker = "//mutation:equal"

// mark is such a comment.
type mark struct {
	at          token.Position
	first, last int // lines that it is about
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

// documented returns the function that the comment stands before, or nil.
func documented(tree *ast.File, comment *ast.CommentGroup) *ast.FuncDecl {
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc == comment {
			return fn
		}
	}
	return nil
}

// withoutMarked leaves marked mutants out. A mark that none is left out by is an error.
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
		return nil, fmt.Errorf("%s: nothing here can be changed so: remove the mark", marks[i].at)
	}
	return left, nil
}
