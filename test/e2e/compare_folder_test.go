package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/reports/result"
)

const secretText = "0123456789abcdef0123456789abcdef\n"

// put writes files into a folder of a place, which is created if it does not exist. A text that
// begins with "-> " is what a link names.
func (p *place) put(folder string, files map[string]string) {
	p.t.Helper()
	dir := filepath.Join(p.dir, folder)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		p.t.Fatalf("%v", err)
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
			p.t.Fatalf("%v", err)
		}
	}
}

// has returns the files of a folder as put takes them.
func (p *place) has(folder string) map[string]string {
	p.t.Helper()
	dir := filepath.Join(p.dir, folder)
	entries, err := os.ReadDir(dir)
	if err != nil {
		p.t.Fatalf("%v", err)
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
			p.t.Fatalf("%v", err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// leaves checks that a folder has these files and no others.
func (p *place) leaves(folder string, want map[string]string) {
	p.t.Helper()
	if got := p.has(folder); !maps.Equal(got, want) {
		p.t.Fatalf("%s has %q, want %q", folder, got, want)
	}
}

// TestCompareKeepsForeignFiles: what ibperf did not write is not touched, whether there is a server
// or not, and files that would have to be replaced are named before anything is measured.
func TestCompareKeepsForeignFiles(t *testing.T) {
	listener, port := listen(t)
	if err := listener.Close(); err != nil { // nobody listens there now
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
		"foreign page":   {map[string]string{"index.html": "<html>mine</html>"}, "other", statusOther, []string{"home/index.html", "ibperf did not write it"}},
		"foreign report": {map[string]string{"report.txt": "mine"}, "other", statusOther, []string{"home/report.txt", "ibperf did not write it"}},
		"foreign result": {map[string]string{"write-lat.json": `{"format": "mine"}`}, "other", statusOther, []string{"home/write-lat.json", "ibperf did not write it"}},
		"foreign plot":   {map[string]string{"write_lat_by_size_shm_whole_RC.png": "mine"}, "other", statusOther, []string{"home/write_lat_by_size_shm_whole_RC.png"}},
		"linked page":    {map[string]string{"index.html": "-> ../other"}, "other", statusOther, []string{"home/index.html", "ibperf did not write it"}},
		"no such secret": {map[string]string{"index.html": "mine"}, "none", statusOther, []string{"read secret file none"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, "home", "other")
			p.put(".", map[string]string{"other": secretText})
			p.put("home", c.files)
			client := p.connect("ib_compare", port, "-d", "shm_whole", "-s", "8", "--connect-timeout", "100ms",
				"--dir", "home", "--secret-file", c.secret)
			client.ends(c.status, patience)
			client.says(c.says...)
			p.leaves("home", c.files)
			if data, err := os.ReadFile(filepath.Join(p.dir, "other")); err != nil || string(data) != secretText {
				t.Errorf("other has %q, %v", data, err)
			}
		})
	}
}

// TestCompareInterruptedKeepsTheFolder: the files of an earlier comparison stay until another one
// is complete. The results of one that is not are beside them.
func TestCompareInterruptedKeepsTheFolder(t *testing.T) {
	p := newPlace(t, "out", "secret")
	old := map[string]string{
		".ibperf": secretText, "notes.txt": "mine", "index.html": "<html><head>" + outfolder.PageMark, "report.txt": outfolder.ReportMark,
		"write-lat.json": `{"format": "ibperf-result"}`,
	}
	p.put("out", old)
	p.put(".", map[string]string{"secret": secretText})
	server, port := p.serve("ib_compare", "--secret-file", "secret")
	client := p.connect("ib_compare", port, "-d", "shm_whole", "-s", "8", "-D", "20ms", "--dir", "out", "--secret-file", "secret")
	client.await("third run", func() bool { return client.count("run 3 of ") == 1 })
	client.signal(sigInt)
	client.ends(statusOther, stopLimit)
	client.says("interrupted by SIGINT", "the results of 2 runs are in out/ib_compare.unfinished.")
	server.ends(statusPeer, patience)
	unfinished, err := filepath.Glob(filepath.Join(p.dir, "out", "ib_compare.unfinished.*"))
	if err != nil || len(unfinished) != 1 {
		t.Fatalf("unfinished: %q, %v", unfinished, err)
	}
	for _, run := range []string{"write-lat.json", "write-bw.json"} {
		if _, err := result.Read(filepath.Join(unfinished[0], run)); err != nil {
			t.Error(err)
		}
	}
	if err := os.RemoveAll(unfinished[0]); err != nil {
		t.Fatal(err)
	}
	p.leaves("out", old)
}

// TestReportKeepsForeignFiles: ib_report replaces pages and plots of its own only.
func TestReportKeepsForeignFiles(t *testing.T) {
	p := newPlace(t, "out", "lat.json")
	_, client := p.both("ib_write_lat", "", "-d shm_whole -s 8 -n 100 --out_json_file lat.json")
	client.ends(statusDone, patience)
	report := func(status int, says string) {
		t.Helper()
		r := p.start("ib_report", "-o", "out", "lat.json")
		r.ends(status, patience)
		r.says(says)
	}
	report(statusDone, "wrote out/index.html")
	drawn := p.has("out")
	for name := range drawn {
		path := filepath.Join(p.dir, "out", name)
		for _, foreign := range []string{"mine", "-> ../lat.json"} {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			p.put("out", map[string]string{name: foreign})
			before := p.has("out")
			report(statusOther, "replace out/"+name+": ibperf did not write it")
			p.leaves("out", before)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		report(statusDone, "wrote out/"+name)
		p.leaves("out", drawn)
	}
}
