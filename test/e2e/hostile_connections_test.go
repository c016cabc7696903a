package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"regexp"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// nonsense are texts that are not ibperf's protocol.
var nonsense = map[string]string{
	"HTTP":   "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"answer": "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
	"zeros":  string(make([]byte, 4096)),
	"ones":   "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	"random": random(1 << 16),
}

func random(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return string(b)
}

// sendText sends a text to the server at a port and reads until the server closes the connection.
func sendText(t *testing.T, port, text string) {
	t.Helper()
	c, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// The server may close or reset the connection before it has read everything.
	_, _ = io.WriteString(c, text)
	_, _ = io.Copy(io.Discard, c)
}

// TestServerIgnoresOtherProtocols: a server reports connections that do not speak its protocol, in one
// line and a count, and serves the next client.
func TestServerIgnoresOtherProtocols(t *testing.T) {
	for name, text := range nonsense {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			server, port := w.serve("ib_write_lat")
			sendText(t, port, text)
			sendText(t, port, text)
			w.connect("ib_write_lat", port, "-d", "shm_whole", "-n", "100").exits(statusDone, patience)
			server.exits(statusDone, patience)
			server.wantStderr("ib_write_lat: rejected a connection: peer 127.0.0.1:",
				"does not speak ibperf's protocol")
			server.wantStderr("ib_write_lat: rejected 2 connections\n")
			if n := server.count("rejected a connection"); n != 1 {
				t.Errorf("%d lines report a connection that is not a client's, want one\n%s", n, server.output())
			}
		})
	}
}

// TestSilentConnectionsDelayNoClient opens connections that send nothing, to a server for one client
// and to a persistent one.
func TestSilentConnectionsDelayNoClient(t *testing.T) {
	for _, options := range [][]string{nil, {"--persistent"}} {
		w := newWorkspace(t)
		server, port := w.serve("ib_write_bw", options...)
		for range 10 {
			c, err := net.Dial("tcp", net.JoinHostPort(loopback, port))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
		}
		client := w.connect("ib_write_bw", port, "-d", "shm_whole", "-n", "100", "--connect-timeout", "2s") // less than the server gives one silent connection
		client.exits(statusDone, patience)
		if options != nil {
			server.awaitServed(1)
			server.signal(sigTerm)
		}
		server.exits(statusDone, patience)
	}
}

// TestPersistentServerCountsOtherConnections: it reports at its end how many connections were not
// clients, and they take no client numbers.
func TestPersistentServerCountsOtherConnections(t *testing.T) {
	w := newWorkspace(t)
	server, port := w.serve("ib_write_bw", "--persistent")
	for range 3 {
		sendText(t, port, nonsense["HTTP"])
	}
	w.connect("ib_write_bw", port, "-d", "shm_whole", "-n", "100").exits(statusDone, patience)
	server.awaitServed(1)
	server.signal(sigTerm)
	server.exits(statusDone, stopLimit)
	server.wantStderr("number 1, ", "ib_write_bw: rejected 3 connections\n")
}

// TestClientRefusesOtherProtocols: a client reports a server that does not speak its protocol.
func TestClientRefusesOtherProtocols(t *testing.T) {
	for name, text := range nonsense {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			l, port := listen(t)
			client := w.connect("ib_send_bw", port, "-d", "shm_whole")
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, _ = io.WriteString(c, text)
			client.exits(statusPeer, lossLimit)
			client.wantStderr("peer 127.0.0.1:"+port, "does not speak ibperf's protocol")
		})
	}
}

// TestClientRetriesAServerThatCloses: the client connects again until --connect-timeout to a server
// that closes each connection at once.
func TestClientRetriesAServerThatCloses(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	l, port := listen(t)
	client := w.connect("ib_send_bw", port, "-d", "shm_whole", "--connect-timeout", "1s")
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	client.exits(statusPeer, 3*time.Second)
	client.wantStderr("peer 127.0.0.1:"+port, "is gone", "--connect-timeout")
	if tried := client.triedFor(); tried < time.Second {
		t.Errorf("the client tried for %v, want 1 s or more", tried)
	}
}

// tried matches the time in the error of a client that gave up.
var tried = regexp.MustCompile(`tried for (\S+);`)

