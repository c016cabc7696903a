package browser

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/plots"
	"github.com/ibperf/ibperf/reports/result"
)

var (
	sizes = []int{2, 8, 64, 512, 4096, 65536, 1 << 20}
	modes = []string{"data", "poll", "event"}
)

// pages writes one page of each kind and returns their paths.
func pages(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		"comparison": written(t, comparison(t)),
		"everything": written(t, everything(t)),
		"one test":   written(t, []*result.File{synthetic.File(t, "read", result.KindLatency, []int{64}, "poll")}),
		"trouble":    written(t, trouble(t)),
	}
}

func written(t *testing.T, runs []*result.File) string {
	t.Helper()
	dir := t.TempDir()
	figures, err := plots.Draw(dir, runs)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "index.html")
	if err := reports.WriteHTML(path, runs, figures); err != nil {
		t.Fatal(err)
	}
	return path
}

// comparison is six tests, a sweep, and a run whose bytes were checked.
func comparison(t *testing.T) (runs []*result.File) {
	for _, op := range []string{"write", "send", "read"} {
		runs = append(runs, synthetic.File(t, op, result.KindLatency, sizes, modes...), synthetic.File(t, op, result.KindBandwidth, sizes, modes...))
	}
	for _, qps := range []int{1, 16, 256} {
		f := synthetic.File(t, "write", result.KindBandwidth, []int{64}, modes...)
		f.Parameters.QPs = qps
		runs = append(runs, f)
	}
	checked := synthetic.File(t, "write", result.KindBandwidth, sizes, modes...)
	checked.Parameters.Verify = true
	for i := range checked.Rows {
		checked.Rows[i].Verify = &result.Verify{Messages: 1000}
	}
	return append(runs, checked)
}

// trouble is two runs of one test that went wrong, with long words in every text, and runs over all
// transports, of which some lost messages.
func trouble(t *testing.T) []*result.File {
	a, b := synthetic.File(t, "write", result.KindLatency, sizes, modes...), synthetic.File(t, "write", result.KindLatency, sizes, modes...)
	long := strings.Repeat("averylongword", 12)
	a.Interrupted, a.Error = true, "the peer went away: "+long
	a.Local.Host, a.Local.CPU, a.Command = long, long, []string{"ib_write_lat", "--compare", long}
	a.Warnings = append(a.Warnings, result.Warning{ID: "long", Text: long})
	a.Rows[0].Warnings = append(a.Rows[0].Warnings, result.Warning{ID: "long", Text: "of a row: " + long})
	a.Rows[1].Verify = &result.Verify{Messages: 1000, Torn: 3, First: "message 4: " + long}
	for i := range b.Rows {
		b.Rows[i].Forced = b.Rows[i].Mode == "data"
	}
	return append([]*result.File{a, b}, synthetic.Transports(t)...)
}

// everything is six tests of all sizes, sweeps along QPs and pauses, and runs whose bytes
// were checked, on a busy host.
func everything(t *testing.T) (runs []*result.File) {
	t.Helper()
	all := make([]int, 23)
	for i := range all {
		all[i] = 2 << i
	}
	for _, op := range []string{"write", "send", "read"} {
		checked := synthetic.File(t, op, result.KindBandwidth, sizes, modes...)
		checked.Parameters.Verify = true
		for i := range checked.Rows {
			checked.Rows[i].Verify = &result.Verify{Messages: 1000}
		}
		runs = append(runs, synthetic.File(t, op, result.KindLatency, all, modes...), synthetic.File(t, op, result.KindBandwidth, all, modes...), checked)
	}
	for _, qps := range []int{1, 4, 16, 64, 256, 1024} {
		for _, kind := range []string{result.KindLatency, result.KindBandwidth} {
			f := synthetic.File(t, "write", kind, []int{64}, modes...)
			f.Parameters.QPs = qps
			runs = append(runs, f)
		}
	}
	for gap := range 5 {
		f := synthetic.File(t, "write", result.KindLatency, []int{64}, modes...)
		f.Parameters.Gap = time.Duration(gap) * 7 * time.Microsecond
		runs = append(runs, f)
	}
	for i, f := range runs {
		disturb(f, uint64(i))
	}
	return runs
}

// Everything is in one file, which has to be sent and opened anywhere.
func TestPageOfManyRunsIsSmall(t *testing.T) {
	runs := everything(t)
	info, err := os.Stat(written(t, runs))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 950_000 {
		t.Errorf("the page of %d runs has %d bytes", len(runs), info.Size())
	}
}

// disturb makes rounds as uneven as those of a busy host are, and rows to be warned of: those
// of threads that spin.
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
