package e2e

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/oob"
)

// mostGrowth is how much a server may grow by what strangers and greedy clients do.
const mostGrowth = 16 << 10 // KiB

// peak is the most memory that a process has had, in KiB.
func (p *process) peak() int {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatalf("%v", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		p.t.Fatalf("%v", err)
	}
	return kib
}

// idle connects and says nothing until the test ends.
func idle(t *testing.T, port string) {
	t.Helper()
	c, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
}

// greedy is a client that says much and proposes nothing.
func greedy(t *testing.T, port string) {
	c, err := oob.Dial(t.Context(), "127.0.0.1:"+port, oob.DialOptions{Timeout: patience})
	if err != nil {
		return // it is one of too many
	}
	var frames sync.WaitGroup
	for i := range 15 {
		// The server ends the connection sooner or later.
		frames.Go(func() { _, _ = c.Exchange("step"+strconv.Itoa(i), make([]byte, oob.MaxPayload)) })
	}
	frames.Wait()
	c.Abort("", "enough")
}

// TestFloodLeavesTheServerAlone: silent connections, a port scan, garbage and clients that
// send without end cost a server little, keep no client out, and are told in two lines.
func TestFloodLeavesTheServerAlone(t *testing.T) {
	p := newPlace(t)
	server, port := p.serve("ib_write_bw", "--persistent")
	run := func(what string) {
		begun := time.Now()
		p.connect("ib_write_bw", port, "-d", "shm_whole", "-n", "1000").ends(statusDone, patience)
		t.Logf("%s: a run took %v, the server had %d KiB", what, time.Since(begun).Round(time.Millisecond), server.peak())
	}
	run("before")
	before := server.peak()
	for range 10 {
		idle(t, port)
	}
	run("beside ten silent connections")
	var flood sync.WaitGroup
	flood.Go(func() {
		for range 200 {
			if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
				c.Close()
			}
		}
	})
	for range 60 {
		flood.Go(func() { greedy(t, port) })
	}
	run("beside a scan and 60 greedy clients")
	flood.Wait()
	for range 1000 {
		idle(t, port)
	}
	talk(t, port, "GET / HTTP/1.1\r\n\r\n")
	run("beside 1000 silent connections")
	if grown := server.peak() - before; grown > mostGrowth {
		t.Errorf("the server grew by %d KiB", grown)
	}
	server.signal(sigTerm)
	server.within(stopLimit)
	server.says("a connection that was no client: ", "connections were no clients\n")
	if n := server.count("no client: "); n != 1 {
		t.Errorf("strangers are told of %d times", n)
	}
}
