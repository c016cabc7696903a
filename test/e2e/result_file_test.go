package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/ibperf/ibperf/result"
)

// readResult reads a result file as the reports do.
func (w *workspace) readResult(name string) *result.File {
	w.t.Helper()
	f, err := result.Read(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	return f
}

// TestResultFiles checks the files of both sides: the parameters, a unit and a definition of each
// number, and the same numbers as in the printed rows. It runs [sampleOfPrograms];
// TestTrialOfResultFiles runs all programs.
func TestResultFiles(t *testing.T) { checkResultFiles(t, sampleOfPrograms) }

func checkResultFiles(t *testing.T, programs []string) {
	for _, program := range programs {
		t.Run(program, func(t *testing.T) { checkFilesOfPair(t, program) })
	}
}

func checkFilesOfPair(t *testing.T, program string) {
	w := newWorkspace(t, "*.json")
	server, client := w.runPair(statusDone, program, "--out_json_file server.json",
		"-d shm_block128 --compare --verify -s 300 -n 300 --offset 5 --out_json_file client.json")
	for _, side := range []struct {
		role string
		*process
	}{{"client", client}, {"server", server}} {
		f := w.readResult(side.role + ".json")
		if f.Role != side.role || f.Program != program || f.Interrupted || f.Error != "" || f.Command[0] == "" {
			t.Errorf("%s: role %q, program %q, interrupted %v, error %q", side.role, f.Role, f.Program, f.Interrupted, f.Error)
		}
		if f.Finished.Before(f.Started) || f.Started.IsZero() {
			t.Errorf("%s: started %v, finished %v", side.role, f.Started, f.Finished)
		}
		checkParameters(t, f)
		checkSides(t, f)
		for _, w := range []string{"software-device", "verify"} {
			if !slices.ContainsFunc(f.Warnings, func(have result.Warning) bool { return string(have.ID) == w && have.Text != "" }) {
				t.Errorf("%s: no warning %s", side.role, w)
			}
		}
		printed := side.wantRows(layoutOf(program), []int{300}, compared)
		checkRows(t, f, printed)
		checkExplained(t, filepath.Join(w.dir, side.role+".json"))
	}
}

// TestMembersOfPerftest: the file of --out_json has perftest's members, with the figures of the printed row.
func TestMembersOfPerftest(t *testing.T) {
	for _, program := range []string{"ib_send_bw", "ib_write_lat"} {
		w := newWorkspace(t, "*.json")
		_, client := w.runPair(statusDone, program, "", "-d shm_whole -s 4096 -n 2000 --out_json_file out.json")
		f, printed := w.readResult("out.json"), client.wantRows(layoutOf(program), []int{4096}, []string{map[bool]string{true: "data", false: "poll"}[isLatency(program)]})
		r, p := f.Results, printed[0]
		if f.TestInfo == nil || f.TestInfo.Device != "shm_whole" || r == nil || r.Size != 4096 || int(r.Iterations) != int(p.count) {
			t.Fatalf("%s: %+v, %+v", program, f.TestInfo, r)
		}
		have := map[bool]*float64{true: r.Max, false: r.Average}[isLatency(program)]
		if have == nil || math.Abs(*have-p.numbers[1]) > 0.011 { // rounded
			t.Errorf("%s: %+v, printed %+v", program, r, p)
		}
	}
}

func checkParameters(t *testing.T, f *result.File) {
	t.Helper()
	q := f.Parameters
	if q.Transport != "RC" || !q.Compare || fmt.Sprint(q.Modes) != fmt.Sprint(modes) || !slices.Equal(q.Sizes, []int{300}) ||
		q.Iterations != 300 || q.QPs != 1 || q.Offset != 5 || !q.Verify || q.ForceData || q.MTU == 0 || q.TxDepth == 0 {
		t.Errorf("%s: other parameters than the options: %+v", f.Role, q)
	}
}

func checkSides(t *testing.T, f *result.File) {
	t.Helper()
	for name, s := range map[string]result.Side{"this side": f.Local, "the peer": f.Peer} {
		if s.Device.Name != "shm_block128" || s.Device.Backend != "shm" || s.Device.Software == "" ||
			s.Order.Query == "" || s.Order.Answer != result.OrderBlocks ||
			s.Host == "" || s.Kernel == "" || s.CPU == "" || s.CPUs < 1 || s.Libraries["go"] == "" || s.Clock == "" || s.ClockNs <= 0 {
			t.Errorf("%s: %s lacks something: %+v", f.Role, name, s)
		}
	}
}

// checkRows compares the rows of a file with the printed ones.
func checkRows(t *testing.T, f *result.File, printed []row) {
	t.Helper()
	if len(f.Rows) != len(printed) {
		t.Fatalf("%s: %d rows in the file, %d printed", f.Role, len(f.Rows), len(printed))
	}
	for i, r := range f.Rows {
		have := printed[i]
		if r.Size != have.size || r.Name() != have.mode || r.Forced || r.Opcode == "" {
			t.Errorf("%s: row %+v printed as %+v", f.Role, r, have)
		}
		if r.Verify == nil || r.Verify.Messages == 0 || r.Verify.Bad() != 0 {
			t.Errorf("%s: --verify found %+v", f.Role, r.Verify)
		}
		var numbers string
		if l := r.Latency; l != nil {
			checkHistogram(t, l)
			numbers = fmt.Sprintf("%d %.2f %.2f %.2f", l.N, l.MinNs/1e3, l.MaxNs/1e3, l.P50Ns/1e3)
			if want := fmt.Sprintf("%d %.2f %.2f %.2f", have.count, have.numbers[0], have.numbers[1], have.numbers[2]); !near(numbers, want) {
				t.Errorf("%s: in the file %s, printed %s", f.Role, numbers, want)
			}
			continue
		}
		b := r.Bandwidth
		peak := cmp.Or(b.Peak, b.Average) // without a complete window the average is printed
		numbers = fmt.Sprintf("%d %.2f %.2f %.6f", b.Messages, peak/(1<<20), b.Average/(1<<20), b.MsgRate/1e6)
		if want := fmt.Sprintf("%d %.2f %.2f %.6f", have.count, have.numbers[0], have.numbers[1], have.numbers[2]); numbers != want {
			t.Errorf("%s: in the file %s, printed %s", f.Role, numbers, want)
		}
	}
}

// near reports whether numbers are equal that were rounded in different steps.
func near(a, b string) bool {
	var x, y [4]float64
	_, err1 := fmt.Sscan(a, &x[0], &x[1], &x[2], &x[3])
	_, err2 := fmt.Sscan(b, &y[0], &y[1], &y[2], &y[3])
	for i := range x {
		if d := x[i] - y[i]; d > 0.011 || d < -0.011 {
			return false
		}
	}
	return err1 == nil && err2 == nil
}

// checkHistogram checks that the file has the samples, from which plots are drawn.
func checkHistogram(t *testing.T, l *result.Latency) {
	t.Helper()
	h, err := hdrhistogram.Decode([]byte(l.Histogram))
	if err != nil {
		t.Fatalf("histogram: %v", err)
	}
	median := float64(h.ValueAtQuantile(50)) * l.Factor
	if h.TotalCount() != int64(l.N) || median < l.P50Ns*0.99 || median > l.P50Ns*1.01 {
		t.Errorf("histogram of %d samples with median %v, want %d with %v", h.TotalCount(), median, l.N, l.P50Ns)
	}
}

// checkExplained checks that each number in the rows has a unit and a definition.
func checkExplained(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Units, Definitions map[string]string
		Rows               []map[string]any
	}
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, inner := range value {
				walk(strings.TrimPrefix(path+"."+name, "."), inner)
			}
		case []any:
			for _, inner := range value {
				walk(path, inner)
			}
		case float64:
			if f.Units[path] == "" || f.Definitions[path] == "" {
				t.Errorf("%s: unit %q, definition %q", path, f.Units[path], f.Definitions[path])
			}
		}
	}
	for _, r := range f.Rows {
		walk("", r)
	}
}
