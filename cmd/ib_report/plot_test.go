package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/plots"
	"github.com/ibperf/ibperf/result"
)

// written writes results into a folder and returns their paths.
func written(t *testing.T, files ...*result.File) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for i, f := range files {
		path := filepath.Join(dir, "run"+strconv.Itoa(i)+".json")
		if err := f.Write(path); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// resultsWith returns results that have a figure of each kind, and one kind only once.
func resultsWith(t *testing.T) map[string][]string {
	lat := written(t, testresult.File(t, "write", option.KindLatency, []int{64}, option.Modes()...))
	bw := written(t, testresult.File(t, "write", option.KindBandwidth, []int{8, 4096}, option.Modes()...))
	_, qps, gaps := testresult.LatencySweeps(t, "a")
	along, rates := written(t, gaps...), written(t, testresult.RateSweep(t)...)
	timed := testresult.File(t, "write", option.KindLatency, []int{64}, option.Modes()...)
	for i := range timed.Rows {
		for j := range timed.Rows[i].Rounds {
			timed.Rows[i].Rounds[j].Ended = timed.Started.Add(time.Duration(len(timed.Rows)*j+i) * time.Second)
		}
	}
	return map[string][]string{
		"ratio": bw, "bandwidth": bw, "rate": bw, "latency": written(t, testresult.File(t, "write", option.KindLatency, []int{2, 64}, option.Modes()...)),
		"busy": lat, "percentiles": lat, "rounds": written(t, timed), "qps": written(t, qps...), "pause": along, "pause-busy": along,
		"load": rates, "load-tail": rates, "load-busy": rates,
	}
}

// A figure of each kind has the size that was asked for, in each format.
func TestFiguresForPapers(t *testing.T) {
	results := resultsWith(t)
	for _, kind := range plots.Kinds() {
		for ext, valid := range map[string]func([]byte) error{"pdf": validPDF, "pgf": validPGF, "svg": validSVG, "png": validPNG} {
			path := filepath.Join(t.TempDir(), "figure."+ext)
			args := append([]string{"plot", "-o", path, "--kind", kind, "--size", "3.4x2.2in", "--font", "8pt", "--no-title"}, results[kind]...)
			if status, stdout, stderr := runReport(args...); status != exitDone || stdout != "" || stderr != "wrote "+path+"\n" {
				t.Errorf("%s as %s: status %d, stdout %q, stderr %q", kind, ext, status, stdout, stderr)
				continue
			}
			data, err := os.ReadFile(path)
			if err == nil {
				err = valid(data)
			}
			if err != nil {
				t.Errorf("%s as %s: %v", kind, ext, err)
			}
		}
	}
}

// A figure with its title, which is bold, is in each format.
func TestFigureWithTitle(t *testing.T) {
	for _, ext := range []string{"pdf", "pgf", "svg", "png"} {
		path := filepath.Join(t.TempDir(), "figure."+ext)
		if status, _, stderr := runReport("plot", "-o", path, "--kind", "latency", resultFile(t)); status != exitDone {
			t.Errorf("%s: status %d, stderr %q", ext, status, stderr)
		}
	}
}

func validPDF(data []byte) error {
	if !bytes.HasPrefix(data, []byte("%PDF-")) || !bytes.HasSuffix(bytes.TrimSpace(data), []byte("%%EOF")) || !bytes.Contains(data, []byte("/MediaBox [0 0 244.80 158.40]")) {
		return errors.New("no PDF of 244.8 by 158.4 points")
	}
	return nil
}

func validPGF(data []byte) error {
	begins, ends := bytes.Count(data, []byte(`\begin{`)), bytes.Count(data, []byte(`\end{`))
	open, closed := bytes.Count(data, []byte("{")), bytes.Count(data, []byte("}"))
	if !bytes.Contains(data, []byte(`\begin{pgfpicture}`)) || begins != ends || open-bytes.Count(data, []byte(`\{`)) != closed-bytes.Count(data, []byte(`\}`)) {
		return errors.New("no PGF with ends for all beginnings")
	}
	return nil
}

func validSVG(data []byte) error {
	for d, first := xml.NewDecoder(bytes.NewReader(data)), true; ; {
		token, err := d.Token()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if start, ok := token.(xml.StartElement); ok && first {
			first = false
			got := map[string]string{}
			for _, a := range start.Attr {
				got[a.Name.Local] = a.Value
			}
			if start.Name.Local != "svg" || got["width"] != "244.8pt" || got["height"] != "158.4pt" {
				return errors.New("no drawing of 244.8 by 158.4 points")
			}
		}
	}
}

func validPNG(data []byte) error {
	picture, err := png.Decode(bytes.NewReader(data))
	if err == nil && (picture.Bounds().Dx() != 1020 || picture.Bounds().Dy() != 660) {
		return errors.New("no picture of 3.4 by 2.2 inches with 300 pixels for each")
	}
	return err
}

// Series have the labels of the command line. A title is there unless it was not wanted.
func TestFiguresHaveLabelsAndTitle(t *testing.T) {
	files := written(t, testresult.File(t, "write", option.KindLatency, []int{2, 64}, "data", "poll"), testresult.File(t, "write", option.KindLatency, []int{2, 64}, "data", "poll"))
	for _, title := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "figure.svg")
		args := []string{"plot", "-o", path, "--kind", "latency", "--label", "north=" + files[0], "--label", "south=" + files[1]}
		if !title {
			args = append(args, "--no-title")
		}
		if status, _, stderr := runReport(args...); status != exitDone {
			t.Fatal(stderr)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]bool{"north data": true, "south poll": true, "RDMA_Write Latency: median": title} {
			if strings.Contains(string(data), text) != want {
				t.Errorf("title %v: %q is there: %v", title, text, !want)
			}
		}
	}
}

