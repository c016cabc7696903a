package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// What strangers say.
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

// talk says a text to the server at a port, and hears all that it answers.
func talk(t *testing.T, port, text string) {
	t.Helper()
	c, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// The server may have enough of it before the end, and close or reset.
	_, _ = io.WriteString(c, text)
	_, _ = io.Copy(io.Discard, c)
}

// TestServerHearsNonsense from something that is no client, tells of it once and serves
// the client that comes then.
func TestServerHearsNonsense(t *testing.T) {
	for name, text := range nonsense {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			server, port := p.serve("ib_write_lat")
			talk(t, port, text)
			talk(t, port, text)
			p.connect("ib_write_lat", port, "-d", "shm_whole", "-n", "100").ends(statusDone, patience)
			server.ends(statusDone, patience)
			server.says("ib_write_lat: a connection that was no client: peer 127.0.0.1:",
				"does not speak ibperf's protocol")
			server.says("ib_write_lat: 2 connections were no clients\n")
			if n := server.count("that was no client"); n != 1 {
				t.Errorf("told of strangers in %d lines, want one and how many there were\n%s", n, server.said())
			}
		})
	}
}

// TestSilentStrangers hold no client up, whichever kind of server they come to.
func TestSilentStrangers(t *testing.T) {
	for _, options := range [][]string{nil, {"--persistent"}} {
		p := newPlace(t)
		server, port := p.serve("ib_write_bw", options...)
		for range 10 {
			c, err := net.Dial("tcp", net.JoinHostPort(loopback, port))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
		}
		client := p.connect("ib_write_bw", port, "-d", "shm_whole", "-n", "100", "--connect-timeout", "1s")
		client.ends(statusDone, patience)
		if options != nil {
			server.served(1)
			server.signal(sigTerm)
		}
		server.ends(statusDone, patience)
	}
}

// TestStrangersAreCounted by a persistent server, and take no numbers of clients.
func TestStrangersAreCounted(t *testing.T) {
	p := newPlace(t)
	server, port := p.serve("ib_write_bw", "--persistent")
	for range 3 {
		talk(t, port, nonsense["HTTP"])
	}
	p.connect("ib_write_bw", port, "-d", "shm_whole", "-n", "100").ends(statusDone, patience)
	server.served(1)
	server.signal(sigTerm)
	server.ends(statusDone, stopLimit)
	server.says("number 1, ", "ib_write_bw: 3 connections were no clients\n")
}

// TestClientHearsNonsense from something that is no server.
func TestClientHearsNonsense(t *testing.T) {
	for name, text := range nonsense {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			l, port := listen(t)
			client := p.connect("ib_send_bw", port, "-d", "shm_whole")
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, _ = io.WriteString(c, text)
			client.ends(statusPeer, lossLimit)
			client.says("peer 127.0.0.1:"+port, "does not speak ibperf's protocol")
		})
	}
}

// TestServerThatHangsUp before it has said anything, each time that the client tries.
func TestServerThatHangsUp(t *testing.T) {
	p := newPlace(t)
	l, port := listen(t)
	client := p.connect("ib_send_bw", port, "-d", "shm_whole", "--connect-timeout", "1s")
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	client.ends(statusPeer, lossLimit)
	client.says("peer 127.0.0.1:"+port, "is gone", "tried for 1", "--connect-timeout")
}

// TestSilentServer: the client waits for it as long as it was told to.
func TestSilentServer(t *testing.T) {
	p := newPlace(t)
	_, port := listen(t)
	start := time.Now()
	client := p.connect("ib_send_bw", port, "-d", "shm_whole", "--connect-timeout", "6s")
	client.ends(statusPeer, patience)
	if took := time.Since(start); took < 6*time.Second {
		t.Errorf("gave up after %v", took)
	}
	client.says("peer 127.0.0.1:"+port+" has not said hello for ", "--connect-timeout")
}

// TestServerServesEveryTest that clients ask for, whatever its own name is.
func TestServerServesEveryTest(t *testing.T) {
	p := newPlace(t, "*.json")
	server, port := p.serve("ib_read_lat", "--persistent", "--out_json", "-n", "100")
	for _, test := range option.Tests() {
		client := p.connect(test.Program(), port, "-d", "shm_whole")
		client.ends(statusDone, patience)
		client.says("--iters 100: decided by the server")
	}
	server.served(len(option.Tests()))
	server.signal(sigTerm)
	server.ends(statusDone, stopLimit)
	for i, test := range option.Tests() {
		f := p.readResult(fmt.Sprintf("%s.server.%d.json", test.Program(), i+1))
		if f.Program != test.Program() || f.Op != string(test.Op) || len(f.Rows) != 1 || f.Parameters.Iterations != 100 {
			t.Errorf("the server's file of client %d is of %s, with %d rows", i+1, f.Program, len(f.Rows))
		}
	}
}

// TestServerOutlivesImpossiblePlans: a client that speaks the protocol and wants what no
// client of ours would ask for is refused, and the next one is served.
func TestServerOutlivesImpossiblePlans(t *testing.T) {
	p := newPlace(t)
	server, port := p.serve("ib_write_lat", "--persistent")
	for i, spoil := range []func(*option.Plan){
		func(plan *option.Plan) { plan.Compare, plan.Completion = true, option.ModeData },
		func(plan *option.Plan) { plan.Compare, plan.Completion = true, option.ModeEvent },
		func(plan *option.Plan) { plan.Completion = "sleep" },
		func(plan *option.Plan) { plan.Compare, plan.Also = true, []string{"nothing"} },
		func(plan *option.Plan) { plan.Also = []string{option.AlsoControl} },
		func(plan *option.Plan) { plan.Sizes = nil },
		func(plan *option.Plan) { plan.Rounds = -1 },
		func(plan *option.Plan) { plan.Runs = 0 },
		func(plan *option.Plan) { plan.CQMod = 7 },
		func(plan *option.Plan) { plan.Precision = 0.1 },
	} {
		plan := option.Defaults(option.Test{Op: option.OpWrite, Kind: option.KindLatency})
		spoil(&plan)
		propose(t, port, plan)
		server.await("refusal", func() bool { return server.count("failed with status 4") == i+1 })
	}
	p.connect("ib_write_lat", port, "-d", "shm_whole", "-n", "100").ends(statusDone, patience)
	server.served(1)
	server.signal(sigTerm)
	server.ends(statusDone, stopLimit)
}

// propose sends a plan as a client does, and waits until the server has done with it.
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
	// The server may answer with a refusal or hang up.
	_, _ = c.Exchange("answer", nil)
}
