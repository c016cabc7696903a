package page

import (
	"regexp"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/result"
)

func TestStylesOfDrawingsAreSharedAndThemed(t *testing.T) {
	line := `<path style="fill:none;stroke:#0072b2" />`
	got := written(t, Page{Figures: []Figure{figure(t, "one", line+line), figure(t, "two", line+`<path style="fill:#123456" />`)}})
	if strings.Contains(got, "style=") || strings.Count(got, `class="f0"`) != 3 {
		t.Error("elements still have styles of their own")
	}
	for _, want := range []string{".f0{fill:none;stroke:var(--c0072B2)}", ".f1{fill:#123456}", ":root{--c0072B2:#0072B2;}",
		"@media screen and (prefers-color-scheme:dark){:root{--c0072B2:#56B4E9;}}"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestDarkColors(t *testing.T) {
	for light, want := range map[string]string{
		"#FFFFFF": "#15181C", "#222222": "#E6E8EB",
		"#7FB8D8": "#366683", // half data, half white
	} {
		if dark, known := Dark(light); !known || dark != want {
			t.Errorf("%s is %s in the dark, want %s", light, dark, want)
		}
	}
	for _, unknown := range []string{"#123456", "#0072B", "red", ""} {
		if dark, known := Dark(unknown); known {
			t.Errorf("%q is %s in the dark", unknown, dark)
		}
	}
}

// Figures and page have the same colors for modes.
func TestFiguresAndPageHaveTheSameColors(t *testing.T) {
	light, dark, _ := strings.Cut(pageStyle, "@media")
	names := []string{"paper", "ink"}
	for _, mode := range result.ModeOrder {
		names = append(names, string(mode))
	}
	for i, name := range append(names, "bad") {
		for sheet, want := range map[string]string{light: darkColors[i].light, dark: darkColors[i].dark} {
			got := regexp.MustCompile(`--` + name + `: (#\w+);`).FindStringSubmatch(sheet)
			if got == nil || !strings.EqualFold(long(got[1]), want) {
				t.Errorf("%s is %q on the page and %s in figures", name, got, want)
			}
		}
	}
}

// long returns a color with six digits.
func long(hex string) string {
	if len(hex) == 4 {
		return "#" + strings.Repeat(hex[1:2], 2) + strings.Repeat(hex[2:3], 2) + strings.Repeat(hex[3:4], 2)
	}
	return hex
}
