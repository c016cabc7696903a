package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"testing"

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

// TestServerHearsNonsense from something that is no client.
func TestServerHearsNonsense(t *testing.T) {
	for name, text := range nonsense {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			server, port := p.serve("ib_write_lat")
			talk(t, port, text)
			server.ends(statusPeer, lossLimit)
			server.says("peer 127.0.0.1:", "does not speak ibperf's protocol")
		})
	}
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

// TestServerThatHangsUp before it has said anything.
func TestServerThatHangsUp(t *testing.T) {
	p := newPlace(t)
	l, port := listen(t)
	client := p.connect("ib_send_bw", port, "-d", "shm_whole")
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	client.ends(statusPeer, lossLimit)
	client.says("peer 127.0.0.1:"+port, "is gone")
}

// TestServerServesEveryTest that clients ask for, whatever its own name is.
func TestServerServesEveryTest(t *testing.T) {
	p := newPlace(t, "*.json")
	server, port := p.serve("ib_read_lat", "--persistent", "--out_json", "-s", "64")
	for _, test := range option.Tests() {
		client := p.connect(test.Program(), port, "-d", "shm_whole", "-n", "100")
		client.ends(statusDone, patience)
		client.says("--size 64: decided by the server")
	}
	server.signal(sigTerm)
	server.ends(statusDone, stopLimit)
	for i, test := range option.Tests() {
		f := p.readResult(fmt.Sprintf("%s.server.%d.json", test.Program(), i+1))
		if f.Program != test.Program() || f.Op != string(test.Op) || len(f.Rows) != 1 || f.Rows[0].Size != 64 {
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
	server.signal(sigTerm)
	server.ends(statusDone, stopLimit)
}

// propose sends a plan as a client does, and waits until the server has done with it.
func propose(t *testing.T, port string, plan option.Plan) {
	t.Helper()
	c, err := oob.Dial(t.Context(), net.JoinHostPort(loopback, port), patience)
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
		"device": map[string]string{"name": "shm_whole", "backend": "shm"},
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
