package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	sigInt  = syscall.SIGINT
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
	sigStop = syscall.SIGSTOP
	sigCont = syscall.SIGCONT
)

// Limits that are promised: a side that is told to stop does so, and the loss of
// a peer is noticed.
const (
	stopLimit = 2 * time.Second
	lossLimit = 5 * time.Second
)

// count returns how often the process has said a text.
func (p *process) count(text string) int { return strings.Count(p.err.String(), text) }

// TestInterrupt: the side that gets SIGINT keeps its record, and the other one
// is told who ended the run and why.
func TestInterrupt(t *testing.T) {
	each(t, func(t *testing.T, program string) {
		for _, mode := range modes {
			for _, who := range []string{"client", "server"} {
				t.Run(mode+" "+who, func(t *testing.T) { interrupt(t, program, mode, who) })
			}
		}
	})
}

func interrupt(t *testing.T, program, mode, who string) {
	p := newPlace(t, "*.json")
	server, port := p.serve(program, "--out_json_file", "server.json")
	client := p.connect(program, port, "-d", "shm_whole", "-D", "30", "--completion", mode, "--out_json_file", "client.json")
	server.runs()
	client.runs()
	signalled, other := client, server
	if who == "server" {
		signalled, other = server, client
	}
	signalled.signal(sigInt)
	signalled.ends(statusOther, stopLimit)
	other.ends(statusPeer, lossLimit)
	signalled.says("interrupted by SIGINT")
	other.says("peer 127.0.0.1:", "ended the run: interrupted by SIGINT")
	for _, side := range []string{"client", "server"} {
		f := p.readResult(side + ".json")
		if f.Interrupted != (side == who) || !strings.Contains(f.Error, "interrupted by SIGINT") {
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
