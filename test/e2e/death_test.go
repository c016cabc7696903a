package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKilledDuringTheRun: whichever side dies in whichever loop, the other one
// notices, names its peer and ends, and nothing of either is left.
func TestKilledDuringTheRun(t *testing.T) {
	each(t, func(t *testing.T, program string) {
		for _, mode := range modes {
			for _, who := range []string{"client", "server"} {
				t.Run(mode+" "+who, func(t *testing.T) {
					p := newPlace(t, readyName)
					server, client := p.both(program, "", "-d shm_whole -D 30 --completion "+mode)
					server.runs()
					client.runs()
					client.works(3)
					p.kill(who, server, client)
				})
			}
		}
	})
}

// kill kills the side that who names and watches the end of the other.
func (p *place) kill(who string, server, client *process) {
	p.t.Helper()
	if server.note() == 0 || client.note() == 0 {
		p.t.Fatalf("no abstract socket seen: of the server %v, of the client %v", server.seen, client.seen)
	}
	victim, other := client, server
	if who == "server" {
		victim, other = server, client
	}
	victim.signal(sigKill)
	other.lost(victim)
}

// lost watches the end of a side whose peer was killed.
func (p *process) lost(victim *process) {
	p.t.Helper()
	p.ends(statusPeer, lossLimit)
	p.says("peer 127.0.0.1:")
	victim.within(patience)
	victim.gone()
	p.gone()
}

// TestKilledBeforeTheRun: the server is held before it has said hello, and
// either side dies then. The client waits for another server, as long as it was told to.
func TestKilledBeforeTheRun(t *testing.T) {
	for _, program := range []string{"ib_write_lat", "ib_read_bw"} {
		t.Run(program+" server", func(t *testing.T) {
			p := newPlace(t, readyName)
			server, client, _ := p.held(program, "--connect-timeout", "1s")
			server.signal(sigKill)
			client.ends(statusPeer, lossLimit)
			client.says("127.0.0.1:", "tried for ", "--connect-timeout")
			server.within(patience)
		})
		t.Run(program+" client", func(t *testing.T) {
			p := newPlace(t)
			server, client, port := p.held(program)
			client.signal(sigKill)
			client.within(patience)
			server.signal(sigCont) // and waits for another client
			p.connect(program, port, "-d", "shm_whole", "-n", "100").ends(statusDone, patience)
			server.ends(statusDone, patience)
		})
	}
}

// held starts a pair whose server is stopped before the client has connected.
func (p *place) held(program string, clientOptions ...string) (server, client *process, port string) {
	p.t.Helper()
	server, port = p.serve(program)
	server.signal(sigStop)
	server.await("stop", func() bool { return server.state() == "T" })
	client = p.connect(program, port, append([]string{"-d", "shm_whole"}, clientOptions...)...)
	connected(p.t, port)
	return server, client, port
}

// toldLimit is how long a side that is stopped may go unnoticed: five seconds are promised, before
// the other side closes anything, and a busy machine adds some.
const toldLimit = 7 * time.Second

// TestFrozenPeer: a side that is there and does nothing any more counts as lost. That is said at
// once, even where the side stands within a request, as it mostly does with READs of 4 MiB; and
// when it goes on it ends too.
func TestFrozenPeer(t *testing.T) {
	for _, c := range []struct{ program, who, options string }{
		{"ib_read_bw", "client", "-s 4M"},
		{"ib_write_lat", "client", ""},
		{"ib_write_lat", "server", ""},
		{"ib_send_bw", "client", "-s 1M"},
		{"ib_send_bw", "server", "-s 1M -b"},
	} {
		for _, mode := range modes {
			t.Run(strings.Join([]string{c.program, c.who, mode}, " "), func(t *testing.T) {
				p := newPlace(t, readyName)
				server, client := p.both(c.program, "", "-d shm_whole -D 30 --completion "+mode+" "+c.options)
				server.runs()
				client.runs()
				client.works(3)
				frozen, other := client, server
				if c.who == "server" {
					frozen, other = server, client
				}
				frozen.signal(sigStop)
				other.tells(toldLimit, "silent for")
				other.ends(statusPeer, stopLimit)
				other.says("peer 127.0.0.1:")
				if n := other.count("silent for"); n != 1 {
					t.Errorf("%s said it %d times\n%s", other.name, n, other.said())
				}
				frozen.signal(sigCont)
				frozen.ends(statusPeer, lossLimit)
				frozen.says("peer 127.0.0.1:")
			})
		}
	}
}

