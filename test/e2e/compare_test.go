package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ibperf/ibperf/result"
)

// compareLimit is the time that a comparison of two sizes may take on a busy machine.
const compareLimit = 6 * time.Minute

// TestCompareTwoHosts runs ib_compare on each side, with few runs: the client prints the verdict and
// leaves all files. Package reports tests the verdicts on other promises. TestTrialOfComparisons runs
// the default rounds.
func TestCompareTwoHosts(t *testing.T) {
	compareTwoHosts(t, "shm_whole", "-s 8,4096 --runs 2", statusDone, "Allowed shm_whole promises data order for WRITE, SEND and READ; 0 of ", "promises whole messages", "torn 0, stale 0")
	compareTwoHosts(t, "shm_liar", "-s 4096 --runs 1", statusData, "BROKEN", "Do not poll memory on this device: ")
}

func compareTwoHosts(t *testing.T, device, options string, status int, verdict ...string) {
	t.Run(device, func(t *testing.T) {
		onBusyMachine(t, func() (starved bool) {
			w := newWorkspace(t, "out", "all.tgz")
			server, port := w.serve("ib_compare")
			client := w.connect("ib_compare", port, append(strings.Fields(options), "-d", device, "-D", "20ms", "--dir", "out", "--bundle", "all.tgz", "--details")...)
			if got := client.wait(compareLimit); got != status && client.count(silent)+server.count(silent) > 0 {
				server.wait(patience)
				return true
			}
			client.exits(status, compareLimit)
			server.exits(status, patience)
			client.wantVerdict(verdict...)
			if text := server.out.String(); text != "" {
				t.Errorf("the server printed %s", text)
			}
			w.wantComparison(t, device)
			return false
		})
	})
}

// silent is a part of the error of a side that has received nothing from its peer for some time.
const silent = "silent for"

// onBusyMachine repeats a test of long runs while other work on the machine leaves one side without a
// CPU until its peer gives it up.
func onBusyMachine(t *testing.T, test func() (starved bool)) {
	t.Helper()
	const attempts = 3
	for range attempts {
		if !test() {
			return
		}
		t.Log("a side was silent: the machine is busy")
	}
	t.Fatalf("a side was silent in each of %d attempts", attempts)
}

// TestDeviceCompareTwoHosts compares the modes of a device that promises no order.
func TestDeviceCompareTwoHosts(t *testing.T) {
	w, options := onDevice(t, "out")
	server, port := w.serve("ib_compare")
	client := w.connect("ib_compare", port, append(strings.Fields(options), "-s", "4096", "-D", "20ms", "--runs", "1", "--dir", "out", "--details")...)
	client.exits(statusDone, compareLimit)
	server.exits(statusDone, patience)
	client.wantVerdict("promises no order for WRITE, SEND and READ", "What was not measured? data: the device promises no order",
		"Poll the completion queue: "+*deviceName+" does not promise data order", "Allowed "+*deviceName+" promises no data order for WRITE, SEND and READ; 0 of ")
	w.wantComparison(t, *deviceName)
}

// wantVerdict checks that the verdict and its details have texts, wherever their lines are wrapped, and that at
// most 12 lines of 100 columns end the output.
func (p *process) wantVerdict(says ...string) {
	p.t.Helper()
	_, brief, both := strings.Cut(p.out.String(), "\nVERDICT ")
	text := strings.Join(strings.Fields(p.out.String()), " ")
	for _, want := range append(says, "DETAILS", "May I rely on it?") {
		if !strings.Contains(text, want) {
			p.t.Fatalf("the verdict lacks %q:\n%s", want, p.out)
		}
	}
	lines := strings.Split(strings.TrimSuffix("VERDICT "+brief, "\n"), "\n")
	if wide := func(line string) bool { return utf8.RuneCountInString(line) > 100 }; !both || len(lines) > 12 || slices.ContainsFunc(lines, wide) {
		p.t.Fatalf("the verdict has %d lines, or one of more than 100 columns:\n%s", len(lines), p.out)
	}
}

// runsOfAComparison returns the names of all runs: each test over message sizes, two over numbers of
// QPs, one over pauses, and a check of each operation's bytes.
func runsOfAComparison() (names []string) {
	for _, op := range []string{"write", "send", "read", "atomic"} {
		names = append(names, op+"-lat", op+"-bw")
	}
	for _, qps := range []string{"1", "4", "16", "64", "256", "1024"} {
		names = append(names, "write-lat-qps-"+qps, "write-bw-qps-"+qps)
	}
	for _, share := range []string{"1", "10", "50", "90"} { // others depend on how far apart the modes are
		names = append(names, "write-lat-rate-1-"+share)
	}
	return append(names, "write-bw-verify", "send-bw-verify", "read-bw-verify")
}

