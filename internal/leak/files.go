package leak

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const temporaryPrefix = "ibperf-tests-"

// temporaryFolder makes an empty folder and names it in TMPDIR, for the temporary files of the tests and of the processes that
// they start. It makes none, and returns no name, in such a process.
func temporaryFolder() (string, error) {
	if strings.HasPrefix(filepath.Base(os.TempDir()), temporaryPrefix) {
		return "", nil
	}
	dir, err := os.MkdirTemp("", temporaryPrefix)
	if err != nil {
		return "", err
	}
	return dir, os.Setenv("TMPDIR", dir)
}

// reportFiles prints the names of what is in a folder, if there is one, and reports whether there is something.
func reportFiles(w io.Writer, folder string) bool {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		fmt.Fprintf(w, "the tests have left %q in the folder for temporary files\n", e.Name())
	}
	return len(entries) > 0
}
