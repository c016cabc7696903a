package cli

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/cmd/internal/compare"
	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/result"
)

func TestComparisonLeaves(t *testing.T) {
	bundle := filepath.Join(t.TempDir(), "all.tar.gz")
	c := startBoth(t, quick, "-s", "8,64,4K", "--bundle", bundle)
	wantEnd(t, "client", c.client.end(t), StatusDone)
	wantEnd(t, "server", c.server.end(t), StatusDone)
	if text := c.client.out.String(); !strings.Contains(text, "VERDICT") {
		t.Errorf("the client printed %q", text)
	}
	if text := c.server.out.String(); text != "" {
		t.Errorf("the server printed %q", text)
	}
	want := []string{"index.html", "report.txt", "caps-client.json", "caps-server.json"}
	for _, r := range writtenParts(base()) {
		want = append(want, r.Name+".json")
	}
	slices.Sort(want)
	if got := packed(t, bundle); !slices.Equal(got, append([]string{"SHA256SUMS"}, want...)) {
		t.Errorf("the bundle has %q, want %q and the sums", got, want)
	}
	want = append(want, "plot.png", "plot.svg")
	slices.Sort(want)
	if got := filesIn(t, c.dir); !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// packed returns the names of the files of a bundle.
func packed(t *testing.T, path string) (names []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(unpacked)
	for {
		head, err := archive.Next()
		if err == io.EOF {
			slices.Sort(names)
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		name, inside := strings.CutPrefix(head.Name, "ib_compare/")
		if data, err := io.ReadAll(archive); !inside || err != nil || len(data) == 0 {
			t.Errorf("%s has %d bytes, %v", head.Name, len(data), err)
		}
		names = append(names, name)
	}
}

// markedPlot draws one plot with ibperf's mark, unless a file would be replaced that ibperf did not write.
func markedPlot(allowed error) compare.Draw {
	return func(dir string, _ []*result.File) ([]page.Figure, error) {
		f := page.Figure{Name: "write_lat_plot", SVG: filepath.Join(dir, "write_lat_plot.svg")}
		return []page.Figure{f}, errors.Join(allowed, os.WriteFile(f.SVG, []byte(outfolder.SVGMark+" --><svg></svg>"), 0o666))
	}
}

// into runs both sides of a comparison that writes its files into a folder, and returns the client's
// error.
func into(t *testing.T, dir string, run engine, draw compare.Draw, args ...string) error {
	t.Helper()
	server, client := startCompare(t, quick, serverArgs()...), newProgram(t)
	args = append([]string{"-p", server.port(t), "127.0.0.1", "-d", "shm_whole", "--runs", "2", "--dir", dir}, args...)
	client.goes(func(ctx context.Context) error {
		return client.app(option.CompareProgram, run, args).compare(ctx, args, draw)
	})
	err := client.end(t)
	server.cancel(nil) // which need not have ended after a failure
	_ = server.end(t)
	return err
}

// contents returns the files of a folder with their content, and its folders.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range filesIn(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			data = []byte("folder")
		}
		all[name] = string(data)
	}
	return all
}

// A complete comparison replaces the files of an earlier one, and not before it is complete. Files without
// a new version are removed, and other files stay.
func TestSecondComparisonReplacesTheFirst(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{".ibperf": "0123456789abcdef", "notes.txt": "mine", "photo.png": "mine"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	foreign := contents(t, dir)
	bundle := filepath.Join(t.TempDir(), "all.tgz")
	wantEnd(t, "the first", into(t, dir, quick, markedPlot(nil), "-s", "8", "--bundle", bundle), StatusDone)
	first := contents(t, dir)
	if len(first) != len(foreign)+len(writtenParts(base()))+5 {
		t.Fatalf("the first left %d files", len(first))
	}

	lost := &oob.PeerError{Peer: "127.0.0.1:1", Reason: "is gone"}
	for name, err := range map[string]error{
		"at first":  into(t, dir, failing("ib_write_lat", 1, lost), markedPlot(nil), "-s", "8"),
		"its peer":  into(t, dir, failing("ib_send_bw", 1, lost), markedPlot(nil), "-s", "8"),
		"its plots": into(t, dir, quick, markedPlot(errors.New("no space left")), "-s", "8"),
	} {
		if err == nil {
			t.Errorf("%s: it did not fail", name)
		}
		said := err.Error()
		for left, text := range contents(t, dir) {
			unfinished := strings.HasPrefix(left, "ib_compare.unfinished.")
			if !unfinished && first[left] != text {
				t.Errorf("%s: %s is not as before", name, left)
			}
			if unfinished && name != "at first" && !strings.Contains(said, "tests are in "+dir+"/ib_compare.unfinished.") {
				t.Errorf("%s: where its results are is not said: %s", name, said)
			}
		}
	}
	unfinished, err := filepath.Glob(filepath.Join(dir, "ib_compare.unfinished.*"))
	if err != nil || len(unfinished) != 2 {
		t.Errorf("unfinished are %q, %v", unfinished, err)
	}

	own := result.File{Header: result.FileHeader(), Program: "ib_read_bw", Op: "read", Kind: "bw"}
	if err := own.Write(filepath.Join(dir, "read-bw.json")); err != nil { // of no comparison
		t.Fatal(err)
	}
	wantEnd(t, "the last", into(t, dir, quick, markedPlot(nil), "-s", "8", "--connection", "UC"), StatusDone)
	last := contents(t, dir)
	if !strings.Contains(last["read-bw.json"], "ib_read_bw") {
		t.Errorf("read-bw.json of no comparison is %q", last["read-bw.json"])
	}
	for name, text := range foreign {
		if last[name] != text {
			t.Errorf("%s is not as before", name)
		}
	}
	for _, gone := range []string{"read-lat.json", "atomic-bw.json", "send-bw-verify.json", "caps-client.json"} {
		if last[gone] != "" {
			t.Errorf("%s of the first is left", gone)
		}
	}
	for _, name := range []string{"write-lat.json", "index.html", "report.txt"} {
		if last[name] == "" || name != "index.html" && last[name] == first[name] {
			t.Errorf("%s is not of the last", name)
		}
	}
}
