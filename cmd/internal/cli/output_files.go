package cli

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/atomicfile"
)

// checkWritable returns an error if a file cannot be written, as can be known before the run.
func checkWritable(path string) error {
	if err := atomicfile.Check(path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// numbered puts a client's number before the extension of a file name.
func numbered(path string, n int) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "." + strconv.Itoa(n) + ext
}
