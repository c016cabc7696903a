package browser

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var views = []view{
	{1280, 800, "light", ""}, {1280, 800, "dark", ""}, {390, 844, "light", ""}, {390, 844, "dark", ""}, {1920, 1080, "light", ""},
}

// TestInChromium starts one browser. Its tests run in parallel, each in a tab of its own.
func TestInChromium(t *testing.T) {
	browser := start(t)
	run := func(name string, test func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
	for _, p := range []*resultPage{everything, comparison, trouble, severalHosts, oneTest} {
		run(p.name, func(t *testing.T) { testPage(t, browser, p.path(t)) })
	}
	for _, p := range []*resultPage{everything, comparison, trouble, severalHosts} {
		run("the first screen of "+p.name, func(t *testing.T) { testFirstScreen(t, browser, p.path(t)) })
	}
	run("contents stay in view", func(t *testing.T) { testContents(t, browser, comparison.path(t)) })
	run("points of figures have their values as titles", func(t *testing.T) { testValues(t, browser, comparison.path(t)) })
	for p, maxSheets := range map[*resultPage]int{everything: 200, comparison: 80, trouble: 60, oneTest: 8} {
		run("paper of "+p.name, func(t *testing.T) { testPaper(t, browser, p.path(t), maxSheets) })
	}
	run("faults are found", func(t *testing.T) { testFaults(t, browser) })
}

// testPage checks what holds for every page in every view.
func testPage(t *testing.T, browser context.Context, path string) {
	p := open(t, browser, path, views[0])
	for _, v := range views {
		t.Run(v.String(), func(t *testing.T) {
			p.show(t, v)
			folded, unfolded := p.inspect(t, false), p.inspect(t, true)
			for _, fault := range append(folded.Faults, unfolded.Faults...) {
				t.Error(fault)
			}
			if dark := unfolded.Background[0] < 64; dark != (v.colors == "dark") {
				t.Errorf("dark background: %v", dark)
			}
		})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if want := []string{"file://" + path}; !slices.Equal(p.requests, want) {
		t.Errorf("the page requested %q, want %q", p.requests, want)
	}
	if len(p.messages) > 0 {
		t.Errorf("console messages: %q", p.messages)
	}
}

// testFirstScreen checks that all lines of the verdict and one figure are visible without scrolling.
func testFirstScreen(t *testing.T, browser context.Context, path string) {
	p := open(t, browser, path, views[0])
	for _, v := range []view{{1280, 800, "light", ""}, {390, 844, "light", ""}} {
		p.show(t, v)
		r := p.inspect(t, false)
		if len(r.Verdict) < 3 || len(r.Pictures) != 1 {
			t.Fatalf("%s: %d lines of verdict and %d figures", v, len(r.Verdict), len(r.Pictures))
		}
		for _, b := range append(r.Verdict, r.Pictures...) {
			if b.Top < 0 || b.Bottom > float64(v.height) {
				t.Errorf("%s: from %.0f to %.0f pixels: %s", v, b.Top, b.Bottom, b.Text)
			}
		}
		if !slices.ContainsFunc(r.Verdict, func(b box) bool { return b.Weight >= 600 }) {
			t.Errorf("%s: no line of the verdict stands out", v)
		}
	}
}

// testContents checks that the links to sections stay where they are while the page scrolls.
func testContents(t *testing.T, browser context.Context, path string) {
	p := open(t, browser, path, views[0])
	before := p.inspect(t, false).Contents
	if _, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("scrollTo(0, 3000), scrollY > 2000")); err != nil {
		t.Fatal(err)
	}
	after := p.inspect(t, false).Contents
	if len(before) < 7 || !slices.Equal(before, after) {
		t.Errorf("links were %v and are %v after scrolling", before, after)
	}
}

func testValues(t *testing.T, browser context.Context, path string) {
	if got := open(t, browser, path, views[0]).inspect(t, false).Titles; got < 10 {
		t.Errorf("%d points have titles", got)
	}
}

// faulty has each fault that inspect.js finds.
const faulty = `<!DOCTYPE html><title>faulty</title><body><img src="gone.png"><script>console.error("no")</script>
<p style="width:50px;white-space:nowrap">a line that is too long</p><p style="color:#999">pale</p><p style="font-size:9px">tiny</p>
<p style="width:3000px">wide</p><p style="height:5px;overflow:hidden">cut<br>off</p><a href="#nowhere">x</a><b id="a"></b><b id="a"></b>
<svg width="100" height="50"><path d="M0,0L9,9" style="fill:#fff"/><text x="90" y="20" style="fill:#ddd">beyond</text></svg>`

// testFaults checks that inspect.js finds faults.
func testFaults(t *testing.T, browser context.Context) {
	path := filepath.Join(t.TempDir(), "faulty.html")
	if err := os.WriteFile(path, []byte(faulty), 0o644); err != nil {
		t.Fatal(err)
	}
	p := open(t, browser, path, views[0])
	all := strings.Join(p.inspect(t, false).Faults, "\n")
	for _, want := range []string{"cut: ", "cut in its height", "contrast 2.8", "letters of 9px", "the page is ", "cut in a figure", "contrast 1.4",
		"leads nowhere: #nowhere", "the id a"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) != 2 || len(p.messages) == 0 {
		t.Errorf("requests %q, console messages %q", p.requests, p.messages)
	}
}
