//go:build trials

package e2e

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/reports/diff"
	"github.com/ibperf/ibperf/result"
)

// builds is the number of comparisons of each kind; of 20, one may be wrong.
var builds = flag.Int("builds", 2, "number of comparisons of builds of each kind in TestTrialOfBuilds, each of which takes two minutes")

// TestTrialOfBuilds compares this build with one whose READs take 5 % longer (loop/slow_tag.go), which has to be found in 19 of 20
// comparisons, and with itself, which may be slower in one of 20.
func TestTrialOfBuilds(t *testing.T) {
	slow := slowBuild(t)
	found, regression := regexp.MustCompile("REGRESSION: ib_read_lat, "), regexp.MustCompile("REGRESSION: (.*) % slower")
	missed, wrong := 0, 0
	for range *builds {
		c := compareWith(t, slow, bin)
		t.Logf("READs of the slower build take %.1f %% longer: %q", c.reads, regression.FindAllString(c.report, -1))
		if !found.MatchString(c.report) {
			missed++
			t.Logf("the slower build was not found:\n%s", c.report)
		}
		if c := compareWith(t, bin, bin); regression.MatchString(c.report) {
			wrong++
			t.Logf("a build is slower than itself:\n%s", c.report)
		}
	}
	t.Logf("of %d comparisons, a slower build was missed in %d, and a build was slower than itself in %d", *builds, missed, wrong)
	if max(missed, wrong) > (*builds+19)/20 {
		t.Errorf("want at most one of 20 each")
	}
}

// slowBuild builds an ib_compare whose READs take 5 % longer on this machine, and returns its folder.
func slowBuild(t *testing.T) string {
	const want, tries = 5, 6
	steps := 10
	for range tries {
		slow := t.TempDir()
		build := exec.Command("go", "build", "-tags", "slow", "-o", slow+"/", "-ldflags",
			fmt.Sprintf("-X github.com/ibperf/ibperf/harness/internal/loop.slowSteps=%d", steps), "./cmd/ib_compare")
		build.Dir = filepath.Join("..", "..")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		percent := compareWith(t, slow, bin).reads
		t.Logf("by %d steps READs take %.1f %% longer", steps, percent)
		better := max(1, int(math.Round(float64(steps)*want/max(percent, want/3.0))))
		if math.Abs(percent-want) < 0.5 || better == steps {
			return slow
		}
		steps = better
	}
	t.Fatalf("no number of steps makes READs take %d %% longer", want)
	return ""
}

// comparison is a report and the ratio of its READs.
type comparison struct {
	report string
	reads  float64 // by how many percent the geometric mean of READ latencies is longer
}

// compareWith compares the programs of a folder with those of another one.
func compareWith(t *testing.T, folder, other string) comparison {
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
	return comparison{string(text), slowdownOfReads(t, filepath.Join(w.dir, "out"))}
}

func slowdownOfReads(t *testing.T, folder string) float64 {
	t.Helper()
	set := func(build string) diff.Set {
		f, err := result.Read(filepath.Join(folder, build, "read-lat.json"))
		if err != nil {
			t.Fatal(err)
		}
		return diff.Set{Name: build, Files: []*result.File{f}}
	}
	d, err := diff.InTurn(set("a"), set("b"))
	if err != nil {
		t.Fatal(err)
	}
	all := slices.IndexFunc(d.Pairs, func(p *diff.Pair) bool { return p.All })
	if all < 0 {
		t.Fatal("no ratio of all READs")
	}
	return 100 * d.Pairs[all].Slowdown()
}
