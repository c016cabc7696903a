package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestPeerKilledDuringTheRun kills one side during a measurement: the other side reports the loss with
// the peer's address and ends, and neither leaves a socket or a file. It runs [sampleOfEndings];
// TestTrialOfKilledPeers runs all.
func TestPeerKilledDuringTheRun(t *testing.T) { killDuringTheRun(t, sampleOfEndings()) }

func killDuringTheRun(t *testing.T, endings []ending) {
	for _, e := range endings {
		t.Run(e.name(), func(t *testing.T) {
			w := newWorkspace(t, readyName)
			server, client := w.startPair(e.program, "", "-d shm_whole -D 30 --completion "+e.mode)
			server.awaitMeasurement()
			client.awaitMeasurement()
			client.awaitCPUTime(3)
			w.kill(e.side, server, client)
		})
	}
}

// kill kills one side and checks how the other one ends.
func (w *workspace) kill(side string, server, client *process) {
	w.t.Helper()
	if server.noteSockets() == 0 || client.noteSockets() == 0 {
		w.t.Fatalf("a side has no abstract socket: the server has %v, the client %v", server.sockets, client.sockets)
	}
	victim, other := client, server
	if side == "server" {
		victim, other = server, client
	}
	victim.signal(sigKill)
	other.wantPeerLost(victim)
}

// wantPeerLost checks how a side ends whose peer was killed.
func (p *process) wantPeerLost(victim *process) {
	p.t.Helper()
	p.exits(statusPeer, lossLimit)
	p.wantStderr("peer 127.0.0.1:")
	victim.wait(patience)
	victim.wantSocketsGone()
	p.wantSocketsGone()
}

// TestPeerKilledBeforeTheRun kills either side while the server is stopped before its hello. The
// client tries for --connect-timeout to reach another server; the server takes another client.
func TestPeerKilledBeforeTheRun(t *testing.T) {
	for _, program := range []string{"ib_write_lat", "ib_read_bw"} {
		t.Run(program+" server", func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, readyName)
			server, client, _ := w.startHeldPair(program, "--connect-timeout", "1s")
			server.signal(sigKill)
			client.exits(statusPeer, lossLimit)
			client.wantStderr("127.0.0.1:", "tried for ", "--connect-timeout")
			server.wait(patience)
		})
		t.Run(program+" client", func(t *testing.T) {
			w := newWorkspace(t)
			server, client, port := w.startHeldPair(program)
			client.signal(sigKill)
			client.wait(patience)
			server.signal(sigCont)
			w.connect(program, port, "-d", "shm_whole", "-n", "100").exits(statusDone, patience)
			server.exits(statusDone, patience)
		})
	}
}

// startHeldPair starts a pair whose server is stopped before the client connects.
func (w *workspace) startHeldPair(program string, clientOptions ...string) (server, client *process, port string) {
	w.t.Helper()
	server, port = w.serve(program)
	server.signal(sigStop)
	server.await("stop", func() bool { return server.state() == "T" })
	client = w.connect(program, port, append([]string{"-d", "shm_whole"}, clientOptions...)...)
	connected(w.t, port)
	return server, client, port
}

// silenceLimit is the time within which a side reports a stopped peer: the promised five seconds,
// before it closes anything, and some more.
const silenceLimit = 7 * time.Second

// stoppedSides are runs whose named side is stopped: in latency and bandwidth tests, on either side,
// and within a request, where a side is most of the time with READs of 4 MiB. The mode is open.
var stoppedSides = []ending{
	{"ib_read_bw", "", "client", "-s 4M"},
	{"ib_write_lat", "", "client", ""},
	{"ib_write_lat", "", "server", ""},
	{"ib_send_bw", "", "client", "-s 1M"},
	{"ib_send_bw", "", "server", "-s 1M -b"},
}

// TestStoppedPeerIsLost stops one side: the other one reports a silent peer and ends, and so does the
// stopped side when it continues. It runs each of [stoppedSides] in one mode, and each mode at least
// once; TestTrialOfStoppedPeers runs all modes.
func TestStoppedPeerIsLost(t *testing.T) {
	t.Parallel()
	for i, e := range stoppedSides {
		e.mode = modes[i%len(modes)]
		stopOneSide(t, e)
	}
}

