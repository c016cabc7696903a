package reports

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/text"
	"github.com/ibperf/ibperf/result"
)

// briefText returns the tables of files with the modes side by side.
func briefText(t *testing.T, files ...*result.File) string {
	return textOf(t, text.Brief, files)
}

// fullText returns all tables of files.
func fullText(t *testing.T, files ...*result.File) string {
	return textOf(t, text.Full, files)
}

func textOf(t *testing.T, depth text.Depth, files []*result.File) string {
	t.Helper()
	var b strings.Builder
	if err := text.Write(&b, files, text.Style{}, depth); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pageOf returns the page about files, without figures.
func pageOf(t *testing.T, files ...*result.File) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.html")
	if err := page.Write(path, files, nil); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func holds(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
