package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/result"
)

// buildsOptions are the options of a short comparison of two builds.
const buildsOptions = "-d shm_whole -s 8 -D 6ms --runs 3 --dir out"

// TestCompareBuilds compares a build with itself, and leaves result files of both, a report and a page. Three pairs of runs have
// no interval, so that no row is slower.
func TestCompareBuilds(t *testing.T) {
	w := newWorkspace(t, "out")
	server, port := w.serve("ib_compare", "--against", bin)
	client := w.connect("ib_compare", port, append(strings.Fields(buildsOptions), "--against", bin)...)
	client.exits(statusDone, compareLimit)
	server.exits(statusDone, patience)
	for _, text := range []string{" A: " + bin, " B: this build", "rows: in B 0 are slower", "No slowdown could have been found", "Give more --runs"} {
		client.wantStdout(text)
	}
	client.wantStderr("run 1 of 6, build A", "run 2 of 6, build B", "run 3 of 6, build B", "run 4 of 6, build A", "wrote out/index.html")
	for _, build := range []string{"a", "b"} {
		for _, name := range []string{"write-lat", "write-bw", "send-lat", "send-bw", "read-lat", "read-bw"} {
			f, err := result.Read(filepath.Join(w.dir, "out", build, name+".json"))
			if err != nil || f.Parameters.Runs != 3 || len(f.Rows) == 0 {
				t.Errorf("%s/%s: %v, %+v", build, name, err, f)
			}
		}
	}
	for _, name := range []string{"report.txt", "index.html"} {
		if data, err := os.ReadFile(filepath.Join(w.dir, "out", name)); err != nil || !strings.Contains(string(data), "rows: in B 0 are slower") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCompareBuildsOnOneSide: both sides need --against, or none.
func TestCompareBuildsOnOneSide(t *testing.T) {
	for _, sides := range [][2]string{{"", "--against " + bin}, {"--against " + bin, ""}} {
		w := newWorkspace(t, "out")
		server, port := w.serve("ib_compare", strings.Fields(sides[0])...)
		client := w.connect("ib_compare", port, strings.Fields(buildsOptions+" "+sides[1])...)
		client.exits(statusUsage, patience)
		client.wantStderr("--against needs the programs of another build on both sides")
		server.exits(statusUsage, patience)
	}
}