func stopOneSide(t *testing.T, e ending) {
	t.Run(e.name(), func(t *testing.T) {
		t.Parallel()
		w := newWorkspace(t, readyName)
		server, client := w.startPair(e.program, "", "-d shm_whole -D 60 --completion "+e.mode+" "+e.options)
		server.awaitMeasurement()
		client.awaitMeasurement()
		client.awaitCPUTime(3)
		stopped, other := client, server
		if e.side == "server" {
			stopped, other = server, client
		}
		stopped.signal(sigStop)
		other.awaitStderr(silenceLimit, "silent for")
		other.exits(statusPeer, stopLimit)
		other.wantStderr("peer 127.0.0.1:")
		if n := other.count("silent for"); n != 1 {
			t.Errorf("%s reported the silence %d times\n%s", other.name, n, other.output())
		}
		stopped.signal(sigCont)
		stopped.exits(statusPeer, lossLimit)
		stopped.wantStderr("peer 127.0.0.1:")
	})
}

// awaitStderr waits until the process has printed a text to stderr, for at most limit.
func (p *process) awaitStderr(limit time.Duration, text string) {
	p.t.Helper()
	printed := func() bool { return p.count(text) > 0 }
	if !p.within(limit, func(left time.Duration) bool { return waitUntil(left, printed) == nil }) {
		p.t.Fatalf("%s has not printed %q within %v\n%s", p.name, text, limit, p.output())
	}
}

// TestStoppedClientOfAPersistentServerIsLost stops a client: the server reports it lost, and serves
// the next client meanwhile.
func TestStoppedClientOfAPersistentServerIsLost(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	server, port := w.serve("ib_read_bw", "--persistent")
	client := w.connect("ib_read_bw", port, "-d", "shm_whole", "-D", "60", "-s", "4M")
	client.awaitMeasurement()
	client.awaitCPUTime(3)
	client.signal(sigStop)
	server.awaitStderr(silenceLimit, "failed with status 4: peer 127.0.0.1:")
	w.connect("ib_read_bw", port, "-d", "shm_whole", "-n", "100").exits(statusDone, patience)
	client.signal(sigCont)
	client.exits(statusPeer, lossLimit)
	if n := server.count("failed with"); n != 1 {
		t.Errorf("the server reported %d failures\n%s", n, server.output())
	}
	server.signal(sigTerm)
	server.exits(statusDone, stopLimit)
}

// TestKilledPersistentServerEndsItsClients kills a persistent server: each of its clients reports the
// loss and ends.
func TestKilledPersistentServerEndsItsClients(t *testing.T) {
	w := newWorkspace(t, readyName)
	server, port := w.serve("ib_send_lat", "--persistent")
	var clients []*process
	for range 2 {
		clients = append(clients, w.connect("ib_send_lat", port, "-d", "shm_whole", "-D", "30", "-e"))
	}
	for _, c := range clients {
		c.awaitMeasurement()
		if c.noteSockets() == 0 {
			t.Errorf("%s has no abstract socket", c.name)
		}
	}
	server.noteSockets()
	server.signal(sigKill)
	for _, c := range clients {
		c.wantPeerLost(server)
	}
}

// TestKilledPeerOfAnIdleSession kills a client that has connected and sent nothing: a persistent
// server prints one line and serves the next client.
func TestKilledPeerOfAnIdleSession(t *testing.T) {
	w := newWorkspace(t)
	server, port := w.serve("ib_write_bw", "--persistent")
	server.signal(sigStop)
	server.await("stop", func() bool { return server.state() == "T" })
	client := w.connect("ib_write_bw", port, "-d", "shm_whole")
	connected(t, port)
	client.signal(sigKill)
	client.wait(patience)
	server.signal(sigCont)
	server.await("loss of the client", func() bool { return server.count("peer 127.0.0.1:")+server.count("failed with status 4") > 0 })
	w.connect("ib_write_bw", port, "-d", "shm_whole", "-n", "100").exits(statusDone, patience)
	server.awaitServed(1)
	server.signal(sigTerm)
	server.exits(statusDone, stopLimit)
}

// TestKilledServerLeavesOnlyItsReadyFile: the next server replaces it.
func TestKilledServerLeavesOnlyItsReadyFile(t *testing.T) {
	w := newWorkspace(t)
	server, _ := w.serve("ib_write_lat")
	server.signal(sigKill)
	server.wait(patience)
	stale, err := os.ReadFile(filepath.Join(w.dir, readyName))
	if err != nil {
		t.Fatal(err)
	}
	next := w.start("ib_write_lat", "--bind_source_ip", "127.0.0.1", "--port", "0", "--ready-file", readyName)
	next.await("new ready file", func() bool {
		data, err := os.ReadFile(filepath.Join(w.dir, readyName))
		return err == nil && string(data) != string(stale)
	})
	next.signal(sigTerm)
	next.exits(statusOther, stopLimit)
}

// state returns the letter of the process's state in proc(5): R, S, T...
func (p *process) state() string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return ""
	}
	return statFields(data)[0]
}
