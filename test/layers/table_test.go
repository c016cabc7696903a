package layers

// A rule names a package of the product and all packages of this module that it may import.
type rule struct {
	pkg     string
	imports []string
}

// requirements are the modules that the product needs, as go.mod lists them.
var requirements = []string{
	"codeberg.org/go-pdf/fpdf",
	"github.com/HdrHistogram/hdrhistogram-go",
	"github.com/spf13/pflag",
	"golang.org/x/image",
	"golang.org/x/sys",
	"gonum.org/v1/plot",
}

// table has every package of the product, from top to bottom: a package imports only packages
// further down. Packages of test/ are not in the table: they may import any package, and no
// package of the product imports them.
var table = []rule{
	{"cmd/ib_atomic_bw", []string{"cmd/internal/cli", "option"}},
	{"cmd/ib_atomic_lat", []string{"cmd/internal/cli", "option"}},
	{"cmd/ib_caps", []string{"cmd/internal/cli"}},
	{"cmd/ib_cluster", []string{"cmd/internal/cli", "cmd/internal/cluster/heatmap"}},
	{"cmd/ib_compare", []string{"cmd/internal/cli", "reports/plots"}},
	{"cmd/ib_conform", []string{"cmd/internal/cli", "internal/conform"}},
	{"cmd/ib_read_bw", []string{"cmd/internal/cli", "option"}},
	{"cmd/ib_read_lat", []string{"cmd/internal/cli", "option"}},
	{"cmd/ib_report", []string{
		"cmd/internal/cluster/heatmap", "cmd/internal/drawing", "internal/atomicfile", "internal/outfolder", "internal/printable", "internal/terminal", "internal/version",
		"option", "reports/chart", "reports/diff", "reports/formats", "reports/page", "reports/phrase", "reports/plots", "reports/text", "reports/verdict", "result",
	}},
	{"cmd/ib_send_bw", []string{"cmd/internal/cli", "option"}},
	{"cmd/ib_send_lat", []string{"cmd/internal/cli", "option"}},
	{"cmd/ib_verify", []string{"cmd/internal/cli"}},
	{"cmd/ib_write_bw", []string{"cmd/internal/cli", "option"}},
	{"cmd/ib_write_lat", []string{"cmd/internal/cli", "option"}},
	{"cmd/ibperf", []string{"cmd/internal/cli", "internal/conform"}},

	{"cmd/internal/manpages", nil},
	{"cmd/internal/cli", []string{
		"cmd/internal/caps", "cmd/internal/doctor", "cmd/internal/cluster/agent", "cmd/internal/cluster/coordinator", "cmd/internal/cluster/launch", "cmd/internal/cluster/pmi", "cmd/internal/cluster/results", "cmd/internal/cluster/schedule", "cmd/internal/cluster/simulation", "cmd/internal/cluster/topology", "cmd/internal/compare", "cmd/internal/drawing", "cmd/internal/machine", "cmd/internal/verify", "harness", "internal/conform", "oob", "oob/perftest", "reports", "reports/diff", "reports/formats", "reports/limits", "result", "option",
		"verbs/ibv", "verbs/shm", "verbs/verbstest", "verbs",
		"internal/atomicfile", "internal/gpu", "internal/host", "internal/outfolder", "internal/pmix", "internal/printable", "internal/sched", "internal/subprocess", "internal/terminal", "internal/topology", "internal/units", "internal/version",
	}},
	{"cmd/internal/compare", []string{"cmd/internal/doctor", "harness", "reports/page", "reports/phrase", "reports/text", "reports/verdict", "result", "option", "internal/atomicfile", "internal/outfolder"}},
	{"cmd/internal/cluster/agent", []string{"oob", "internal/subprocess"}},
	{"cmd/internal/cluster/coordinator", []string{"cmd/internal/cluster/results", "cmd/internal/cluster/schedule", "cmd/internal/cluster/topology", "oob"}},
	{"cmd/internal/cluster/heatmap", []string{"cmd/internal/cluster/results", "reports/chart", "reports/phrase", "internal/units"}},
	{"cmd/internal/cluster/pmi", nil},
	{"cmd/internal/cluster/launch", nil},
	{"cmd/internal/cluster/topology", nil},
	{"cmd/internal/cluster/simulation", []string{"cmd/internal/cluster/schedule", "cmd/internal/cluster/verdict"}},
	{"cmd/internal/cluster/schedule", nil},
	{"cmd/internal/verify", []string{"reports/table", "result", "option", "internal/atomicfile", "internal/outfolder", "internal/units"}},
	{"cmd/internal/caps", []string{"cmd/internal/doctor", "result", "verbs"}},
	{"cmd/internal/doctor", []string{"reports/phrase", "reports/rows", "result", "option", "verbs", "internal/topology", "internal/units"}},
	{"cmd/internal/machine", []string{"harness", "option", "result", "verbs", "verbs/shm", "internal/host", "internal/sched", "internal/topology"}},
	{"cmd/internal/drawing", []string{"cmd/internal/cluster/results", "reports/page", "result", "internal/subprocess"}},
	{"cmd/internal/cluster/results", []string{"cmd/internal/cluster/verdict", "reports/phrase", "reports/table", "result", "internal/atomicfile", "internal/limit", "internal/outfolder", "internal/units"}},
	{"cmd/internal/cluster/verdict", nil},

	{"internal/conform", []string{"oob", "result", "verbs/verbstest", "verbs", "internal/subprocess"}},
	{"harness", []string{
		"harness/internal/loop", "harness/internal/setup", "harness/internal/halt", "harness/internal/testcase", "harness/internal/affinity",
		"harness/internal/stats", "harness/internal/clock", "oob", "result", "option", "verbs", "internal/gpu", "internal/host", "internal/topology", "internal/confidence",
	}},
	{"harness/internal/loop", []string{
		"harness/internal/setup", "harness/internal/halt", "harness/internal/testcase", "harness/internal/affinity", "harness/internal/message",
		"harness/internal/stats", "harness/internal/clock", "result", "option", "verbs", "internal/sched",
	}},
	{"harness/internal/setup", []string{"harness/internal/affinity", "harness/internal/halt", "harness/internal/testcase", "oob", "option", "verbs", "internal/gpu"}},
	{"harness/internal/halt", nil},
	{"harness/internal/testcase", []string{"harness/internal/message", "harness/internal/stats", "result", "option", "verbs"}},
	{"harness/internal/affinity", []string{"internal/sched"}},
	{"harness/internal/message", []string{"result", "verbs"}},
	{"harness/internal/stats", []string{"result"}},
	{"harness/internal/clock", nil},
	{"oob/perftest", []string{"oob", "result", "option", "verbs"}},
	{"oob", []string{"result", "option", "verbs", "internal/printable", "internal/units"}},

	{"reports", []string{"reports/formats", "reports/rows", "reports/text", "reports/verdict", "result", "option", "internal/units"}},
	{"reports/diff", []string{"reports/page", "reports/rows", "reports/table", "result", "internal/confidence"}},
	{"reports/plots", []string{"reports/chart", "reports/page", "reports/phrase", "reports/rows", "reports/verdict", "result", "option", "internal/printable", "internal/units"}},
	{"reports/limits", []string{"reports/phrase", "reports/rows", "result", "option", "internal/units"}},
	{"reports/page", []string{"reports/phrase", "reports/rows", "reports/table", "reports/tables", "reports/verdict", "result", "option", "internal/atomicfile", "internal/printable"}},
	{"reports/text", []string{"reports/phrase", "reports/rows", "reports/table", "reports/tables", "reports/verdict", "result", "option", "internal/atomicfile", "internal/printable", "internal/units"}},
	{"reports/formats", []string{"reports/rows", "reports/verdict", "result", "option", "internal/outfolder", "internal/printable"}},
	{"reports/tables", []string{"reports/phrase", "reports/rows", "reports/table", "result", "option", "internal/printable", "internal/units"}},
	{"reports/verdict", []string{"reports/phrase", "reports/rows", "result", "option", "internal/confidence", "internal/printable", "internal/units"}},
	{"reports/rows", []string{"reports/phrase", "result", "option", "internal/confidence", "internal/printable", "internal/units"}},
	{"reports/chart", []string{"reports/phrase", "internal/atomicfile", "internal/outfolder", "internal/units"}},
	{"reports/phrase", []string{"internal/printable", "internal/units"}},
	{"reports/table", nil},

	{"internal/testresult", []string{"result", "option"}},
	{"result", []string{"option", "internal/atomicfile", "internal/printable", "internal/units"}},
	{"option", []string{"verbs", "internal/limit"}},

	{"verbs/shm", []string{"verbs", "verbs/internal/fdwait", "verbs/internal/memfd", "verbs/internal/store", "verbs/shm/internal/arming", "verbs/shm/internal/lockorder", "verbs/shm/internal/quiesce", "verbs/shm/internal/ring"}},
	{"verbs/shm/internal/arming", []string{"verbs/shm/internal/interleave"}},
	{"verbs/shm/internal/ring", []string{"verbs/internal/store", "verbs/shm/internal/interleave"}},
	{"verbs/shm/internal/quiesce", []string{"verbs/internal/store", "verbs/shm/internal/interleave"}},
	{"verbs/shm/internal/interleave", nil},
	{"verbs/shm/internal/lockorder", nil},
	{"verbs/ibv", []string{"verbs", "verbs/ibv/internal/ccall", "verbs/internal/fdwait"}},
	{"verbs/ibv/internal/ccall", nil},
	{"verbs/verbstest", []string{"verbs", "verbs/verbstest/fixture", "internal/host", "internal/subprocess"}},
	{"verbs/verbstest/fixture", []string{"verbs"}},
	{"internal/testdevice", []string{"verbs"}},
	{"verbs", []string{"verbs/internal/memfd", "verbs/internal/offheap"}},
	{"verbs/internal/store", []string{"internal/sched"}},
	{"verbs/internal/fdwait", nil},
	{"verbs/internal/memfd", nil},
	{"verbs/internal/offheap", nil},

	{"internal/pmix", nil},
	{"internal/outfolder", []string{"internal/atomicfile"}},
	{"internal/atomicfile", nil},
	{"internal/confidence", nil},
	{"internal/emulation", nil},
	{"internal/golden", nil},
	{"internal/gpu", nil},
	{"internal/topology", []string{"internal/host"}},
	{"internal/host", nil},
	{"internal/printable", nil},
	{"internal/leak", nil},
	{"internal/limit", nil},
	{"internal/sched", nil},
	{"internal/subprocess", nil},
	{"internal/terminal", nil},
	{"internal/testclock", nil},
	{"internal/testsysfs", nil},
	{"internal/units", nil},
	{"internal/version", nil},
}
