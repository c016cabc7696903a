package layers

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLongTestsExist fails for a name in long.txt that no test of its folder has.
func TestLongTestsExist(t *testing.T) {
	list, err := os.Open("../long.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	for lines := bufio.NewScanner(list); lines.Scan(); {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		folder, name, _ := strings.Cut(line, " ")
		if !declares(t, filepath.Join(root, folder), name) {
			t.Errorf("%s has no test %q", folder, name)
		}
	}
}

// declares reports whether a test file of a folder declares the test.
func declares(t *testing.T, folder, name string) bool {
	t.Helper()
	declaration := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(`)
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if declaration.Match(text) {
			return true
		}
	}
	return false
}
