package shm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocListsEveryFile covers that the package documentation lists each source file.
func TestDocListsEveryFile(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	check(t, err)
	listed := map[string]bool{"doc.go": true}
	for _, word := range strings.FieldsFunc(string(doc), func(r rune) bool { return strings.ContainsRune(" \t\n,:;()", r) }) {
		listed[word] = true
	}
	files, err := filepath.Glob("*.go")
	check(t, err)
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") && !listed[name] {
			t.Errorf("doc.go does not list %s", name)
		}
		delete(listed, name)
	}
	for name := range listed {
		if strings.HasSuffix(name, ".go") && !strings.Contains(name, "/") {
			t.Errorf("doc.go lists %s, which does not exist", name)
		}
	}
}
