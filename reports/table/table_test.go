package table

import (
	"strings"
	"testing"
)

func example() *Table {
	t := &Table{Title: "Rates", Keys: 1, Columns: []Column{
		{Name: "size", Unit: "B"}, {Name: "data", Unit: "MiB/s"}, {Name: "ratio", Left: true, With: true},
		{Name: "poll", Unit: "MiB/s"}, {Name: "event", Unit: "MiB/s"},
	}}
	t.Add("8", "540.54", "1.48 [1.47-1.51]", "361.34", "126.91")
	t.Add("64K", "65773.65", "1.01 [1.00-1.03]", "65292.66", "62736.61")
	return t
}

// A table that is too wide continues below, with its keys and all cells. A column that is about the
// one before stays next to it.
func TestWideTablesGoOnBelow(t *testing.T) {
	whole := example().Text(0)
	if strings.Contains(whole, "continued") || strings.Count(whole, "64K") != 1 {
		t.Errorf("without a width:\n%s", whole)
	}
	for width := 1; width < 80; width++ {
		text := example().Text(width)
		blocks := strings.Split(text, "\n\n")
		for _, cell := range []string{"540.54", "65773.65", "1.01 [1.00-1.03]", "65292.66", "62736.61"} {
			if strings.Count(text, cell) != 1 {
				t.Fatalf("width %d: %q is there %d times:\n%s", width, cell, strings.Count(text, cell), text)
			}
		}
		for i, block := range blocks {
			if strings.Count(block, "64K") != 1 || i > 0 != strings.Contains(block, " Rates (continued)") {
				t.Errorf("width %d: block %d:\n%s", width, i, block)
			}
			if strings.Contains(block, "ratio") != strings.Contains(block, "data") {
				t.Errorf("width %d: a ratio without its value:\n%s", width, block)
			}
			for line := range strings.Lines(block) {
				if n := len(strings.TrimSuffix(line, "\n")); n > width && width >= 36 {
					t.Errorf("width %d: line of %d letters: %s", width, n, line)
				}
			}
		}
		if width >= 60 && text != whole {
			t.Errorf("width %d: divided though there is room:\n%s", width, text)
		}
	}
}
