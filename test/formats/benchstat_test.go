package formats

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/formats"
	"github.com/ibperf/ibperf/result"
)

// benchstat runs the recipe of docs/RESULTS.md with further arguments, in the folder of the files.
func benchstat(t *testing.T, files map[string][]*result.File, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	for name, runs := range files {
		var b bytes.Buffer
		if err := formats.Write(&b, runs, option.FormatGobench); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program, err := exec.Command("go", "tool", "-n", "benchstat").Output()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(string(bytes.TrimSpace(program)), append([]string{"-table", ".name"}, args...)...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", c, err, out)
	}
	return string(out)
}

// onHost returns a run on a host with a device and a seed of its own, whose figures are multiplied by
// a factor.
func onHost(t *testing.T, host string, seed int, factor float64) *result.File {
	f := testresult.Comparison(t, "write", option.KindLatency, []int{8, 64}, map[option.Mode][]float64{"data": {0.5, 0.5}})
	f.Local.Host, f.Local.Device.Name, f.Parameters.Seed = host, "mlx5_"+host, seed
	for i := range f.Rows {
		for j := range f.Rows[i].Rounds {
			f.Rows[i].Rounds[j].MeanNs = (100 + float64(j)/10) * factor
		}
	}
	return f
}

// wants checks that the output has a line for each pattern.
func wants(t *testing.T, out string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile("(?m)^" + p).MatchString(out) {
			t.Errorf("no line %q in\n%s", p, out)
		}
	}
}

// benchstat compares the runs of two files although host, device and seed differ.
func TestBenchstatComparesTwoFiles(t *testing.T) {
	old, late := onHost(t, "a", 1, 1), onHost(t, "b", 2, 0.8)
	out := benchstat(t, map[string][]*result.File{"old.txt": {old}, "new.txt": {late}}, "old.txt", "new.txt")
	wants(t, out, `.*│ *old\.txt *│ *new\.txt`, `\*/size=8/mode=poll .* -20\.\d+% \(p=0\.000 n=20\)`, `\*/size=64/mode=data .* -20\.\d+%`)
}

// benchstat compares the runs of one file by any option, and the modes of one run.
func TestBenchstatComparesByOptionAndByMode(t *testing.T) {
	one, two := onHost(t, "a", 1, 1), onHost(t, "b", 2, 2)
	two.Parameters.MTU = 1024
	files := map[string][]*result.File{"both.txt": {one, two}, "run.txt": {one}}
	wants(t, benchstat(t, files, "-col", "mtu_bytes", "both.txt"), `.*│ *4096 *│ *1024`, `\*/size=8/mode=poll .* \+100\.\d+%`)
	for i := range one.Rows {
		if one.Rows[i].Mode == option.ModeData {
			for j := range one.Rows[i].Rounds {
				one.Rows[i].Rounds[j].MeanNs /= 2
			}
		}
	}
	wants(t, benchstat(t, files, "-row", "/size", "-col", "/mode@(poll data)", "run.txt"), `.*│ *poll *│ *data`, `8 .* -50\.\d+%`)
}

// A key that a run does not have does not keep the value of the run before it.
func TestBenchstatGetsNoKeyOfAnotherRun(t *testing.T) {
	software, hardware := onHost(t, "a", 1, 1), onHost(t, "b", 2, 2)
	hardware.Local.Device.Software, hardware.Peer.Device.Software = "", ""
	out := benchstat(t, map[string][]*result.File{"both.txt": {software, hardware}}, "-filter", "software:/./", "-col", "host", "both.txt")
	wants(t, out, `.*│ *a *│$`)
}
