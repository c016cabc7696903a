// Package browser looks at pages of results in a headless Chromium.
package browser

import (
	"bytes"
	"context"
	_ "embed" // what looks at a page
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
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long the browser may take to start, and for each page.
const patience = time.Minute

// start starts a browser for a test, or skips the test where none is installed.
func start(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("chromium is not installed")
		}
		t.Skip("chromium is not installed")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // which root cannot have
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

// A tab shows one page and notes what happens meanwhile.
type tab struct {
	ctx      context.Context
	mu       sync.Mutex
	requests []string
	messages []string
}

// A view is how a page is looked at.
type view struct {
	width, height int64
	scheme        string // "light" or "dark"
	media         string // "print", or empty: the screen
}

func (v view) String() string { return fmt.Sprintf("%dx%d %s%s", v.width, v.height, v.scheme, v.media) }

// open shows the page at path in a tab of its own.
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
	err := chromedp.Do(p.ctx, watchNetwork, chromedp.EmulateViewport(v.width, v.height), v.emulate, chromedp.Navigate("file://"+path))
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	return p
}

func watchNetwork(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	_, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{})
	return chromedp.Void{}, err
}

// emulate is a screen, or paper, of the wanted colours.
func (v view) emulate(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: v.media,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme}}})
	return chromedp.Void{}, err
}

// note keeps what a page asked for and what the console said.
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

//go:embed look.js
var lookSource string

// A sight is what look.js tells of a page.
type sight struct {
	Answers    []box    `json:"answers"`
	Background []int    `json:"background"`
	Faults     []string `json:"faults"`
	Titles     int      `json:"titles"`
	Closed     int      `json:"closed"` // folded parts whose content is not to be seen
	Folds      int      `json:"folds"`  // folded parts that are named
}

// A box is where an element is in the window.
type box struct {
	Text   string  `json:"text"`
	Top    float64 `json:"top"`
	Bottom float64 `json:"bottom"`
}

// look looks at a page: as it is, or with all that is folded.
func (p *tab) look(t *testing.T, unfolded bool) sight {
	t.Helper()
	s, err := chromedp.Run(p.ctx, chromedp.Evaluate[sight](fmt.Sprintf("(%s)(%v)", lookSource, unfolded)))
	if err != nil {
		t.Fatalf("look at the page: %v", err)
	}
	return s
}

// sheets is on how many sheets of paper a page is printed.
func (p *tab) sheets(t *testing.T) int {
	t.Helper()
	pdf, err := chromedp.Run(p.ctx, func(ctx context.Context, target *chromedp.Target) (page.PrintToPDFResult, error) {
		return cdp.Call(ctx, target, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true)})
	})
	if err != nil {
		t.Fatalf("print the page: %v", err)
	}
	return bytes.Count(pdf.Data, []byte("/Type /Page\n"))
}