// wantComparison checks the files of a comparison: the result of each run, plots, page and report.
func (w *workspace) wantComparison(t *testing.T, device string) {
	t.Helper()
	for _, name := range runsOfAComparison() {
		f, err := result.Read(filepath.Join(w.dir, "out", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if f.Error != "" || len(f.Rows) == 0 || f.Local.Device.Name != device {
			t.Errorf("%s: device %s, %d rows, error %q", name, f.Local.Device.Name, len(f.Rows), f.Error)
		}
	}
	for pattern, least := range map[string]int{"*.png": 10, "*.svg": 10, "index.html": 1, "report.txt": 1, "verdict.json": 1} {
		found, err := filepath.Glob(filepath.Join(w.dir, "out", pattern))
		if err != nil || len(found) < least {
			t.Errorf("out has %d files %s, want %d or more; error %v", len(found), pattern, least, err)
		}
	}
}

// TestCompareInterrupted: the results of the runs before the signal are kept.
func TestCompareInterrupted(t *testing.T) {
	w := newWorkspace(t, "out")
	server, port := w.serve("ib_compare")
	client := w.connect("ib_compare", port, "-d", "shm_whole", "-s", "8", "-D", "20ms", "--dir", "out")
	client.await("third run", func() bool { return client.count("test 3 of ") == 1 })
	client.signal(sigInt)
	client.exits(statusOther, stopLimit)
	client.wantStderr("interrupted by SIGINT", "the results of ", "to draw them: ib_report -o out out/write-lat.json out/write-bw.json")
	server.exits(statusPeer, lossLimit)
}

// runProcess waits for the process that makes or serves a run for p, and returns its id.
func (p *process) runProcess() (id string) {
	p.t.Helper()
	p.await("process of a run", func() bool {
		lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.cmd.Process.Pid))
		if err != nil {
			p.t.Fatalf("%v", err)
		}
		for _, path := range lists {
			if ids, err := os.ReadFile(path); err == nil && len(ids) > 0 { // a thread may end meanwhile
				id = strings.Fields(string(ids))[0]
			}
		}
		return id != ""
	})
	return id
}

// TestCompareRunsInFreshProcesses: each run has another process on both sides. A signal in the second run
// keeps the results of both.
func TestCompareRunsInFreshProcesses(t *testing.T) {
	w := newWorkspace(t, "out")
	server, client, _ := w.startComparison(1)
	sides := []*process{server, client}
	var first [2]string
	for i, p := range sides {
		first[i] = p.runProcess()
	}
	client.await("second run", func() bool { return client.count("run 2 of 5") == 1 })
	server.await("second run", func() bool { return server.count("run 2 of 5") == 1 })
	for i, p := range sides {
		if id := p.runProcess(); id == first[i] {
			t.Errorf("process %s made two runs", id)
		}
	}
	client.signal(sigTerm)
	client.exits(statusOther, stopLimit)
	client.wantStderr("interrupted by SIGTERM", " tests are in out")
	server.exits(statusPeer, lossLimit)
	server.wantStderr("interrupted by SIGTERM")
	f, err := result.Read(filepath.Join(w.dir, "out", "send-bw-verify.json"))
	if err != nil || f.Interrupted || len(f.Rows) == 0 {
		t.Errorf("the last test of the first run: %v, %+v", err, f)
	}
}

// TestCompareProcessKilled: the end of the process of a run ends both sides.
func TestCompareProcessKilled(t *testing.T) {
	w := newWorkspace(t, "out")
	server, client, _ := w.startComparison(2)
	id, err := strconv.Atoi(server.runProcess())
	if err == nil {
		err = syscall.Kill(id, sigKill)
	}
	if err != nil {
		t.Fatal(err)
	}
	server.exits(statusOther, lossLimit)
	server.wantStderr("the process of a run has ended: signal: killed")
	client.exits(statusPeer, lossLimit)
	client.wantStderr("the results of ")
}

// startComparison starts a comparison and waits until its client begins the run of a number.
func (w *workspace) startComparison(number int, serverOptions ...string) (server, client *process, port string) {
	w.t.Helper()
	server, port = w.serve("ib_compare", serverOptions...)
	client = w.connect("ib_compare", port, "-d", "shm_whole", "-s", "8", "-D", "20ms", "--dir", "out")
	client.await("run", func() bool { return client.count(fmt.Sprintf("test %d of ", number)) == 1 })
	return server, client, port
}

// TestCompareKilled kills the client in a run and between two: the server ends, unless it is
// persistent.
func TestCompareKilled(t *testing.T) {
	t.Run("in a run", func(t *testing.T) {
		w := newWorkspace(t, "out")
		server, client, _ := w.startComparison(2)
		server.await("run", func() bool { return server.count("test 2 of ") == 1 })
		server.runProcess() // the test begins
		client.signal(sigKill)
		server.wantPeerLost(client)
	})
	t.Run("between two runs", func(t *testing.T) {
		eventually(t, func() error {
			w := newWorkspace(t, "out", readyName)
			server, client, _ := w.startComparison(2)
			client.signal(sigKill) // before it connects again, or the test repeats
			server.exits(statusPeer, lossLimit)
			server.wantStderr("peer 127.0.0.1:")
			if server.count("between two tests of a series") == 0 {
				return errors.New("the client had connected again")
			}
			return nil
		})
	})
	t.Run("persistent server", func(t *testing.T) {
		w := newWorkspace(t, "out")
		server, client, port := w.startComparison(2, "--persistent")
		server.awaitCPUTime(3)
		client.signal(sigKill)
		w.connect("ib_write_lat", port, "-d", "shm_whole", "-n", "100").exits(statusDone, patience)
		server.await("end of all runs", func() bool {
			return server.count(": done\n")+server.count("failed with status 4") == server.count(": number ")
		})
		server.signal(sigTerm)
		server.exits(statusDone, stopLimit)
	})
}