// triedFor returns for how long a client tried to connect, as its error has it.
func (p *process) triedFor() time.Duration {
	p.t.Helper()
	m := tried.FindStringSubmatch(p.err.String())
	if m == nil {
		p.t.Fatalf("%s did not print for how long it tried\n%s", p.name, p.output())
	}
	d, err := time.ParseDuration(m[1])
	if err != nil {
		p.t.Fatalf("%s printed %q: %v", p.name, m[0], err)
	}
	return d
}

// TestClientGivesUpOnASilentServer: the client waits for --connect-timeout for a server that accepts
// the connection and sends nothing.
func TestClientGivesUpOnASilentServer(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	_, port := listen(t)
	start := time.Now()
	client := w.connect("ib_send_bw", port, "-d", "shm_whole", "--connect-timeout", "6s")
	client.exits(statusPeer, patience)
	if took := time.Since(start); took < 6*time.Second {
		t.Errorf("the client gave up after %v, want 6 s or more", took)
	}
	client.wantStderr("peer 127.0.0.1:"+port+" has not sent its hello within ", "--connect-timeout")
}

// TestServerServesEveryTest: a server of any program runs the tests of all programs.
func TestServerServesEveryTest(t *testing.T) {
	w := newWorkspace(t, "*.json")
	server, port := w.serve("ib_read_lat", "--persistent", "--out_json", "-n", "100")
	for _, test := range option.Tests() {
		client := w.connect(test.Program(), port, "-d", "shm_whole")
		client.exits(statusDone, patience)
		client.wantStderr("--iters 100: decided by the server")
	}
	server.awaitServed(len(option.Tests()))
	server.signal(sigTerm)
	server.exits(statusDone, stopLimit)
	for i, test := range option.Tests() {
		f := w.readResult(fmt.Sprintf("%s.server.%d.json", test.Program(), i+1))
		if f.Program != test.Program() || f.Op != test.Op || len(f.Rows) != 1 || f.Parameters.Iterations != 100 {
			t.Errorf("the server's file of client %d is of %s, with %d rows", i+1, f.Program, len(f.Rows))
		}
	}
}

// TestServerOutlivesImpossiblePlans: a server refuses plans that no ibperf client proposes, and serves
// the next client.
func TestServerOutlivesImpossiblePlans(t *testing.T) {
	w := newWorkspace(t)
	server, port := w.serve("ib_write_lat", "--persistent")
	for i, change := range []func(*option.Plan){
		func(plan *option.Plan) { plan.Compare, plan.Completion = true, option.ModeData },
		func(plan *option.Plan) { plan.Compare, plan.Completion = true, option.ModeEvent },
		func(plan *option.Plan) { plan.Completion = "sleep" },
		func(plan *option.Plan) { plan.Compare, plan.Also = true, []option.Variant{"nothing"} },
		func(plan *option.Plan) { plan.Compare, plan.Also = true, []option.Variant{option.VariantControl} },
		func(plan *option.Plan) { plan.Also = []option.Variant{option.VariantLook} },
		func(plan *option.Plan) { plan.Sizes = nil },
		func(plan *option.Plan) { plan.Rounds = -1 },
		func(plan *option.Plan) { plan.Runs = 0 },
		func(plan *option.Plan) { plan.CQMod = 7 },
		func(plan *option.Plan) { plan.Precision = 0.1 },
	} {
		plan := option.Defaults(option.Test{Op: option.OpWrite, Kind: option.KindLatency})
		change(&plan)
		propose(t, port, plan)
		server.await("refusal", func() bool { return server.count("failed with status 4") == i+1 })
	}
	w.connect("ib_write_lat", port, "-d", "shm_whole", "-n", "100").exits(statusDone, patience)
	server.awaitServed(1)
	server.signal(sigTerm)
	server.exits(statusDone, stopLimit)
}

// propose sends a plan as a client does, and waits for the server's answer or its end.
func propose(t *testing.T, port string, plan option.Plan) {
	t.Helper()
	c, err := oob.Dial(t.Context(), net.JoinHostPort(loopback, port), oob.DialOptions{Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	encoded, err := plan.Encode()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{
		"release": "0", "program": "ib_write_lat", "given": []string{}, "plan": json.RawMessage(encoded),
		"device": map[string]string{"name": "shm_whole", "backend": "shm", "boot": host.BootID()},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exchange("plan", text); err != nil {
		t.Fatal(err)
	}
	// The server may answer with a refusal or close the connection.
	_, _ = c.Exchange("answer", nil)
}
