package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A side that is killed or stopped at any moment of a run is reported by the other one, once, and that side ends
// with status 4; a persistent server goes on and serves the next client. No process and no file is left.

// lossAttacks kill and stop either side of runs. Together they have 500 trials.
var lossAttacks = func() (all []attack) {
	for _, r := range lostRuns {
		all = append(all, attack{
			name: "a side is killed or stopped: " + r.String(), trials: 46, sample: r.sample,
			try: func(t *trial) error { return r.lose(t) },
		})
	}
	return all
}()

// lostRun is a run whose sides are killed and stopped.
type lostRun struct {
	program string
	server  string // options, split at blanks
	client  string
	sample  int // trials in make test
}

var lostRuns = []lostRun{
	{"ib_write_lat", "", "-D 30", 1},
	{"ib_write_bw", "", "-D 30 -b", 0},
	{"ib_send_bw", "", "-D 1 --run_infinitely", 1},
	{"ib_write_bw", "", "-D 30 -q 64", 0},
	{"ib_send_bw", "", "-D 30 -q 4 --use-srq", 0},
	{"ib_send_lat", "", "-D 30 -c XRC", 0},
	{"ib_send_bw", "", "-D 30 -c UD", 0},
	{"ib_read_lat", "--persistent", "-D 30 -e", 2},
	{"ib_send_bw", "--persistent", "-D 30", 0},
	{"ib_compare", "", "-s 8 -D 200ms --dir out", 1},
	{"ib_conform", "", "", 1},
}

func (r lostRun) String() string {
	return strings.Join(strings.Fields(r.program+" "+r.server+" "+r.client), " ")
}

// lossLimit is the time from the loss of a side to the end of the other. Tests have a longer one: beside other
// work they show that the other side ends, and make attack shows how soon.
var lossLimit = 5 * time.Second

// longest is the time from the beginning of a run to the loss.
const longest = time.Second

// lose starts a pair, ends one side at a random moment of the run, and checks what the other side does.
func (r lostRun) lose(t *trial) error {
	server, addr, err := t.serve(r.program, strings.Fields(r.server)...)
	if err != nil {
		return err
	}
	client, err := t.connect(r.program, addr, strings.Fields(r.client)...)
	if err != nil {
		return err
	}
	begun := func() bool { return server.begun() && client.begun() || server.exited() || client.exited() }
	if err := await("the run begins", begun); err != nil {
		return err
	}
	time.Sleep(rand.N(longest))
	victim, other := client, server
	if rand.N(2) == 0 {
		victim, other = server, client
	}
	other.victim = true
	signal := syscall.SIGKILL
	if rand.N(2) == 0 {
		signal = syscall.SIGSTOP
	}
	lost := time.Now()
	if err := victim.signalAll(signal); err != nil {
		return fmt.Errorf("%s: %w: %s", victim.name, err, victim.stderr())
	}
	if other == server && strings.Contains(r.server, "--persistent") {
		err = r.isFreed(t, server, addr, lost)
	} else {
		err = other.reports(t, lost)
	}
	if err != nil {
		return fmt.Errorf("%v of %s: %w", signal, victim.name, err)
	}
	victim.kill()
	return t.leaves()
}

// begun reports whether the process prints what it does when a run begins.
func (p *process) begun() bool {
	return strings.Contains(p.stderr(), ": number 1, ") || strings.Contains(p.stderr(), "embedded device") || strings.Contains(p.stderr(), "test 1 of ") ||
		strings.Contains(p.stdout(), "Control channel : ") || strings.Contains(p.stdout(), "ok       DEV-1")
}

// reports returns an error unless the process ends with status 4 and one message about its peer. A client of several tests whose
// server was lost between two of them cannot connect.
func (p *process) reports(t *trial, lost time.Time) error {
	err := p.exits(statusPeer, p.fair(lossLimit))
	t.took(time.Since(lost))
	if err != nil {
		return err
	}
	n := 0
	for line := range strings.Lines(p.stderr()) {
		about := strings.Contains(line, "peer 127.0.0.1:") || strings.Contains(line, ": connect to 127.0.0.1:")
		if about && strings.HasPrefix(line, filepath.Base(p.cmd.Path)+": ") {
			n++
		}
	}
	return want(n == 1, "%s has %d messages about its peer, want 1: %s", p.name, n, p.stderr())
}

// isFreed returns an error unless a persistent server reports the loss of its client once and serves the next.
func (r lostRun) isFreed(t *trial, server *process, addr string, lost time.Time) error {
	reported := func() int { return strings.Count(server.stderr(), "failed with status 4") }
	for reported() == 0 && time.Since(lost) < server.fair(lossLimit) && !server.exited() {
		time.Sleep(5 * time.Millisecond)
	}
	t.took(time.Since(lost))
	if err := want(reported() == 1, "the server reported %d failures, want 1: %s", reported(), server.stderr()); err != nil {
		return err
	}
	next, err := t.connect(r.program, addr, "-n", "100")
	if err == nil {
		err = next.exits(statusDone, patience)
	}
	if err == nil {
		err = server.signal(syscall.SIGTERM)
	}
	if err == nil {
		err = server.exits(statusDone, patience)
	}
	return err
}

// fair returns a limit plus the time for which the process's main thread waited for a CPU since it began, which
// on a busy machine is not the process's fault.
func (p *process) fair(limit time.Duration) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", p.cmd.Process.Pid)) // empty if the process has ended
	var ran, waited int64
	_, _ = fmt.Sscan(string(text), &ran, &waited)
	return limit + time.Duration(waited)
}

// leaves returns an error unless all processes of the trial end, and their files are the known ones.
func (t *trial) leaves() error {
	var left []string
	gone := func() bool {
		left = t.processes()
		return len(left) == 0
	}
	if err := await("all processes have ended", gone); err != nil {
		return fmt.Errorf("%w: %s", err, strings.Join(left, ", "))
	}
	entries, err := os.ReadDir(t.dir)
	for _, e := range entries {
		if name := e.Name(); name != "out" && !strings.HasPrefix(name, "ready-") && !strings.HasSuffix(name, ".json") {
			left = append(left, name)
		}
	}
	if err != nil {
		return err
	}
	return want(len(left) == 0, "files are left: %s", strings.Join(left, ", "))
}

// processes returns the processes that run in the trial's folder.
func (t *trial) processes() (all []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if dir, err := os.Readlink(link); err == nil && dir == t.dir { // a process may end meanwhile
			all = append(all, filepath.Dir(link))
		}
	}
	return all
}
