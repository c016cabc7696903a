//go:build trials

package e2e

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The tests here run whole tables, of which `make test` runs the sample that the test without Trial in
// its name describes.

// TestTrialOfCommandLines runs all command lines of testdata/commands.txt.
func TestTrialOfCommandLines(t *testing.T) {
	for _, c := range commands(t) {
		t.Run(c.line(), c.try)
	}
}

// TestTrialBesidePerftest runs all command lines of testdata/beside.txt.
func TestTrialBesidePerftest(t *testing.T) {
	for _, b := range perftestLines(t) {
		t.Run(b.line, b.try)
	}
}

// withPerftest has the options that runs with perftest may have.
var withPerftest = append([]string{
	"ib_write_bw -n 100 -s 4096 -q 2", "ib_write_bw -n 100 -s 4096 -b", "ib_send_bw -n 100 -s 4096 -q 2", "ib_send_bw -n 100 -s 4096 -b",
	"ib_read_bw -n 100 -s 4096 -b -q 2", "ib_write_bw -s 4096 -D 4", "ib_send_bw -s 4096 -D 4", "ib_send_lat -D 4",
	"ib_send_bw -n 100 -s 1024 -c UD", "ib_send_lat -n 100 -s 64 -c UD",
	"ib_write_bw -n 100 -s 1024 -c UC -Q 5 -t 20 -l 5", "ib_send_bw -n 100 -s 1024 -e", "ib_write_lat -D 4",
	"ib_write_lat -n 100 -c UC -I 0", "ib_write_bw -n 5 -a", "ib_send_bw -n 5 -a", "ib_send_lat -n 5 -a", "ib_read_lat -n 5 -a",
}, withPerftestSample...)

// TestTrialWithPerftest runs each of withPerftest with perftest's program as the client and as the server.
func TestTrialWithPerftest(t *testing.T) {
	for _, line := range withPerftest {
		eachDirection(t, line, runWithPerftest)
	}
}

// TestTrialWithKilledPerftest kills perftest at random moments of a run.
func TestTrialWithKilledPerftest(t *testing.T) {
	for range 3 {
		killPerftest(t, func() time.Duration { return rand.N(2 * time.Second) })
	}
}

// TestTrialOfScripts runs each script of testdata/each with each program.
func TestTrialOfScripts(t *testing.T) {
	eachProgram(t, func(t *testing.T, program string) { runProgramScripts(t, program, scripts(t, "testdata/each")...) })
}

// TestTrialOfInterrupts interrupts either side of each program in each mode.
func TestTrialOfInterrupts(t *testing.T) { interruptEach(t, allEndings()) }

// TestTrialOfKilledPeers kills either side of each program in each mode.
func TestTrialOfKilledPeers(t *testing.T) { killDuringTheRun(t, allEndings()) }

// TestTrialOfStoppedPeers stops each of stoppedSides in each mode.
func TestTrialOfStoppedPeers(t *testing.T) {
	for _, e := range stoppedSides {
		for _, mode := range modes {
			e.mode = mode
			stopOneSide(t, e)
		}
	}
}

// TestTrialOfTransports runs every program over every transport.
func TestTrialOfTransports(t *testing.T) { runThroughLibibverbs(t, plans()) }

// TestTrialOfWrongData polls memory on devices that promise no order, or promise it falsely.
func TestTrialOfWrongData(t *testing.T) {
	for _, c := range tornRuns() {
		t.Run(c.name(), c.findTorn)
	}
}

// TestTrialOfPromises polls memory on devices that promise an order.
func TestTrialOfPromises(t *testing.T) {
	for _, c := range promisedRuns() {
		t.Run(c.name(), c.findNone)
	}
}

// TestTrialOfResultFiles checks the files of every program.
func TestTrialOfResultFiles(t *testing.T) { checkResultFiles(t, programs) }

// TestTrialOfForeignFiles tries to replace each page and plot of a report.
func TestTrialOfForeignFiles(t *testing.T) { keepForeignFiles(t, false) }

// TestTrialOfComparisons compares with the default number of rounds.
func TestTrialOfComparisons(t *testing.T) {
	compareTwoHosts(t, "shm_whole", "-s 8,4096", statusDone, "promises whole messages", "torn 0, stale 0")
	compareTwoHosts(t, "shm_liar", "-s 8,4096", statusData, "BROKEN")
}
