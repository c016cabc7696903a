package faults

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sites are the files of the product that write or change files themselves, not through internal/atomicfile, and
// where that has points.
var sites = map[string]string{
	"internal/atomicfile/atomicfile.go":       "every shape",
	"internal/atomicfile/pipe.go":             "named pipes: test/attack",
	"internal/outfolder/outfolder.go":         "ib_verify",
	"cmd/internal/verify/journal.go":          "ib_verify",
	"cmd/internal/cli/server_ready_file.go":   "every shape",
	"cmd/internal/compare/results.go":         "ib_compare, which has no shape",
	"cmd/internal/compare/replace.go":         "ib_compare, which has no shape",
	"reports/chart/save.go":                   "ib_compare, which has no shape",
	"cmd/internal/cluster/results/journal.go": "ib_cluster, which has no shape",
	"cmd/internal/machine/idle_latency.go":    "a device file, which is not written in a run",
	"cmd/internal/manpages/main.go":           "not a program for users",
	"internal/golden/golden.go":               "for tests",
	"internal/leak/files.go":                  "for tests",
	"internal/leak/leak.go":                   "for tests",
	"internal/leak/sites.go":                  "for tests",
	"internal/leak/snapshot.go":               "for tests",
	"internal/testsysfs/testsysfs.go":         "for tests",
	"verbs/verbstest/record.go":               "temporary files of statements",
	"verbs/verbstest/xrc.go":                  "temporary files of statements",
}

// TestEveryFileWriteHasAPoint fails if another file of the product begins to write files.
func TestEveryFileWriteHasAPoint(t *testing.T) {
	writes := regexp.MustCompile(`\bos\.(WriteFile|Create|OpenFile|CreateTemp|Mkdir|MkdirAll|MkdirTemp|Rename|Remove|RemoveAll|Symlink|Link|Truncate)\(|\.Sync\(\)`)
	found := map[string]bool{}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == "test" || path == "packaging" || path == "out":
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(filepath.Join("../..", path))
		if writes.Match(text) {
			found[path] = true
			if sites[path] == "" {
				t.Errorf("%s writes files, and sites does not say in which run", path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range sites {
		if !found[path] {
			t.Errorf("%s does not write files: remove it from sites", path)
		}
	}
}
