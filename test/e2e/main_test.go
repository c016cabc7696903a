// Package e2e runs the programs as people do: as processes that talk over the
// loopback interface and an embedded device. It holds what users and scripts
// rely on: what is printed where, exit statuses, result files, and that nothing
// is left behind however a process ends.
//
// Pairs of processes spin on both cores of a small machine, so tests do not run
// in parallel. Nothing here waits for time to pass: only for conditions, with
// deadlines that a busy machine meets.
//
// IBPERF_LONG=1 adds a test of millions of messages, which needs -timeout 2h.
//
// The tests named TestDevice run the programs on an RDMA device, which -device names:
//
//	go test ./test/e2e -run '^TestDevice' -device mlx5_0 -address 10.0.0.1
package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programs are the benchmarks that have messages of any size, in all modes.
var programs = []string{"ib_write_lat", "ib_write_bw", "ib_send_lat", "ib_send_bw", "ib_read_lat", "ib_read_bw"}

// modes are the completion modes that are not "auto".
var modes = []string{"data", "poll", "event"}

// The exit statuses, which are documented and never reused.
const (
	statusDone    = 0
	statusOther   = 1
	statusUsage   = 2
	statusDevice  = 3
	statusPeer    = 4
	statusData    = 5
	statusRefused = 6
	statusDiffers = 8
)

// bin is the folder of the built programs.
var bin string

var (
	builtIn    = flag.String("bin", "", "folder of the programs (default: they are built)")
	deviceName = flag.String("device", "", "RDMA device, such as mlx5_0; none: tests that need one are skipped")
	address    = flag.String("address", "", "IP address of the device's network interface, for the tests of rdma_cm")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *builtIn != "" {
		bin = *builtIn
		os.Exit(run(m))
	}
	os.Exit(buildAndRun(m))
}

// buildAndRun builds the programs once, without the race detector even if the
// tests have it: it would slow spinning down a hundredfold.
func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ibperf-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	build := exec.Command("go", "build", "-o", dir+"/", "./cmd/...")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
		return 1
	}
	return run(m)
}

// run runs the tests and looks for processes that they have left.
func run(m *testing.M) int {
	status := m.Run()
	if stubFolder != "" {
		os.RemoveAll(stubFolder)
	}
	if left := ourProcesses(); len(left) > 0 {
		fmt.Fprintf(os.Stderr, "processes are left: %s\n", strings.Join(left, ", "))
		return 1
	}
	return status
}

// embedded is the device that command lines are run on.
const embedded = "shm_whole"

// clientDevice is the device of clients whose arguments name none.
func clientDevice() string {
	if *deviceName != "" {
		return *deviceName
	}
	return embedded
}

// latency tells the latency programs from the bandwidth ones.
func latency(program string) bool { return strings.HasSuffix(program, "_lat") }

// each runs a test for every benchmark program.
func each(t *testing.T, test func(t *testing.T, program string)) {
	t.Helper()
	for _, program := range programs {
		t.Run(program, func(t *testing.T) { test(t, program) })
	}
}