// Errors say what is wrong and what is possible.
func TestFigureErrors(t *testing.T) {
	path := resultFile(t)
	several := written(t, testresult.File(t, "write", option.KindLatency, []int{2, 64}, "data", "poll"))[0]
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"-o a.jpg --kind ratio " + path, exitUsage, "-o a.jpg: name a file that ends in .pdf, .pgf, .svg or .png"},
		{"-o a.pdf --kind pie " + path, exitUsage, `--kind "pie": choose ratio, latency, `},
		{"-o a.pdf " + path, exitUsage, `--kind "": choose ratio, `},
		{"-o a.pdf --kind ratio --size 3x2 " + path, exitUsage, `--size "3x2": write WIDTHxHEIGHT and in, cm, mm or pt`},
		{"-o a.pdf --kind ratio --size 1e3x2in " + path, exitUsage, `--size "1e3x2in": write`},
		{"-o a.pdf --kind ratio --size -3x2in " + path, exitUsage, `--size "-3x2in": write`},
		{"-o a.pdf --kind ratio --size 3x0.2in " + path, exitUsage, `1in to 50in are possible`},
		{"-o a.pdf --kind ratio --size 3x2000mm " + path, exitUsage, `1in to 50in are possible`},
		{"-o a.pdf --kind ratio --font 8 " + path, exitUsage, `--font "8": write a number of points, such as 8pt`},
		{"-o a.pdf --kind ratio --font 1pt " + path, exitUsage, `4pt to 72pt are possible`},
		{"-o a.pdf --kind bandwidth " + path, exitFailed, "no figure of kind bandwidth: these results have "},
		{"-o a.pdf --kind latency --size 1x1in --font 20pt " + several, exitFailed, "it needs a width of 3.33 inches, or a smaller font"},
		{"-o a.pdf --kind latency --size 5x1in --font 20pt " + several, exitFailed, "it needs a height of "},
		{"-o a.pdf --kind percentiles " + several, exitFailed, "choose one of write_lat_percentiles_2_shm_whole_RC, "},
		{"-o " + path + "/a.pdf --kind latency " + several, exitFailed, "write " + path + "/a.pdf: "},
		{"-o a.pdf --kind ratio none.json", exitFailed, "none.json: no such file"},
	} {
		status, stdout, stderr := runReport(append([]string{"plot"}, strings.Fields(c.args)...)...)
		if status != c.status || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", c.args, status, stdout, stderr)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string][2]float64{"3.4x2.2in": {3.4, 2.2}, "254x127mm": {10, 5}, "25.4x12.7cm": {10, 5}, "720x360pt": {10, 5}} {
		if width, height, err := parseSize(text); err != nil || width-want[0] > 1e-9 || want[0]-width > 1e-9 || height-want[1] > 1e-9 || want[1]-height > 1e-9 {
			t.Errorf("%s is %v by %v inches, %v", text, width, height, err)
		}
	}
}
