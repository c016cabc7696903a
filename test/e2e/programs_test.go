package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/leak"
	"github.com/ibperf/ibperf/test/stub"
)

// programs are the benchmarks with messages of any size and all completion modes.
var programs = []string{"ib_write_lat", "ib_write_bw", "ib_send_lat", "ib_send_bw", "ib_read_lat", "ib_read_bw"}

// modes are the completion modes.
var modes = []string{"data", "poll", "adaptive", "event"}

// compared are the rows of a comparison, in the order of their names.
var compared = append(slices.Clone(modes), "poll (control)")

// The exit statuses, see docs/EXIT-STATUS.md.
const (
	statusDone    = 0
	statusOther   = 1
	statusUsage   = 2
	statusDevice  = 3
	statusPeer    = 4
	statusData    = 5
	statusRefused = 6
	statusLimit   = 7
	statusDiffers = 8
	statusUnclear = 9
)

// bin is the folder of the built programs.
var bin string

var (
	builtIn    = flag.String("bin", "", "folder of the programs (default: they are built)")
	deviceName = flag.String("device", "", "RDMA device, such as mlx5_0; none: tests that need one are skipped")
	address    = flag.String("address", "", "IP address of the device's network interface, for the tests of rdma_cm")
)

// parallel is the number of parallel tests that run at the same time, after all others. They mostly
// wait for a time limit of a program, and need little CPU time.
const parallel = "8"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", parallel); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if *builtIn != "" {
		bin = *builtIn
		os.Exit(run(m))
	}
	os.Exit(buildAndRun(m))
}

// buildAndRun builds the programs once, and without the race detector even if the tests have it: it
// slows polling down a hundredfold.
func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ibperf-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	build := exec.Command("go", "build", "-o", dir+"/", "./cmd/ib...")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
		return 1
	}
	return run(m)
}

// run runs the tests and reports processes that they left.
func run(m *testing.M) int {
	status := leak.Run(func() int {
		defer stub.Remove()
		return m.Run()
	})
	if left := ourProcesses(); len(left) > 0 {
		fmt.Fprintf(os.Stderr, "the tests left processes: %s\n", strings.Join(left, ", "))
		return 1
	}
	return status
}

// embedded is the device of perftest's command lines.
const embedded = "shm_whole"

// clientDevice is the device of clients whose arguments name none.
func clientDevice() string {
	if *deviceName != "" {
		return *deviceName
	}
	return embedded
}

// isLatency reports whether a program measures latency, not bandwidth.
func isLatency(program string) bool { return strings.HasSuffix(program, "_lat") }

// sides are the sides of a pair that a test interrupts, kills or stops.
var sides = []string{"client", "server"}

// ending is a run that a test ends: the program, its completion mode, and the side that is
// interrupted, killed or stopped.
type ending struct{ program, mode, side, options string }

func (e ending) name() string {
	return strings.Join(strings.Fields(e.program+" "+e.mode+" "+e.side), " ")
}

// allEndings returns every program in every mode, ended on either side.
func allEndings() (all []ending) {
	for _, program := range programs {
		for _, mode := range modes {
			for _, side := range sides {
				all = append(all, ending{program: program, mode: mode, side: side})
			}
		}
	}
	return all
}

// sampleOfEndings returns each program once, each mode, and two modes with either side.
func sampleOfEndings() (sample []ending) {
	for _, e := range allEndings() {
		i := slices.Index(programs, e.program)
		if e.mode == modes[i%len(modes)] && e.side == sides[(i+i/len(modes))%len(sides)] {
			sample = append(sample, e)
		}
	}
	return sample
}

// sampleOfPrograms has each operation, latency and bandwidth.
var sampleOfPrograms = []string{"ib_write_lat", "ib_send_bw", "ib_read_lat"}

// eachProgram runs a test for every benchmark program.
func eachProgram(t *testing.T, test func(t *testing.T, program string)) {
	t.Helper()
	for _, program := range programs {
		t.Run(program, func(t *testing.T) { test(t, program) })
	}
}
