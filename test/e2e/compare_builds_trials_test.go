//go:build trials

package e2e

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// builds is the number of comparisons of each kind; of 20, one may be wrong.
var builds = flag.Int("builds", 2, "number of comparisons of builds of each kind in TestTrialOfBuilds, each of which takes two minutes")

// TestTrialOfBuilds compares this build with one whose READs take 5 % longer (loop/slow_tag.go), which has to be found in 19 of 20
// comparisons, and with itself, which may be slower in one of 20.
func TestTrialOfBuilds(t *testing.T) {
	slow := t.TempDir()
	build := exec.Command("go", "build", "-tags", "slow", "-o", slow+"/", "./cmd/ib_compare")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found, regression := regexp.MustCompile("REGRESSION: ib_read_lat, "), regexp.MustCompile("REGRESSION: (.*) % slower")
	missed, wrong := 0, 0
	for range *builds {
		if text := compareWith(t, slow, bin); !found.MatchString(text) {
			missed++
			t.Logf("the slower build was not found:\n%s", text)
		} else {
			t.Logf("found: %q", regression.FindAllString(text, -1))
		}
		if text := compareWith(t, bin, bin); regression.MatchString(text) {
			wrong++
			t.Logf("a build is slower than itself:\n%s", text)
		}
	}
	t.Logf("of %d comparisons, a slower build was missed in %d, and a build was slower than itself in %d", *builds, missed, wrong)
	if max(missed, wrong) > (*builds+19)/20 {
		t.Errorf("want at most one of 20 each")
	}
}

// compareWith compares the programs of a folder with those of another one, and returns the report.
func compareWith(t *testing.T, folder, other string) string {
	t.Helper()
	w := newWorkspace(t, "out")
	program := filepath.Join(folder, "ib_compare")
	server, port := w.serve(program, "--against", other)
	client := w.connect(program, port, "-d", "shm_whole", "-s", "64", "-D", "200ms", "--dir", "out", "--against", other)
	if status := client.wait(compareLimit); status != statusDone && status != statusLimit {
		t.Fatalf("status %d\n%s", status, client.output())
	}
	server.exits(statusDone, patience)
	text, err := os.ReadFile(filepath.Join(w.dir, "out", "report.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