// tells waits until the process has said a text, but no longer than limit.
func (p *process) tells(limit time.Duration, text string) {
	p.t.Helper()
	if until(limit, func() bool { return p.count(text) > 0 }) != nil {
		p.t.Fatalf("%s has not said %q within %v\n%s", p.name, text, limit, p.said())
	}
}

// TestFrozenClientOfAPersistentServer is lost as others are, and holds up nobody.
func TestFrozenClientOfAPersistentServer(t *testing.T) {
	p := newPlace(t)
	server, port := p.serve("ib_read_bw", "--persistent")
	client := p.connect("ib_read_bw", port, "-d", "shm_whole", "-D", "30", "-s", "4M")
	client.runs()
	client.works(3)
	client.signal(sigStop)
	server.tells(toldLimit, "failed with status 4: peer 127.0.0.1:")
	p.connect("ib_read_bw", port, "-d", "shm_whole", "-n", "100").ends(statusDone, patience)
	client.signal(sigCont)
	client.ends(statusPeer, lossLimit)
	if n := server.count("failed with"); n != 1 {
		t.Errorf("the server told of %d failures\n%s", n, server.said())
	}
	server.signal(sigTerm)
	server.ends(statusDone, stopLimit)
}

// TestKilledPersistentServer takes all of its clients with it.
func TestKilledPersistentServer(t *testing.T) {
	p := newPlace(t, readyName)
	server, port := p.serve("ib_send_lat", "--persistent")
	var clients []*process
	for range 2 {
		clients = append(clients, p.connect("ib_send_lat", port, "-d", "shm_whole", "-D", "30", "-e"))
	}
	for _, c := range clients {
		c.runs()
		if c.note() == 0 {
			t.Error("no abstract socket seen")
		}
	}
	server.note()
	server.signal(sigKill)
	for _, c := range clients {
		c.lost(server)
	}
}

// TestKilledPeerOfAnIdleSession: a client that has connected to a persistent
// server, says nothing and dies, is no more than a line on stderr.
func TestKilledPeerOfAnIdleSession(t *testing.T) {
	p := newPlace(t)
	server, port := p.serve("ib_write_bw", "--persistent")
	server.signal(sigStop)
	server.await("stop", func() bool { return server.state() == "T" })
	client := p.connect("ib_write_bw", port, "-d", "shm_whole")
	connected(t, port)
	client.signal(sigKill)
	client.within(patience)
	server.signal(sigCont)
	server.await("loss of the client", func() bool { return server.count("peer 127.0.0.1:")+server.count("failed with status 4") > 0 })
	p.connect("ib_write_bw", port, "-d", "shm_whole", "-n", "100").ends(statusDone, patience)
	server.served(1)
	server.signal(sigTerm)
	server.ends(statusDone, stopLimit)
}

// TestKilledServerLeavesOnlyItsReadyFile, which the next one writes anew.
func TestKilledServerLeavesOnlyItsReadyFile(t *testing.T) {
	p := newPlace(t)
	server, _ := p.serve("ib_write_lat")
	server.signal(sigKill)
	server.within(patience)
	stale, err := os.ReadFile(filepath.Join(p.dir, readyName))
	if err != nil {
		t.Fatal(err)
	}
	next := p.start("ib_write_lat", "--bind_source_ip", "127.0.0.1", "--port", "0", "--ready-file", readyName)
	next.await("new ready file", func() bool {
		data, err := os.ReadFile(filepath.Join(p.dir, readyName))
		return err == nil && string(data) != string(stale)
	})
	next.signal(sigTerm)
	next.ends(statusOther, stopLimit)
}

// state is the process's state as the kernel names it: R, S, T...
func (p *process) state() string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return ""
	}
	return statFields(data)[0]
}
