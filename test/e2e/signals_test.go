package e2e

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	sigHup  = syscall.SIGHUP
	sigInt  = syscall.SIGINT
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
	sigStop = syscall.SIGSTOP
	sigCont = syscall.SIGCONT
)

// The promised limits: a side ends within two seconds of a signal, and reports the loss of its peer
// within five; lossLimit allows some more.
const (
	stopLimit = 2 * time.Second
	lossLimit = 8 * time.Second
)

// count returns how often the process has printed a text to stderr.
func (p *process) count(text string) int { return strings.Count(p.err.String(), text) }

// TestInterruptEndsBothSides sends SIGINT to one side: it writes its result file, and the other side
// reports who ended the run and why. It runs [sampleOfEndings]; TestTrialOfInterrupts runs all.
func TestInterruptEndsBothSides(t *testing.T) { interruptEach(t, sampleOfEndings()) }

func interruptEach(t *testing.T, endings []ending) {
	for _, e := range endings {
		t.Run(e.name(), func(t *testing.T) { interrupt(t, e, sigInt) })
	}
}

func interrupt(t *testing.T, e ending, s syscall.Signal) {
	w := newWorkspace(t, "*.json")
	server, port := w.serve(e.program, "--out_json_file", "server.json")
	client := w.connect(e.program, port, "-d", "shm_whole", "-D", "30", "--completion", e.mode, "--out_json_file", "client.json")
	server.awaitMeasurement()
	client.awaitMeasurement()
	signalled, other := client, server
	if e.side == "server" {
		signalled, other = server, client
	}
	signalled.signal(s)
	signalled.exits(statusOther, stopLimit)
	other.exits(statusPeer, lossLimit)
	why := "interrupted by " + unix.SignalName(s)
	signalled.wantStderr(why)
	other.wantStderr("peer 127.0.0.1:", "ended the run: "+why)
	for _, side := range sides {
		f := w.readResult(side + ".json")
		if f.Interrupted != (side == e.side) || !strings.Contains(f.Error, why) {
			t.Errorf("file of the %s: interrupted %v, error %q", side, f.Interrupted, f.Error)
		}
	}
}

// TestInterruptBeforeThereIsAPeer interrupts either side before it has a peer: no result file is
// written.
func TestInterruptBeforeThereIsAPeer(t *testing.T) {
	w := newWorkspace(t)
	server, _ := w.serve("ib_write_lat", "--out_json")
	server.signal(sigTerm)
	server.exits(statusOther, stopLimit)
	server.wantStderr("interrupted by SIGTERM")
	before := failedConnects(t)
	client := w.connect("ib_write_lat", reservePort(t), "-d", "shm_whole", "--out_json")
	client.await("attempts to connect", func() bool { return failedConnects(t) >= before+2 })
	client.signal(sigInt)
	client.exits(statusOther, stopLimit)
	client.wantStderr("interrupted by SIGINT")
}

// TestInterruptedPersistentServerEndsItsClient: a signal to the server ends its client's run too.
func TestInterruptedPersistentServerEndsItsClient(t *testing.T) {
	w := newWorkspace(t)
	server, port := w.serve("ib_send_bw", "--persistent")
	client := w.connect("ib_send_bw", port, "-d", "shm_whole", "-D", "30")
	client.awaitMeasurement()
	server.signal(sigTerm)
	server.exits(statusOther, stopLimit)
	client.exits(statusPeer, lossLimit)
	client.wantStderr("ended the run: interrupted by SIGTERM")
}

// TestHangUpEndsTheRun: SIGHUP, sent when a terminal closes or an ssh connection is lost, ends a run
// as SIGINT does.
func TestHangUpEndsTheRun(t *testing.T) {
	// The processes inherit ignored signals. A signal that this test catches is not ignored in them,
	// even if nohup started the test.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, sigHup)
	defer signal.Stop(caught)
	for _, side := range sides {
		t.Run(side, func(t *testing.T) { interrupt(t, ending{program: "ib_write_bw", mode: "poll", side: side}, sigHup) })
	}
	t.Run("waiting server", func(t *testing.T) {
		w := newWorkspace(t)
		server, _ := w.serve("ib_write_bw")
		server.signal(sigHup)
		server.exits(statusOther, stopLimit)
		server.wantStderr("interrupted by SIGHUP")
	})
}

// TestNohupServerIgnoresHangUp: a server that nohup started ignores SIGHUP before and during the run.
func TestNohupServerIgnoresHangUp(t *testing.T) {
	nohup, err := exec.LookPath("nohup")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorkspace(t)
	w.next = func(proc *process) {
		proc.cmd.Args = append([]string{nohup, proc.cmd.Path}, proc.cmd.Args[1:]...)
		proc.cmd.Path = nohup
	}
	server, port := w.serve("ib_write_bw")
	server.signal(sigHup)
	client := w.connect("ib_write_bw", port, "-d", "shm_whole", "-D", "1")
	server.awaitMeasurement()
	server.signal(sigHup)
	client.exits(statusDone, patience)
	server.exits(statusDone, patience)
}
