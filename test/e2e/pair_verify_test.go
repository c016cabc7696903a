package e2e

import (
	"fmt"
	"os"
	"regexp"
	"testing"
)

// checkFailed matches the summary that both sides print of corrupted messages: torn, or stale if only
// the marker of a short message had arrived.
var checkFailed = regexp.MustCompile(`Data check FAILED: \d+ messages checked, torn (\d+, stale [1-9]|[1-9])`)

// wantTorn runs a pair that checks every byte until it finds wrong data. Nearly every message is torn,
// but where both sides share a core, the receiver never polls while a message is being stored: each
// further run is longer.
func (w *workspace) wantTorn(program, options string, size int) {
	w.t.Helper()
	for _, messages := range []int{2000, 4000, 20_000, 40_000} {
		if size > 4096 {
			messages /= 10
		}
		server, client := w.startPair(program, "", fmt.Sprintf("%s --completion data --verify -s %d -n %d", options, size, messages))
		status := client.wait(patience)
		if status == statusDone {
			server.exits(statusDone, patience)
			continue
		}
		client.exits(statusData, patience)
		server.exits(statusData, patience)
		for _, side := range []*process{client, server} {
			side.wantStderr("wrong data: ", fmt.Sprintf("%d bytes, mode data: ", size), " torn, ", "(first: on ")
			if !checkFailed.MatchString(side.out.String()) {
				w.t.Fatalf("%s printed no summary of the check\n%s", side.name, side.output())
			}
		}
		return
	}
	w.t.Fatalf("%s %s found no wrong data in messages of %d bytes", program, options, size)
}

// unordered are devices that store the blocks of a message in any order, with the option to poll
// memory on them; the second one promises an order.
var unordered = []string{"-d shm_unordered --force-data", "-d shm_liar"}

// checkedRun is a run that checks every byte.
type checkedRun struct {
	program, device string
	size            int
}

func (c checkedRun) name() string { return fmt.Sprintf("%s %s %d", c.program, c.device, c.size) }

// tornRuns returns runs of mode data on both devices of [unordered]: of each program, and of messages
// that are a byte longer than a block, and long ones.
func tornRuns() (all []checkedRun) {
	for i := range programs {
		for k := range unordered {
			all = append(all, checkedRun{programs[i], unordered[(i/2+i+k)%2], 4096})
		}
	}
	for i, size := range []int{129, 65536} {
		for k := range unordered {
			all = append(all, checkedRun{"ib_write_lat", unordered[(i+k)%2], size})
		}
	}
	return all
}

// TestWrongDataIsFound polls memory on [unordered] devices: --verify finds wrong data. It runs every
// other one of [tornRuns]: each program, each size, each device with latency and with bandwidth.
// TestTrialOfWrongData runs all.
func TestWrongDataIsFound(t *testing.T) {
	for i, c := range tornRuns() {
		if i%2 == 0 {
			t.Run(c.name(), c.findTorn)
		}
	}
}

func (c checkedRun) findTorn(t *testing.T) { newWorkspace(t).wantTorn(c.program, c.device, c.size) }

// TestCompletionsAreRightOnALiar: with mode poll a false promise of order does no harm.
func TestCompletionsAreRightOnALiar(t *testing.T) {
	eachProgram(t, func(t *testing.T, program string) {
		w := newWorkspace(t)
		w.runPair(statusDone, program, "", "-d shm_liar --completion poll --verify -s 4096 -n 2000")
	})
}

// promisedRuns returns runs of mode data on devices that promise an order: every program, and sizes
// around a block, a page and 64 KiB.
func promisedRuns() (all []checkedRun) {
	for _, program := range programs {
		for _, device := range []string{"shm_whole", "shm_block128"} {
			for _, size := range []int{8, 128, 129, 4096, 65536} {
				all = append(all, checkedRun{program, device, size})
			}
		}
	}
	return all
}

// TestPromisesAreKept polls memory on devices that promise an order: --verify finds no wrong data. It
// runs one in every three of [promisedRuns]: each program on each device, and each size on each device
// with two programs. TestTrialOfPromises runs all.
func TestPromisesAreKept(t *testing.T) {
	for i, c := range promisedRuns() {
		if i%3 == 0 {
			t.Run(c.name(), c.findNone)
		}
	}
}

func (c checkedRun) findNone(t *testing.T) {
	messages := 10_000
	if c.size > 4096 {
		messages = 2000
	}
	newWorkspace(t).runPair(statusDone, c.program, "", fmt.Sprintf("-d %s --completion data --verify -s %d -n %d", c.device, c.size, messages))
}

// TestPromisesAreKeptForLong runs a million messages of each size.
func TestPromisesAreKeptForLong(t *testing.T) {
	if os.Getenv("IBPERF_LONG") == "" {
		t.Skip("takes long; set IBPERF_LONG=1, and -timeout 2h")
	}
	eachProgram(t, func(t *testing.T, program string) {
		for _, device := range []string{"shm_whole", "shm_block128"} {
			w := newWorkspace(t)
			for _, size := range []int{8, 128, 129, 4096, 65536} {
				server, client := w.startPair(program, "", fmt.Sprintf("-d %s --completion data --verify -s %d -n 1000000", device, size))
				client.exits(statusDone, 10*patience)
				server.exits(statusDone, patience)
			}
		}
	})
}
