package browser

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// print returns the printed page as PDF.
func (p *tab) print(t *testing.T) []byte {
	t.Helper()
	pdf, err := chromedp.Run(p.ctx, func(ctx context.Context, target *chromedp.Target) (page.PrintToPDFResult, error) {
		return cdp.Call(ctx, target, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true)})
	})
	if err != nil {
		t.Fatalf("print the page: %v", err)
	}
	return pdf.Data
}

var (
	sheetObject   = regexp.MustCompile(`(?s)/Type /Page\n.*?/MediaBox \[0 0 [\d.]+ ([\d.]+)\].*?/Contents (\d+) 0 R`)
	contentStream = `(?s)\n%s 0 obj\n<<[^>]*?>> stream\n(.*?)\nendstream`
)

// filled returns how far down each sheet of a PDF by Chromium has text, as a fraction of its height. It
// leaves out the page number in the lower margin.
func filled(t *testing.T, pdf []byte) (shares []float64) {
	t.Helper()
	for _, sheet := range sheetObject.FindAllSubmatch(pdf, -1) {
		height, err := strconv.ParseFloat(string(sheet[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		stream := regexp.MustCompile(fmt.Sprintf(contentStream, sheet[2])).FindSubmatch(pdf)
		if stream == nil {
			t.Fatalf("no content of object %s", sheet[2])
		}
		unpack, err := zlib.NewReader(bytes.NewReader(stream[1]))
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(unpack)
		if err != nil {
			t.Fatal(err)
		}
		shares = append(shares, lowest(string(content), height)/height)
	}
	return shares
}

// lowest returns the distance of the lowest text from the upper edge of a sheet.
func lowest(content string, height float64) (far float64) {
	scale, shift := []float64{1}, []float64{0} // of y, for each saved state
	var numbers []float64
	for _, token := range strings.Fields(content) {
		if v, err := strconv.ParseFloat(token, 64); err == nil {
			numbers = append(numbers, v)
			continue
		}
		last := len(scale) - 1
		switch n := len(numbers); {
		case token == "q":
			scale, shift = append(scale, scale[last]), append(shift, shift[last])
		case token == "Q":
			scale, shift = scale[:last], shift[:last]
		case token == "cm" && n >= 6:
			shift[last] += scale[last] * numbers[n-1]
			scale[last] *= numbers[n-3]
		case token == "Tm" && n >= 6:
			const margin = 40 // with the page number, in points
			if y := height - (shift[last] + scale[last]*numbers[n-1]); y < height-margin {
				far = max(far, y)
			}
		}
		numbers = numbers[:0]
	}
	return far
}

// testPaper checks the printed page: it is white, has what the screen folds away, and its sheets are full.
func testPaper(t *testing.T, browser context.Context, path string, maxSheets int) {
	screen := open(t, browser, path, views[0])
	if screen.inspect(t, false).Closed == 0 {
		t.Error("no part is folded on the screen")
	}
	p := open(t, browser, path, view{1047, 700, "dark", "print"})
	r := p.inspect(t, false)
	if r.Closed > 0 {
		t.Errorf("%d parts are folded on paper", r.Closed)
	}
	if r.Background[0] != 255 || r.Background[1] != 255 || r.Background[2] != 255 {
		t.Errorf("paper has the colour %v", r.Background)
	}
	for _, want := range []string{"TX depth", "--compare", "ibperf ", "kernel"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("no %q on paper", want)
		}
	}
	for _, fault := range r.Faults {
		t.Error(fault)
	}
	shares := filled(t, screen.print(t))
	if len(shares) == 0 || len(shares) > maxSheets {
		t.Errorf("%d sheets of paper", len(shares))
	}
	for i, share := range shares[:max(len(shares)-1, 0)] {
		if share < 0.5 {
			t.Errorf("sheet %d of %d is empty below %.0f %%", i+1, len(shares), 100*share)
		}
	}
}
