package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

const source = `package p

func (q *queue) post(n int) {
	for i := 0; i < n; i++ {
		q.count += 2
	}
	if n == 3 && q.full {
		q.flush(n)
	}
	select {
	case <-q.stop:
		q.end()
	}
	go func() { done = true }()
}
`

func found(t *testing.T, source string) []mutant {
	t.Helper()
	all, err := mutantsIn("p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestKindsOfMutants(t *testing.T) {
	var got []string
	for _, m := range found(t, source) {
		got = append(got, fmt.Sprintf("%s: %s -> %s", m, m.old, m.new))
	}
	slices.Sort(got)
	want := []string{
		"p.go:12: (*queue).post: drop q.end(): q.end() -> if false { q.end() }",
		"p.go:14: (*queue).post: keep done = true: done = true -> if false { done = true }",
		"p.go:4: (*queue).post: swap i < n: i < n -> ((i) <= (n))",
		"p.go:5: (*queue).post: keep q.count += 2: q.count += 2 -> if false { q.count += 2 }",
		"p.go:7: (*queue).post: negate n == 3 && q.full: n == 3 && q.full -> !(n == 3 && q.full)",
		"p.go:7: (*queue).post: swap n == 3 && q.full: n == 3 && q.full -> ((n == 3) || (q.full))",
		"p.go:8: (*queue).post: drop q.flush(n): q.flush(n) -> if false { q.flush(n) }",
	}
	if !slices.Equal(got, want) {
		t.Errorf("mutants:\n%s\nnot:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestMutantsParse: each is a program, on the same lines.
func TestMutantsParse(t *testing.T) {
	for _, m := range found(t, source) {
		changed := string(m.apply([]byte(source)))
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", changed, 0); err != nil {
			t.Errorf("%s: %v", m, err)
		}
		if changed == source || strings.Count(changed, "\n") != strings.Count(source, "\n") {
			t.Errorf("%s changes nothing, or the number of lines", m)
		}
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		left           int // mutants
		problem        string
	}{
		{"a kind on a line", "full {", "full { //mutation:equal negate only speed", 6, ""},
		{"two kinds on a line", "full {", "full { //mutation:equal negate,swap only speed", 5, ""},
		{"a function", "func", "// Posts.\n//\n//mutation:equal keep,drop only speed\nfunc", 3, ""},
		{"a kind that is not there", "full {", "full { //mutation:equal drop only speed", 0, "p.go:7:24: no mutant of this kind"},
		{"an unknown kind", "full {", "full { //mutation:equal all only speed", 0, "with kinds of negate, drop"},
		{"no reason", "full {", "full { //mutation:equal negate", 0, "REASON"},
	} {
		all, err := mutantsIn("p.go", []byte(strings.Replace(source, c.old, c.new, 1)))
		if len(all) != c.left || (err != nil) != (c.problem != "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %d mutants, error %v", c.name, len(all), err)
		}
	}
}

// TestSample: a seed determines the order, which has each mutant once and begins with
// one of each function.
func TestSample(t *testing.T) {
	all := append(found(t, source), found(t, strings.ReplaceAll(source, "post", "recv"))...)
	one, again, other := sample(all, 1), sample(all, 1), sample(all, 2)
	if !slices.Equal(one, again) || slices.Equal(one, other) {
		t.Error("the order is not that of the seed")
	}
	seen := map[mutant]bool{}
	for _, m := range one {
		seen[m] = true
	}
	if len(seen) != len(all) || one[0].function == one[1].function {
		t.Errorf("%d of %d mutants, %s and %s first", len(seen), len(all), one[0], one[1])
	}
}
