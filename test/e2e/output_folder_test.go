package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/result"
)

const secretText = "0123456789abcdef0123456789abcdef\n"

// writeFiles writes files, by name, into a folder of the workspace, which it creates. A text "-> NAME"
// makes a symbolic link to NAME.
func (w *workspace) writeFiles(folder string, files map[string]string) {
	w.t.Helper()
	dir := filepath.Join(w.dir, folder)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		w.t.Fatalf("%v", err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		var err error
		if target, link := strings.CutPrefix(text, "-> "); link {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			w.t.Fatalf("%v", err)
		}
	}
}

// readFiles returns the files of a folder in the form that writeFiles takes.
func (w *workspace) readFiles(folder string) map[string]string {
	w.t.Helper()
	dir := filepath.Join(w.dir, folder)
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	files := map[string]string{}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if target, err := os.Readlink(path); err == nil {
			files[e.Name()] = "-> " + target
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			w.t.Fatalf("%v", err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// wantFiles checks that a folder has these files and no others.
func (w *workspace) wantFiles(folder string, want map[string]string) {
	w.t.Helper()
	if got := w.readFiles(folder); !maps.Equal(got, want) {
		w.t.Fatalf("%s has %q, want %q", folder, got, want)
	}
}

// TestCompareKeepsForeignFiles: ib_compare changes no file that ibperf did not write. It names files
// that it would have to replace before it connects.
func TestCompareKeepsForeignFiles(t *testing.T) {
	listener, port := listen(t)
	if err := listener.Close(); err != nil { // connections are refused from now on
		t.Fatal(err)
	}
	secret := map[string]string{".ibperf": secretText}
	linked := map[string]string{".ibperf": "-> ../other", "notes.txt": "mine", "photo.png": "mine"}
	for name, c := range map[string]struct {
		files  map[string]string
		secret string // file
		status int
		says   []string
	}{
		"secret":         {secret, "home/.ibperf", statusPeer, []string{"connection refused"}},
		"link to secret": {linked, "other", statusPeer, []string{"connection refused"}},
		"foreign page":   {map[string]string{"index.html": "<html>mine</html>"}, "other", statusOther, []string{"home/index.html", "ibperf did not write this file"}},
		"foreign report": {map[string]string{"report.txt": "mine"}, "other", statusOther, []string{"home/report.txt", "ibperf did not write this file"}},
		"foreign result": {map[string]string{"write-lat.json": `{"format": "mine"}`}, "other", statusOther, []string{"home/write-lat.json", "ibperf did not write this file"}},
		"foreign plot":   {map[string]string{"write_lat_by_size_shm_whole_RC.png": "mine"}, "other", statusOther, []string{"home/write_lat_by_size_shm_whole_RC.png"}},
		"linked page":    {map[string]string{"index.html": "-> ../other"}, "other", statusOther, []string{"home/index.html", "ibperf did not write this file"}},
		"no such secret": {map[string]string{"index.html": "mine"}, "none", statusOther, []string{"read secret file none"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t, "home", "other")
			w.writeFiles(".", map[string]string{"other": secretText})
			w.writeFiles("home", c.files)
			client := w.connect("ib_compare", port, "-d", "shm_whole", "-s", "8", "--connect-timeout", "100ms",
				"--dir", "home", "--secret-file", c.secret)
			client.exits(c.status, patience)
			client.wantStderr(c.says...)
			w.wantFiles("home", c.files)
			if data, err := os.ReadFile(filepath.Join(w.dir, "other")); err != nil || string(data) != secretText {
				t.Errorf("the file other has %q, error %v", data, err)
			}
		})
	}
}

// TestCompareInterruptedKeepsTheFolder: the files of an earlier comparison stay until the next one is
// complete. The results of an interrupted one are in a folder of their own.
func TestCompareInterruptedKeepsTheFolder(t *testing.T) {
	w := newWorkspace(t, "out", "secret")
	old := map[string]string{
		".ibperf": secretText, "notes.txt": "mine", "index.html": "<html><head>" + outfolder.PageMark, "report.txt": outfolder.ReportMark,
		"write-lat.json": `{"format": "ibperf-result"}`,
	}
	w.writeFiles("out", old)
	w.writeFiles(".", map[string]string{"secret": secretText})
	server, port := w.serve("ib_compare", "--secret-file", "secret")
	client := w.connect("ib_compare", port, "-d", "shm_whole", "-s", "8", "-D", "20ms", "--dir", "out", "--secret-file", "secret")
	client.await("third run", func() bool { return client.count("test 3 of ") == 1 })
	client.signal(sigInt)
	client.exits(statusOther, stopLimit)
	client.wantStderr("interrupted by SIGINT", "the results of ", " tests are in out/ib_compare.unfinished.") // more than two if the signal came late
	server.exits(statusPeer, patience)
	unfinished, err := filepath.Glob(filepath.Join(w.dir, "out", "ib_compare.unfinished.*"))
	if err != nil || len(unfinished) != 1 {
		t.Fatalf("folders of unfinished comparisons: %q, error %v, want one", unfinished, err)
	}
	for _, run := range []string{"write-lat.json", "write-bw.json"} {
		if _, err := result.Read(filepath.Join(unfinished[0], run)); err != nil {
			t.Error(err)
		}
	}
	if err := os.RemoveAll(unfinished[0]); err != nil {
		t.Fatal(err)
	}
	w.wantFiles("out", old)
}

// TestReportKeepsForeignFiles: ib_report replaces only pages and plots that ibperf wrote. It tries the
// page and one file of each format of plots; TestTrialOfForeignFiles tries all.
func TestReportKeepsForeignFiles(t *testing.T) { keepForeignFiles(t, true) }

func keepForeignFiles(t *testing.T, sample bool) {
	w := newWorkspace(t, "out", "lat.json")
	_, client := w.startPair("ib_write_lat", "", "-d shm_whole --compare -s 8 -n 500 --out_json_file lat.json")
	client.exits(statusDone, patience)
	report := func(status int, says string) {
		t.Helper()
		r := w.start("ib_report", "-o", "out", "lat.json")
		r.exits(status, patience)
		r.wantStderr(says)
	}
	report(statusDone, "wrote out/index.html")
	drawn, tried := w.readFiles("out"), map[string]bool{}
	for name := range drawn {
		format := filepath.Ext(name)
		if sample && tried[format] {
			continue
		}
		tried[format] = true
		path := filepath.Join(w.dir, "out", name)
		for _, foreign := range []string{"mine", "-> ../lat.json"} {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			w.writeFiles("out", map[string]string{name: foreign})
			before := w.readFiles("out")
			report(statusOther, "replace out/"+name+": ibperf did not write this file")
			w.wantFiles("out", before)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		report(statusDone, "wrote out/"+name)
		w.wantFiles("out", drawn)
	}
	for _, format := range []string{".html", ".png", ".svg"} {
		if !tried[format] {
			t.Errorf("ib_report wrote no file *%s", format)
		}
	}
}
