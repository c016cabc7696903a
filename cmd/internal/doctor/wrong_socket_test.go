package doctor_test

import (
	"maps"
	"testing"

	"github.com/ibperf/ibperf/cmd/internal/doctor"
	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/internal/testsysfs"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// A run on the untuned host of testdata, with a thread at the wrong socket beside other work, and a peer that is an
// instance of EC2: all that its files tell at the begin and at the end, as the run prints it.
func TestRunOnTheWrongSocket(t *testing.T) {
	root := files(t, "two-sockets", "")
	watch := machine.NewWatch(root, "mlx5_0", 1, doctor.Counters())
	f := &result.File{Kind: option.KindBandwidth, Op: option.OpSend, Local: inspectFiles(root, opened["two-sockets"]), Peer: inspect(t, "efa-instance", "")}
	f.Rows = []result.Row{{Size: 8 << 20, Span: 16, Relaxed: true, Bandwidth: &result.Bandwidth{Average: 5e9},
		Local: result.Cost{CPUs: []int{2}, NUMANodes: []int{1}, Sleeps: 1}, Peer: result.Cost{CPUs: []int{0}, NUMANodes: []int{0}}}}
	const port = "sys/devices/pci0000:17/0000:17:00.0/0000:18:00.0/infiniband/mlx5_0/ports/1/"
	maps.Copy(root, testsysfs.Parse(t, port+`hw_counters/out_of_sequence: 112
`+port+`hw_counters/np_cnp_sent: 6007
proc/stat: cpu 0 0 0 0 0 0 0 0\ncpu2 200 0 0 900 0 0 0 0\ncpu6 175 0 0 925 0 0 0 0
`))
	watch.AddTo(f, 0)
	text := ""
	for _, found := range doctor.OfRun(f) {
		text += "FINDING: " + found.Line() + "\n"
	}
	golden.Check(t, "wrong-socket.golden", []byte(text))
}
