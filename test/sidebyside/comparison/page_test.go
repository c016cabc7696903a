package comparison

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPageHoldsFigureAndDefinitions(t *testing.T) {
	page := drawnPage(t, syntheticComparison(5))
	for _, want := range []string{"ibperf side by side with perftest", "the clocks differ", "what the other counts", "0.95x",
		"the CPU is emulated", "iters 1000", "<th>subject</th><th>reference</th>", "<td>ibperf, rxe0</td><td>ucx_perftest put_bw</td>", "sidebyside -o x.json"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if got := strings.Count(page, "<svg"); got != 1 {
		t.Errorf("%d figures, want 1", got)
	}
	if page := drawnPage(t, hostileComparison(`<script>alert(1)</script>"'>&`)); strings.Contains(page, "<script") {
		t.Error("a string of the file became markup")
	}
}

func drawnPage(t *testing.T, c *Comparison) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := (Set{c}).Draw(dir); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
