package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
)

// conformConn connects to the server of ib_conform at a port. The connection is aborted when the test
// ends.
func conformConn(t *testing.T, port string) *oob.Conn {
	t.Helper()
	c, err := oob.Dial(t.Context(), net.JoinHostPort(loopback, port), oob.DialOptions{Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Abort("", "the test is over") })
	return c
}

// beginConform begins a session, and returns the server's refusal, empty if there is none.
func beginConform(t *testing.T, port, session string) (c *oob.Conn, refusal string) {
	t.Helper()
	c = conformConn(t, port)
	device := oob.DeviceID{Name: "shm_whole", Backend: "shm", Boot: host.BootID()}
	a, err := c.BeginConform(&oob.ConformHello{Release: "0", Session: session, Device: &device})
	if err != nil {
		return c, err.Error()
	}
	return c, a.Refusal
}

// children returns the number of processes that threads of the process have started and that live.
func (p *process) children() (n int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.cmd.Process.Pid))
	for _, file := range files {
		data, _ := os.ReadFile(file) // empty if the thread has ended meanwhile
		n += len(strings.Fields(string(data)))
	}
	return n
}

// TestConformServerHasOneSession: a session has a name, a second one is refused, and the server ends
// with its session, whatever other clients do.
func TestConformServerHasOneSession(t *testing.T) {
	w := newWorkspace(t)
	server, port := w.serve("ib_conform")
	for range 3 {
		if _, refusal := beginConform(t, port, ""); !strings.Contains(refusal, "session: a name is empty") {
			t.Errorf("a session without a name: %q", refusal)
		}
	}
	if err := conformConn(t, port).JoinConform(""); err == nil {
		t.Error("a process for a session without a name was started")
	}
	c, refusal := beginConform(t, port, "one")
	if refusal != "" {
		t.Fatalf("a session with a name was refused: %s\n%s", refusal, server.output())
	}
	for _, name := range []string{"", "one", "two"} {
		if _, refusal := beginConform(t, port, name); refusal == "" {
			t.Errorf("session %q was begun beside another one", name)
		}
	}
	if err := conformConn(t, port).JoinConform("two"); err == nil {
		t.Error("a process for another session was started")
	}
	if err := c.EndConform(); err != nil {
		t.Error(err)
	}
	_ = c.Close()
	server.exits(statusDone, lossLimit)
}

// TestConformServerEndsWithItsClients opens many sessions at once, of which the server has one at most,
// and leaves.
func TestConformServerEndsWithItsClients(t *testing.T) {
	for _, name := range []string{"", "one"} {
		w := newWorkspace(t)
		server, port := w.serve("ib_conform")
		var clients sync.WaitGroup
		for range 20 {
			clients.Go(func() {
				c, err := oob.Dial(t.Context(), net.JoinHostPort(loopback, port), oob.DialOptions{Timeout: 10 * time.Second})
				if err != nil {
					return // the server has ended with another client
				}
				_, _ = c.BeginConform(&oob.ConformHello{Release: "0", Session: name, Device: &oob.DeviceID{Name: "shm_whole", Backend: "shm", Boot: host.BootID()}})
				c.Abort("", "enough")
			})
		}
		clients.Wait()
		if name == "" { // the server has no client yet
			c, refusal := beginConform(t, port, "one")
			if refusal != "" {
				t.Fatal(refusal)
			}
			c.Abort("", "enough")
		}
		server.exits(statusPeer, lossLimit)
	}
}

// TestConformServerLimitsProcesses: a session has few processes at a time and few in all, and they end
// with it.
func TestConformServerLimitsProcesses(t *testing.T) {
	w := newWorkspace(t)
	server, port := w.serve("ib_conform")
	c, refusal := beginConform(t, port, "one")
	if refusal != "" {
		t.Fatal(refusal)
	}
	var mu sync.Mutex
	var joined []*oob.Conn
	var joins sync.WaitGroup
	for range 20 {
		joins.Go(func() {
			if one := conformConn(t, port); one.JoinConform("one") == nil {
				mu.Lock()
				defer mu.Unlock()
				joined = append(joined, one)
			}
		})
	}
	joins.Wait()
	if n := server.children(); len(joined) != 4 || n != 4 {
		t.Fatalf("%d processes of 20 were started, %d live, want 4\n%s", len(joined), n, server.output())
	}
	server.await("message about the limit", func() bool { return server.count("4 peer processes run, which is the limit") == 1 })
	started := len(joined)
	for ; started <= 64; started++ { // a process makes room for the next one
		joined[0].Abort("", "enough")
		server.await("end of a process", func() bool { return server.children() < 4 })
		one := conformConn(t, port)
		if err := one.JoinConform("one"); err != nil {
			if !strings.Contains(err.Error(), "is the limit") {
				t.Error(err)
			}
			break
		}
		joined = append(joined[1:], one)
	}
	if started != 64 {
		t.Errorf("%d processes of a session were started, want 64", started)
	}
	_ = c.EndConform()
	_ = c.Close()
	server.exits(statusDone, lossLimit)
	server.wantStderr(" connections of clients were refused or failed")
}
