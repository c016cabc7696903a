package browser

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var views = []view{
	{1280, 800, "light", ""}, {1280, 800, "dark", ""}, {390, 844, "light", ""}, {390, 844, "dark", ""}, {1920, 1080, "light", ""},
}

// TestInChromium starts the browser once, which takes longer than all that it is asked.
func TestInChromium(t *testing.T) {
	browser := start(t)
	paths := pages(t)
	for name, path := range paths {
		for _, v := range views {
			t.Run(name+" "+v.String(), func(t *testing.T) { testPage(t, browser, path, v) })
		}
	}
	t.Run("the verdict is seen at once", func(t *testing.T) { testVerdict(t, browser, paths["comparison"]) })
	t.Run("the verdict about everything is seen at once", func(t *testing.T) { testVerdict(t, browser, paths["everything"]) })
	t.Run("figures tell their values", func(t *testing.T) { testValues(t, browser, paths["comparison"]) })
	t.Run("paper is white and short", func(t *testing.T) { testPaper(t, browser, paths["comparison"]) })
	t.Run("faults are found", func(t *testing.T) { testFaults(t, browser) })
}

// testPage holds what is true of every page, however it is looked at.
func testPage(t *testing.T, browser context.Context, path string, v view) {
	p := open(t, browser, path, v)
	for _, fault := range append(p.look(t, false).Faults, p.look(t, true).Faults...) {
		t.Error(fault)
	}
	if dark := p.look(t, true).Background[0] < 64; dark != (v.scheme == "dark") {
		t.Errorf("is the background dark? %v", dark)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if want := []string{"file://" + path}; !slices.Equal(p.requests, want) {
		t.Errorf("the page asked for %q, want %q", p.requests, want)
	}
	if len(p.messages) > 0 {
		t.Errorf("the console says %q", p.messages)
	}
}

func testVerdict(t *testing.T, browser context.Context, path string) {
	answers := open(t, browser, path, view{1280, 800, "light", ""}).look(t, false).Answers
	if len(answers) < 3 {
		t.Fatalf("%d answers on the page", len(answers))
	}
	for _, a := range answers {
		if a.Top < 0 || a.Bottom > 800 {
			t.Errorf("from %.0f to %.0f of 800 pixels: %s", a.Top, a.Bottom, a.Text)
		}
	}
	if a := open(t, browser, path, view{390, 844, "light", ""}).look(t, false).Answers[0]; a.Top < 0 || a.Top > 844/3 {
		t.Errorf("on a phone, from %.0f of 844 pixels: %s", a.Top, a.Text)
	}
}

func testValues(t *testing.T, browser context.Context, path string) {
	if got := open(t, browser, path, views[0]).look(t, false).Titles; got < 10 {
		t.Errorf("%d values under the pointer", got)
	}
}

func testPaper(t *testing.T, browser context.Context, path string) {
	if got := open(t, browser, path, views[0]).look(t, false).Closed; got == 0 {
		t.Error("nothing is folded on the screen")
	}
	s := open(t, browser, path, view{1050, 740, "dark", "print"}).look(t, false)
	if s.Folds > 0 {
		t.Errorf("%d parts are named on paper that nobody can unfold", s.Folds)
	}
	if !slices.Equal(s.Background, []int{255, 255, 255}) {
		t.Errorf("paper is %v", s.Background)
	}
	for _, fault := range s.Faults {
		t.Error(fault)
	}
	if n := open(t, browser, path, views[0]).sheets(t); n == 0 || n > 16 {
		t.Errorf("%d sheets of paper", n)
	}
}

// faulty has one of everything that is looked for.
const faulty = `<!DOCTYPE html><title>faulty</title><body><img src="gone.png"><script>console.error("no")</script>
<p style="width:50px;white-space:nowrap">a line that is too long</p><p style="color:#999">pale</p><p style="font-size:9px">tiny</p>
<p style="width:3000px">wide</p><p style="height:5px;overflow:hidden">cut<br>off</p><a href="#nowhere">x</a><b id="a"></b><b id="a"></b>
<svg width="100" height="50"><path d="M0,0L9,9" style="fill:#fff"/><text x="90" y="20" style="fill:#ddd">beyond</text></svg>`

// testFaults holds that looking finds what it looks for.
func testFaults(t *testing.T, browser context.Context) {
	path := filepath.Join(t.TempDir(), "faulty.html")
	if err := os.WriteFile(path, []byte(faulty), 0o644); err != nil {
		t.Fatal(err)
	}
	p := open(t, browser, path, views[0])
	all := strings.Join(p.look(t, false).Faults, "\n")
	for _, want := range []string{"cut: ", "cut in its height", "contrast 2.8", "letters of 9px", "the page is ", "cut in a figure", "contrast 1.4",
		"leads nowhere: #nowhere", "the id a"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) != 2 || len(p.messages) == 0 {
		t.Errorf("asked for %q, console said %q", p.requests, p.messages)
	}
}
