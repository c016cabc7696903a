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

// mostGrowth limits the memory that connections without a plan may cost a server, in KiB.
const mostGrowth = 16 << 10

// peakMemory returns the largest resident set size that the process has had, in KiB.
func (p *process) peakMemory() int {
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

// connectIdle opens a connection that sends nothing until the test ends.
func connectIdle(t *testing.T, port string) {
	t.Helper()
	c, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
}

// sendLargeFrames is a client that sends many large frames and proposes no plan.
func sendLargeFrames(t *testing.T, port string) {
	c, err := oob.Dial(t.Context(), "127.0.0.1:"+port, oob.DialOptions{Timeout: patience})
	if err != nil {
		return // the server has too many connections
	}
	var frames sync.WaitGroup
	for i := range 15 {
		// An error is the server's end of the connection.
		frames.Go(func() { _, _ = c.Exchange("step"+strconv.Itoa(i), make([]byte, oob.MaxPayload)) })
	}
	frames.Wait()
	c.Abort("", "enough")
}

// TestServerWithstandsFlood: silent connections, a port scan, other protocols and large frames cost a
// server little memory, keep no client out, and are reported in two lines.
func TestServerWithstandsFlood(t *testing.T) {
	w := newWorkspace(t)
	server, port := w.serve("ib_write_bw", "--persistent")
	run := func(what string) {
		begun := time.Now()
		w.connect("ib_write_bw", port, "-d", "shm_whole", "-n", "1000").exits(statusDone, patience)
		t.Logf("%s: a run took %v, the server had %d KiB", what, time.Since(begun).Round(time.Millisecond), server.peakMemory())
	}
	run("before")
	before := server.peakMemory()
	for range 10 {
		connectIdle(t, port)
	}
	run("with ten silent connections")
	var flood sync.WaitGroup
	flood.Go(func() {
		for range 200 {
			if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
				c.Close()
			}
		}
	})
	for range 60 {
		flood.Go(func() { sendLargeFrames(t, port) })
	}
	run("with a port scan and 60 clients that send large frames")
	flood.Wait()
	for range 1000 {
		connectIdle(t, port)
	}
	sendText(t, port, "GET / HTTP/1.1\r\n\r\n")
	run("with 1000 silent connections")
	if grown := server.peakMemory() - before; grown > mostGrowth {
		t.Errorf("the server grew by %d KiB, want %d at most", grown, mostGrowth)
	}
	server.signal(sigTerm)
	server.wait(stopLimit)
	server.wantStderr("rejected a connection: ", "ib_write_bw: rejected ", " connections\n")
	if n := server.count("rejected a connection: "); n != 1 {
		t.Errorf("%d lines report connections that are not clients, want one", n)
	}
}
