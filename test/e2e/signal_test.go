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

// Limits that are promised: a side that is told to stop does so within two seconds, and the
// loss of a peer is noticed within five; the latter with what a busy machine adds.
const (
	stopLimit = 2 * time.Second
	lossLimit = 8 * time.Second
)

// count returns how often the process has said a text.
func (p *process) count(text string) int { return strings.Count(p.err.String(), text) }

// TestInterrupt: the side that gets SIGINT keeps its record, and the other one
// is told who ended the run and why.
func TestInterrupt(t *testing.T) {
	each(t, func(t *testing.T, program string) {
		for _, mode := range modes {
			for _, who := range []string{"client", "server"} {
				t.Run(mode+" "+who, func(t *testing.T) { interrupt(t, program, mode, who, sigInt) })
			}
		}
	})
}

func interrupt(t *testing.T, program, mode, who string, s syscall.Signal) {
	p := newPlace(t, "*.json")
	server, port := p.serve(program, "--out_json_file", "server.json")
	client := p.connect(program, port, "-d", "shm_whole", "-D", "30", "--completion", mode, "--out_json_file", "client.json")
	server.runs()
	client.runs()
	signalled, other := client, server
	if who == "server" {
		signalled, other = server, client
	}
	signalled.signal(s)
	signalled.ends(statusOther, stopLimit)
	other.ends(statusPeer, lossLimit)
	why := "interrupted by " + unix.SignalName(s)
	signalled.says(why)
	other.says("peer 127.0.0.1:", "ended the run: "+why)
	for _, side := range []string{"client", "server"} {
		f := p.readResult(side + ".json")
		if f.Interrupted != (side == who) || !strings.Contains(f.Error, why) {
			t.Errorf("file of the %s: interrupted %v, error %q", side, f.Interrupted, f.Error)
		}
	}
}

// TestInterruptWhileWaiting: before there is a peer there is nothing to keep.
func TestInterruptWhileWaiting(t *testing.T) {
	p := newPlace(t)
	server, _ := p.serve("ib_write_lat", "--out_json")
	server.signal(sigTerm)
	server.ends(statusOther, stopLimit)
	server.says("interrupted by SIGTERM")
	before := failedConnects(t)
	client := p.connect("ib_write_lat", reservePort(t), "-d", "shm_whole", "--out_json")
	client.await("attempts to connect", func() bool { return failedConnects(t) >= before+2 })
	client.signal(sigInt)
	client.ends(statusOther, stopLimit)
	client.says("interrupted by SIGINT")
}

// TestPersistentServerInterruptedAtWork ends its clients as well.
func TestPersistentServerInterruptedAtWork(t *testing.T) {
	p := newPlace(t)
	server, port := p.serve("ib_send_bw", "--persistent")
	client := p.connect("ib_send_bw", port, "-d", "shm_whole", "-D", "30")
	client.runs()
	server.signal(sigTerm)
	server.ends(statusOther, stopLimit)
	client.ends(statusPeer, lossLimit)
	client.says("ended the run: interrupted by SIGTERM")
}

// TestHangUp: a terminal that closes, or a lost ssh connection, ends a run as
// SIGINT does.
func TestHangUp(t *testing.T) {
	// What is caught here is not ignored by the processes, even if nohup has started the test.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, sigHup)
	defer signal.Stop(caught)
	for _, who := range []string{"client", "server"} {
		t.Run(who, func(t *testing.T) { interrupt(t, "ib_write_bw", "poll", who, sigHup) })
	}
	t.Run("waiting server", func(t *testing.T) {
		p := newPlace(t)
		server, _ := p.serve("ib_write_bw")
		server.signal(sigHup)
		server.ends(statusOther, stopLimit)
		server.says("interrupted by SIGHUP")
	})
}

// TestNoHangUp: what nohup has started goes on, before and during the run.
func TestNoHangUp(t *testing.T) {
	nohup, err := exec.LookPath("nohup")
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	p.next = func(proc *process) {
		proc.cmd.Args = append([]string{nohup, proc.cmd.Path}, proc.cmd.Args[1:]...)
		proc.cmd.Path = nohup
	}
	server, port := p.serve("ib_write_bw")
	server.signal(sigHup)
	client := p.connect("ib_write_bw", port, "-d", "shm_whole", "-D", "1")
	server.runs()
	server.signal(sigHup)
	client.ends(statusDone, patience)
	server.ends(statusDone, patience)
}
