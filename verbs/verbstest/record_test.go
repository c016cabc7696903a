package verbstest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRecord runs on a record what statements do with a test.
func TestRecord(t *testing.T) {
	for name, c := range map[string]struct {
		run             func(e *env)
		failed, skipped bool
		said            []string
	}{
		"passes":              {func(e *env) { e.Log("a", 1) }, false, false, []string{"a 1"}},
		"goes on after Error": {func(e *env) { e.Error("a"); e.Errorf("b%d", 2) }, true, false, []string{"a", "b2"}},
		"ends with Fatal":     {func(e *env) { e.Fatal("a"); panic("not reached") }, true, false, []string{"a"}},
		"is skipped":          {func(e *env) { e.Skipf("no %s", "XRC"); panic("not reached") }, false, true, nil},
		"a case fails": {func(e *env) {
			e.sub("one", func(e *env) { e.Fatal("a") })
			e.sub("two", func(e *env) { e.Skip("b") })
			e.Log("c")
		}, true, false, []string{"one: a", "c"}},
		"cleanups in turn, though one fails": {func(e *env) {
			e.Cleanup(func() { e.Log("last") })
			e.Cleanup(func() { e.Fatal("first") })
		}, true, false, []string{"first", "last"}},
	} {
		r := &record{}
		r.begin(func(r *record) { c.run(newEnv(testOf(r), Target{}, statement{id: "X-1"})) })
		if r.failed != c.failed || r.skipped != c.skipped || !slices.Equal(withoutPlaces(r.lines), c.said) {
			t.Errorf("%s: failed %v, skipped %v, %q", name, r.failed, r.skipped, r.lines)
		}
	}
}

// withoutPlaces takes the places in the source out of lines, which are in this file all.
func withoutPlaces(lines []string) (texts []string) {
	for _, line := range lines {
		before, rest, _ := strings.Cut(line, "record_test.go:")
		_, text, ok := strings.Cut(rest, ": ")
		if !ok {
			return lines
		}
		texts = append(texts, before+text)
	}
	return texts
}

func TestRecordKeepsReasonAndFolder(t *testing.T) {
	r, dir := &record{}, ""
	r.begin(func(r *record) {
		dir = r.TempDir()
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
		r.Skip("no", "XRC")
	})
	if r.reason != "no XRC" {
		t.Errorf("skipped for %q", r.reason)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s is left", dir)
	}
}
