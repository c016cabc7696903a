// Package browser opens the pages of ib_report in a headless Chromium and checks what they show.
package browser

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is the time limit of a page; the whole browser has five times as much.
const patience = 2 * time.Minute

// start starts a browser for a test, or skips the test if none is installed.
func start(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("chromium is not installed")
		}
		t.Skip("chromium is not installed")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.Env("TMPDIR="+t.TempDir())) // the browser leaves files
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to run as root with one
	}
	within, stopWaiting := context.WithTimeout(context.Background(), 5*patience)
	t.Cleanup(stopWaiting)
	allocator, stop := chromedp.NewExecAllocator(within, options...)
	t.Cleanup(stop)
	browser, closeBrowser := chromedp.NewContext(allocator)
	t.Cleanup(closeBrowser)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	return browser
}

// A tab shows one page and records its requests and console messages.
type tab struct {
	ctx      context.Context
	mu       sync.Mutex
	requests []string
	messages []string
}

// A view is a window size with a colour scheme and a medium.
type view struct {
	width, height int64
	colors        string // "light" or "dark"
	media         string // "print", or empty: the screen
}

func (v view) String() string { return fmt.Sprintf("%dx%d %s%s", v.width, v.height, v.colors, v.media) }

// open opens the page at path in a new tab.
func open(t *testing.T, browser context.Context, path string, v view) *tab {
	t.Helper()
	p := new(tab)
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithListener(p.note))
	t.Cleanup(closeTab)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	within, stop := context.WithTimeout(ctx, patience)
	t.Cleanup(stop)
	p.ctx = within
	p.show(t, v)
	if err := chromedp.Do(p.ctx, watchNetwork, chromedp.Navigate("file://"+path)); err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	return p
}

// show gives the tab another view. It does not load the page again.
func (p *tab) show(t *testing.T, v view) {
	t.Helper()
	if err := chromedp.Do(p.ctx, chromedp.EmulateViewport(v.width, v.height), v.emulate); err != nil {
		t.Fatalf("view %s: %v", v, err)
	}
}

func watchNetwork(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	_, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{})
	return chromedp.Void{}, err
}

// emulate sets the medium and the colour scheme.
func (v view) emulate(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: v.media,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.colors}}})
	return chromedp.Void{}, err
}

// note records a request or a console message.
func (p *tab) note(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.messages = append(p.messages, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		p.messages = append(p.messages, "console."+string(e.Type))
	case *log.EventEntryAdded:
		p.messages = append(p.messages, e.Entry.Text)
	}
}

//go:embed inspect.js
var inspectSource string

// A report is the result of inspect.js.
type report struct {
	Verdict    []box    `json:"verdict"`  // lines at the top
	Pictures   []box    `json:"pictures"` // figures that are within the window, at least in part
	Contents   []box    `json:"contents"` // links to sections
	Background []int    `json:"background"`
	Faults     []string `json:"faults"`
	Titles     int      `json:"titles"`
	Closed     int      `json:"closed"` // folded parts whose content is invisible
	Text       string   `json:"text"`   // all visible text
}

// A box is the position of an element in the window, in pixels.
type box struct {
	Text   string  `json:"text"`
	Weight int     `json:"weight"` // of the letters
	Top    float64 `json:"top"`
	Bottom float64 `json:"bottom"`
}

// inspect runs inspect.js on the page, as it is or with all folded parts open.
func (p *tab) inspect(t *testing.T, unfolded bool) report {
	t.Helper()
	r, err := chromedp.Run(p.ctx, chromedp.Evaluate[report](fmt.Sprintf("(%s)(%v)", inspectSource, unfolded)))
	if err != nil {
		t.Fatalf("inspect the page: %v", err)
	}
	return r
}
