package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// installed makes the folders of an installation: bin/ibperf, and in lib/ibperf/bin the program that draws
// and links with the names of all others.
func installed(t *testing.T) (ibperf, lib string) {
	t.Helper()
	if *builtIn != "" {
		t.Skip("the programs are built elsewhere, without ibperf")
	}
	dir := t.TempDir()
	ibperf, lib = filepath.Join(dir, "bin", "ibperf"), filepath.Join(dir, "lib", "ibperf", "bin")
	for path, source := range map[string]string{ibperf: "./cmd/ibperf", filepath.Join(lib, "ib_report"): "./cmd/ib_report"} {
		build := exec.Command("go", "build", "-o", path, source)
		build.Dir = filepath.Join("..", "..")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", source, err, out)
		}
	}
	names := []string{"ib_compare", "ib_conform", "ib_verify", "ib_cluster", "ib_caps"}
	for _, test := range option.Tests() {
		names = append(names, test.Program())
	}
	for _, name := range names {
		if err := os.Symlink(filepath.Join("..", "..", "..", "bin", "ibperf"), filepath.Join(lib, name)); err != nil {
			t.Fatal(err)
		}
	}
	return ibperf, lib
}

// TestIbperfIsEveryProgram calls each program as a word after ibperf and by its link: errors, help and
// version have the name that was called.
func TestIbperfIsEveryProgram(t *testing.T) {
	ibperf, lib := installed(t)
	links, err := os.ReadDir(lib)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorkspace(t)
	help := w.start(ibperf, "--help")
	help.exits(statusDone, patience)
	says := func(status int, name string, p *process) {
		p.exits(status, patience)
		if text := p.out.String() + p.err.String(); !strings.HasPrefix(text, name+" ") && !strings.HasPrefix(text, name+":") {
			t.Errorf("%s: it does not begin with %q: %s", p.name, name, text)
		}
	}
	for _, link := range links {
		name := link.Name()
		word := strings.TrimPrefix(name, "ib_")
		help.wantStdout("\n  " + word + " ")
		for status, option := range map[int]string{statusDone: "--version", statusUsage: "--bogus"} {
			says(status, name, w.start(filepath.Join(lib, name), option))
			says(status, "ibperf "+word, w.start(ibperf, word, option))
		}
	}
	says(statusUsage, "ibperf", w.start(ibperf, "none"))
	says(statusUsage, "ibperf", w.start(ibperf))
}

// TestIbperfCompares runs a comparison between a server by its link and a client by its word. Both start
// themselves again for each run, and the client draws with the other program.
func TestIbperfCompares(t *testing.T) {
	ibperf, lib := installed(t)
	onBusyMachine(t, func() (starved bool) {
		w := newWorkspace(t, "out")
		server, port := w.serve(filepath.Join(lib, "ib_compare"))
		client := w.startWith(embedded, ibperf, "compare", "-p", port, w.host, "-s", "8", "-D", "20ms", "--runs", "1", "--dir", "out")
		if client.wait(compareLimit) != statusDone && client.count(silent)+server.count(silent) > 0 {
			server.wait(patience)
			return true
		}
		client.exits(statusDone, compareLimit)
		server.exits(statusDone, patience)
		w.wantComparison(t, embedded)
		path := filepath.Join("out", "write-lat.json")
		file, err := result.Read(filepath.Join(w.dir, path))
		if err != nil || len(file.Command) < 2 || file.Command[1] != "compare" {
			t.Errorf("%s: command %q, %v", path, file.Command, err)
		}
		tables := w.start(ibperf, "report", path)
		tables.exits(statusDone, patience)
		tables.wantStdout("RDMA_Write Latency Test")
		return false
	})
}
