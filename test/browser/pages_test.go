package browser

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/leak"
	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

var (
	sizes = []int{2, 8, 64, 512, 4096, 65536, 1 << 20}
	modes = option.Modes()
)

// A resultPage is a page of result files. It is made once, when a test needs it.
type resultPage struct {
	name string
	runs func(t *testing.T) []*result.File
	once sync.Once
	file string
}

var (
	comparison = &resultPage{name: "comparison", runs: comparisonRuns}
	everything = &resultPage{name: "everything", runs: everyRun}
	oneTest    = &resultPage{name: "single", runs: func(t *testing.T) []*result.File {
		return []*result.File{testresult.File(t, "read", option.KindLatency, []int{64}, "poll")}
	}}
	trouble      = &resultPage{name: "trouble", runs: troubledRuns}
	severalHosts = &resultPage{name: "hosts", runs: runsOfSeveralHosts}
)

// path returns the path of the page, which ib_report made of the runs' files.
func (p *resultPage) path(t *testing.T) string {
	t.Helper()
	p.once.Do(func() {
		dir := filepath.Join(folder, p.name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		args := []string{"-o", dir}
		for i, f := range p.runs(t) {
			name := filepath.Join(dir, fmt.Sprintf("%02d.json", i))
			if err := f.Write(name); err != nil {
				t.Fatal(err)
			}
			args = append(args, name)
		}
		if out, err := exec.Command(filepath.Join(folder, "ib_report"), args...).CombinedOutput(); err != nil {
			t.Fatalf("ib_report: %v\n%s", err, out)
		}
		p.file = filepath.Join(dir, "index.html")
	})
	if p.file == "" {
		t.Fatal("the page could not be made, see the test that made it")
	}
	return p.file
}

// folder holds ib_report and the pages.
var folder string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

// buildAndRun builds ib_report without the race detector even if the tests have it: drawing would
// take ten times as long, and the tests of reports/plots run with it.
func buildAndRun(m *testing.M) int {
	var err error
	if folder, err = os.MkdirTemp("", "ibperf-browser-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	build := exec.Command("go", "build", "-o", folder+"/", "./cmd/ib_report")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build ./cmd/ib_report: %v\n%s", err, out)
		return 1
	}
	return leak.Run(m.Run)
}

// controlled returns a comparison in all modes with a control.
func controlled(t *testing.T, op option.Op, kind option.Kind, sizes []int) *result.File {
	return testresult.Controlled(testresult.File(t, op, kind, sizes, modes...), slices.Repeat([]float64{1}, len(sizes))...)
}

// comparisonRuns returns six tests, a sweep along QPs, and a run with --verify.
func comparisonRuns(t *testing.T) (runs []*result.File) {
	for _, op := range []option.Op{option.OpWrite, option.OpSend, option.OpRead} {
		runs = append(runs, controlled(t, op, option.KindLatency, sizes), controlled(t, op, option.KindBandwidth, sizes))
	}
	for _, qps := range []int{1, 16, 256} {
		f := testresult.File(t, "write", option.KindBandwidth, []int{64}, modes...)
		f.Parameters.QPs = qps
		runs = append(runs, f)
	}
	checked := testresult.File(t, "write", option.KindBandwidth, sizes, modes...)
	checked.Parameters.Verify = true
	for i := range checked.Rows {
		checked.Rows[i].Verify = &result.Verify{Messages: 1000}
	}
	return append(runs, checked)
}

// runsOfSeveralHosts returns two tests of three pairs of hosts.
func runsOfSeveralHosts(t *testing.T) (runs []*result.File) {
	for _, pair := range [][2]string{{"rack1-node01", "rack1-node02"}, {"rack1-node01", "rack2-node01"}, {"rack2-node01", "rack2-node02"}} {
		for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
			f := controlled(t, "write", kind, sizes)
			f.Local.Host, f.Peer.Host = pair[0], pair[1]
			runs = append(runs, f)
		}
	}
	return runs
}

// troubledRuns returns two runs of one test that went wrong, with long words in every text, and runs
// over all transports, some of which lost messages.
func troubledRuns(t *testing.T) []*result.File {
	a, b := testresult.File(t, "write", option.KindLatency, sizes, modes...), testresult.File(t, "write", option.KindLatency, sizes, modes...)
	long := strings.Repeat("averylongword", 12)
	a.Interrupted, a.Error = true, "the peer went away: "+long
	a.Local.Host, a.Local.CPU, a.Command = long, long, []string{"ib_write_lat", "--compare", long}
	a.Warnings = append(a.Warnings, result.Warning{ID: "long", Text: long})
	a.Rows[0].Warnings = append(a.Rows[0].Warnings, result.Warning{ID: "long", Text: "of a row: " + long})
	a.Rows[1].Verify = &result.Verify{Messages: 1000, Torn: 3, First: "message 4: " + long}
	for i := range b.Rows {
		b.Rows[i].Forced = b.Rows[i].Mode == "data"
	}
	return append([]*result.File{a, b}, testresult.Transports(t)...)
}

// everyRun returns six tests of all sizes, sweeps along QPs and pauses, and runs with --verify, on a
// busy host.
func everyRun(t *testing.T) (runs []*result.File) {
	t.Helper()
	all := make([]int, 23)
	for i := range all {
		all[i] = 2 << i
	}
	for _, op := range []option.Op{option.OpWrite, option.OpSend, option.OpRead} {
		checked := testresult.File(t, op, option.KindBandwidth, sizes, modes...)
		checked.Parameters.Verify = true
		for i := range checked.Rows {
			checked.Rows[i].Verify = &result.Verify{Messages: 1000}
		}
		runs = append(runs, controlled(t, op, option.KindLatency, all), controlled(t, op, option.KindBandwidth, all), checked)
	}
	for _, qps := range []int{1, 4, 16, 64, 256, 1024} {
		for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
			f := testresult.File(t, "write", kind, []int{64}, modes...)
			f.Parameters.QPs = qps
			runs = append(runs, f)
		}
	}
	for gap := range 5 {
		f := testresult.File(t, "write", option.KindLatency, []int{64}, modes...)
		f.Parameters.Gap = time.Duration(gap) * 7 * time.Microsecond
		runs = append(runs, f)
	}
	for i, f := range runs {
		disturb(f, uint64(i))
	}
	return runs
}

// A page is one file, which has to be small enough to be sent by mail.
func TestPageOfManyRunsIsSmall(t *testing.T) {
	info, err := os.Stat(everything.path(t))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 2_500_000 {
		t.Errorf("the page of %d runs has %d bytes", len(everything.runs(t)), info.Size())
	}
}

// disturb makes rounds as uneven as on a busy host, and adds warnings to rows of modes whose threads
// spin.
func disturb(f *result.File, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range f.Rows {
		r := &f.Rows[i]
		for j := range r.Rounds {
			off := math.Exp(0.15 * random.NormFloat64())
			r.Rounds[j].P50Ns *= off
			r.Rounds[j].MeanNs *= off
			r.Rounds[j].Average /= off
		}
		r.Local.Busy, r.Peer.Busy = 0.9+0.1*random.Float64(), 0.9+0.1*random.Float64()
		if random.IntN(3) == 0 && r.Mode != "event" {
			r.Warnings = append(r.Warnings, result.Warning{ID: "preempted", Text: "other work took the CPU of the measuring thread"})
		}
	}
}
