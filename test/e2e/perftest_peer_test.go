package e2e

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// withPerftestSample has each program once, as it is run with perftest on the other side. TestTrialWithPerftest has
// the options too.
var withPerftestSample = []string{
	"ib_write_bw -n 100", "ib_read_bw -n 100", "ib_atomic_bw -n 100", "ib_send_bw -n 100",
	"ib_write_lat -n 100", "ib_read_lat -n 100", "ib_atomic_lat -n 100", "ib_send_lat -n 100",
}

// TestDeviceWithPerftest runs each program with perftest's on the other side.
func TestDeviceWithPerftest(t *testing.T) {
	for _, line := range withPerftestSample {
		eachDirection(t, line, runWithPerftest)
	}
}

// eachDirection runs a test with perftest's program as the client and as the server.
func eachDirection(t *testing.T, line string, test func(t *testing.T, p withPerftestPair)) {
	program, rest, _ := strings.Cut(line, " ")
	theirs, err := exec.LookPath(program)
	if err != nil {
		t.Skip("perftest is not installed")
	}
	for _, role := range []string{"client", "server"} {
		t.Run(line+", perftest is the "+role, func(t *testing.T) {
			w, options := onDevice(t)
			if *address != "" {
				w.host = *address
			}
			args := strings.Fields(options + " " + rest)
			p := withPerftestPair{w: w, program: program, theirs: theirs, role: role, args: args}
			test(t, p)
		})
	}
}

// withPerftestPair is a pair of one program of each suite.
type withPerftestPair struct {
	w               *workspace
	program, theirs string
	role            string // of perftest
	args            []string
}

// start starts both sides.
func (p *withPerftestPair) start(t *testing.T) (ours, theirs *process) {
	t.Helper()
	mine := p.args
	if p.program == "ib_write_lat" {
		mine = append([]string{"--force-data"}, p.args...) // the device of the guest promises no order
	}
	if p.role == "client" {
		ours, port := p.w.serve(p.program, mine...)
		return ours, p.w.start(p.theirs, append([]string{"-p", port, p.w.host}, p.args...)...)
	}
	theirs = p.w.start(p.theirs, p.args...)
	if err := waitUntil(patience, func() bool { return theirs.exited() || listens(t, perftestPort) }); err != nil || theirs.exited() {
		t.Fatalf("perftest does not listen\n%s", theirs.output())
	}
	return p.w.connect(p.program, strconv.Itoa(perftestPort), mine...), theirs
}

// runWithPerftest runs a pair until its end. Both sides print the same count where both print a row of bandwidth.
func runWithPerftest(t *testing.T, p withPerftestPair) {
	ours, theirs := p.start(t)
	ours.exits(statusDone, patience)
	theirs.exits(statusDone, patience)
	ours.wantStdout(" Peer            : perftest ")
	if !strings.HasSuffix(p.program, "_bw") || strings.Contains(p.program, "send") {
		return
	}
	a, b := countsOfRows(ours), countsOfRows(theirs)
	if len(a) == 0 || len(b) == 0 || a[len(a)-1] != b[len(b)-1] {
		t.Errorf("#iterations are %v, and perftest's %v\n%s%s", a, b, ours.output(), theirs.output())
	}
}

// countsOfRows returns the counts in perftest's columns of bandwidth. Over UC rows have lost messages too.
func countsOfRows(p *process) (all []string) {
	for _, m := range regexp.MustCompile(`(?m)^ \d+ +(\d+) +[\d.]+ +[\d.]+[ \t]+[\d.]+(?: +[\d-]+)?$`).FindAllStringSubmatch(strings.ReplaceAll(p.out.String(), "\t", " "), -1) {
		all = append(all, m[1])
	}
	return all
}

// TestDeviceWithKilledPerftest kills perftest while this side waits for it or polls memory.
func TestDeviceWithKilledPerftest(t *testing.T) {
	killPerftest(t, func() time.Duration { return 2 * time.Second }) // perftest says nothing when it begins
}

// killPerftest kills perftest's side of long runs some time after the header.
func killPerftest(t *testing.T, after func() time.Duration) {
	for _, line := range []string{"ib_write_bw -n 10000000", "ib_send_lat -n 10000000", "ib_write_lat -n 10000000"} {
		eachDirection(t, line, func(t *testing.T, p withPerftestPair) {
			ours, theirs := p.start(t)
			ours.await("connection", func() bool { return strings.Contains(ours.out.String(), " Peer            : perftest ") })
			time.Sleep(after())
			theirs.signal(sigKill)
			ours.exits(statusPeer, lossLimit)
			ours.wantStderr("(perftest) is gone")
		})
	}
}
