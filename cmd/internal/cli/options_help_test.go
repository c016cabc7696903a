package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
)

func TestHelpNamesEveryOption(t *testing.T) {
	for _, test := range option.Tests() {
		s := option.New(test)
		for _, width := range []int{0, 30, 60, 80, 200} {
			text := helpText(test, test.Program(), width, option.FullHelp)
			for _, g := range define(&s).groups {
				for _, f := range g.flags {
					if !strings.Contains(text, "--"+f.name) {
						t.Errorf("%s --help lacks --%s", test.Program(), f.name)
					}
					if regexp.MustCompile(`(?m)^ {2,6}` + regexp.QuoteMeta(f.spelling()) + ` \S`).MatchString(text) { // man pages have both as one
						t.Errorf("%s --help, %d columns: one space between %s and its text", test.Program(), width, f.spelling())
					}
				}
			}
			checkWidth(t, text, width)
		}
	}
	if strings.Contains(helpText(writeLat, writeLat.Program(), 0, option.FullHelp), "--post_list") {
		t.Error("help of a latency test has --post_list")
	}
}

// TestShortHelp: --help explains at most twenty options, and names the others. Both are spelled as perftest's.
func TestShortHelp(t *testing.T) {
	used := map[string]bool{}
	for _, test := range option.Tests() {
		s := option.New(test)
		text := helpText(test, test.Program(), 0, option.ShortHelp)
		explained, others, _ := strings.Cut(text, "\nOther options")
		if n := strings.Count(explained, "\n      --") + strings.Count(explained, ", --"); n > 20 {
			t.Errorf("%s --help explains %d options", test.Program(), n)
		}
		for _, g := range define(&s).groups {
			for _, f := range g.flags {
				common := strings.Contains(explained, "  "+f.spelling())
				if used[f.name] = used[f.name] || common; !common && !strings.Contains(others, f.longName()) {
					t.Errorf("%s --help lacks %s", test.Program(), f.longName())
				}
			}
		}
	}
	for _, name := range commonOptions {
		if !used[name] {
			t.Errorf("--help of no program explains --%s", name)
		}
	}
	if text := helpText(writeLat, "ib_write_lat", 0, option.ShortHelp); !strings.Contains(text, "  -c, --connection=<RC/UC/XRC/SRD>") {
		t.Errorf("--connection is not as perftest's\n%s", text)
	}
}

// checkWidth fails if lines of options are wider than the terminal.
func checkWidth(t *testing.T, text string, width int) {
	t.Helper()
	if width == 0 || width > helpWidth {
		width = helpWidth
	}
	for line := range strings.Lines(text) {
		if option := strings.HasPrefix(line, "  ") && !strings.Contains(line, "$"); option && len(line) > width+1 && len(strings.Fields(line)) > 4 {
			t.Errorf("line of %d letters where %d are possible: %s", len(line)-1, width, line)
		}
	}
}
