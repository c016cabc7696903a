package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

// tampering holds, by step, what changes a message of that step before it is sent.
type tampering map[string]func(message map[string]any)

// hostilePeer is a side that makes the run and sends its peer other figures than it has measured.
type hostilePeer struct {
	oob.Peer
	conn   *oob.Conn
	tamper tampering
}

func (l hostilePeer) Promise(mine oob.Promise) (oob.Promise, error) {
	return exchange(l, "promise", mine)
}
func (l hostilePeer) Result(mine oob.Round) (oob.Round, error) { return exchange(l, "result", mine) }
func (l hostilePeer) Row(mine oob.Row) (oob.Row, error)        { return exchange(l, "row", mine) }

// exchange sends a message, changed, and returns the peer's.
func exchange[T any](l hostilePeer, step string, mine T) (theirs T, err error) {
	data, err := json.Marshal(mine)
	if change := l.tamper[step]; err == nil && change != nil {
		var message map[string]any
		if err = json.Unmarshal(data, &message); err == nil {
			change(message)
			data, err = json.Marshal(message)
		}
	}
	if err != nil {
		return theirs, err
	}
	if data, err = l.conn.Exchange(step, data); err != nil {
		return theirs, err
	}
	return theirs, json.Unmarshal(data, &theirs)
}

// run runs one side of a plan, and reports its end to the peer.
func (l hostilePeer) run(t *testing.T, role harness.Role, plan option.Plan) {
	device, err := openEmbedded()
	if err != nil {
		t.Error(err)
		return
	}
	defer device.Close()
	settings := option.New(plan.Test)
	settings.Plan = plan
	resolved, err := settings.Resolve()
	if err != nil {
		t.Error(err)
		return
	}
	l.Peer = oob.NewPeer(l.conn)
	err = harness.Run(t.Context(), harness.Config{Plan: resolved, Role: role, Devices: []harness.DevicePort{{Context: device, Port: 1}}, GIDIndex: -1, Peer: l,
		File: &result.File{Local: result.Side{Libraries: map[string]string{}}}, Begin: func(harness.Beginning) {}, Row: func(result.Row) {}})
	if err != nil {
		t.Logf("the hostile %s: %v", role, err)
	}
	_ = l.conn.Close()
}

func openEmbedded() (verbs.Context, error) {
	d, err := verbs.Lookup("shm_whole")
	if err != nil {
		return nil, err
	}
	return d.Open()
}

// runHostileClient runs a plan with the server at a port and changes its messages.
func runHostileClient(t *testing.T, port string, plan option.Plan, tamper tampering) {
	t.Helper()
	c, err := oob.Dial(t.Context(), net.JoinHostPort(loopback, port), oob.DialOptions{Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := plan.Encode()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{
		"release": "0", "program": plan.Program(), "given": []string{}, "plan": json.RawMessage(encoded),
		"device": map[string]string{"name": "shm_whole", "backend": "shm", "boot": host.BootID()},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exchange("plan", text); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exchange("answer", nil); err != nil {
		t.Fatal(err)
	}
	hostilePeer{conn: c, tamper: tamper}.run(t, harness.Client, plan)
}

// startHostileServer serves one client and changes its messages. It returns its port, and a channel
// that is closed when the run is over.
func startHostileServer(t *testing.T, test option.Test, tamper tampering) (port string, over chan struct{}) {
	t.Helper()
	l, err := oob.Listen(net.JoinHostPort(loopback, "0"), oob.ListenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	over = make(chan struct{})
	go func() {
		defer close(over)
		defer l.Close()
		if err := runHostileServer(t, l, test, tamper); err != nil {
			t.Error(err)
		}
	}()
	return port, over
}

func runHostileServer(t *testing.T, l *oob.Listener, test option.Test, tamper tampering) error {
	c, err := l.Accept(t.Context())
	if err != nil {
		return err
	}
	wanted, err := c.Exchange("plan", nil)
	if err != nil {
		return err
	}
	var proposal struct {
		Plan json.RawMessage `json:"plan"`
	}
	if err := json.Unmarshal(wanted, &proposal); err != nil {
		return err
	}
	plan, _, err := option.Decode(test, proposal.Plan)
	if err != nil {
		return err
	}
	c.Trust(nil)
	answer, err := json.Marshal(map[string]any{
		"release": "0", "plan": proposal.Plan, "device": map[string]string{"name": "shm_whole", "backend": "shm", "boot": host.BootID()},
	})
	if err != nil {
		return err
	}
	if _, err := c.Exchange("answer", answer); err != nil {
		return err
	}
	hostilePeer{conn: c, tamper: tamper}.run(t, harness.Server, plan)
	return nil
}

// at returns the object in a message that the members lead to.
func at(message map[string]any, members ...string) map[string]any {
	for _, m := range members {
		message, _ = message[m].(map[string]any)
	}
	return message
}

// smallPlan returns a plan of few messages.
func smallPlan(op option.Op, kind option.Kind) option.Plan {
	p := option.Defaults(option.Test{Op: op, Kind: kind})
	p.Sizes, p.Iterations, p.Completion = []int{64}, 1000, option.ModePoll
	return p
}

// escapes is a text that moves the cursor, forges a line of a server's log and hides the rest of its
// own line.
const escapes = "a\x1b[2J\rb\nclient 10.0.0.1:1: done\nc\u202ed\u009b8m\x07"

// wantPrintable checks that the output has no control characters except newlines and tabs, and no line
// that the peer's text begins.
func (p *process) wantPrintable() {
	p.t.Helper()
	for _, text := range []string{p.out.String(), p.err.String()} {
		odd := func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == '\u202e'
		}
		if strings.ContainsFunc(text, odd) {
			p.t.Fatalf("%s printed control characters: %q", p.name, text)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(line, "client 10.0.0.1:1") {
				p.t.Fatalf("%s printed the peer's line %q of\n%s", p.name, line, text)
			}
		}
	}
}

// TestPeersTextIsPrintable: a server and a client remove control characters from the peer's text, in a
// refusal, in a report of wrong data, in warnings, and in the rows of a complete run.
func TestPeersTextIsPrintable(t *testing.T) {
	data := smallPlan(option.OpWrite, option.KindLatency)
	data.Completion = option.ModeData
	verify := smallPlan(option.OpWrite, option.KindBandwidth)
	verify.Verify = true
	side := func(m map[string]any) {
		s := at(m, "side")
		s["host"], s["kernel"], s["cpu"], s["clock"], s["governor"] = escapes, escapes, escapes, escapes, escapes
		for _, text := range []map[string]any{at(s, "device"), at(s, "order")} {
			for name, v := range text {
				if _, ok := v.(string); ok {
					text[name] = escapes
				}
			}
		}
	}
	refused := func(m map[string]any) { side(m); m["order"] = 0 }
	wrong := func(m map[string]any) {
		if v := at(m, "verify"); v != nil {
			v["torn"], v["first"] = 1, escapes
		}
	}
	for _, c := range []struct {
		name   string
		plan   option.Plan
		tamper tampering
		status int
	}{
		{"names in a refusal", data, tampering{"promise": refused}, statusRefused},
		{"the first wrong message", verify, tampering{"result": wrong}, statusData},
		{"names in a table", smallPlan(option.OpSend, option.KindBandwidth), tampering{"promise": side}, statusDone},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorkspace(t)
			server, port := w.serve("ib_write_bw", "--persistent")
			runHostileClient(t, port, c.plan, c.tamper)
			want := "done\n"
			if c.status != statusDone {
				want = fmt.Sprintf("failed with status %d", c.status)
			}
			server.await("the end of the run", func() bool { return server.count(want) == 1 })
			server.signal(sigTerm)
			server.exits(statusDone, stopLimit)
			server.wantPrintable()
		})
		t.Run(c.name+", of a server", func(t *testing.T) {
			w := newWorkspace(t)
			port, over := startHostileServer(t, c.plan.Test, c.tamper)
			args := []string{"-d", "shm_whole", "-s", "64", "-n", "1000", "--completion", string(c.plan.Completion)}
			if c.plan.Verify {
				args = append(args, "--verify")
			}
			client := w.connect(c.plan.Program(), port, args...)
			client.exits(c.status, patience)
			client.wantPrintable()
			select {
			case <-over:
			case <-time.After(patience):
				t.Fatal("the hostile server has not ended")
			}
		})
	}
}

// tamperFigure changes one figure of a step's message, if the message has it.
func tamperFigure(step, value string, path ...string) tampering {
	return tampering{step: func(m map[string]any) {
		last := len(path) - 1
		if in := at(m, path[:last]...); in != nil {
			in[path[last]] = json.RawMessage(value)
		}
	}}
}

// impossibleFigures are figures that no side can have measured, with the name in the error.
var impossibleFigures = []struct {
	figure string
	kind   option.Kind
	tamper tampering
}{
	{"seconds", option.KindBandwidth, tamperFigure("row", "5e-324", "bandwidth", "seconds")},
	{"seconds", option.KindBandwidth, tamperFigure("row", "1e308", "bandwidth", "seconds")},
	{"seconds", option.KindBandwidth, tamperFigure("row", "-1", "bandwidth", "seconds")},
	{"seconds", option.KindBandwidth, tamperFigure("result", "5e-324", "figure", "seconds")},
	{"messages", option.KindBandwidth, tamperFigure("result", "18446744073709551615", "figure", "messages")},
	{"average_bytes_per_s", option.KindBandwidth, tamperFigure("result", "-1", "figure", "average_bytes_per_s")},
	{"cpu_ns", option.KindBandwidth, tamperFigure("result", "9223372036854775807", "cpu_ns")},
	{"json: cannot unmarshal number 1e999", option.KindBandwidth, tamperFigure("result", "1e999", "clock_drift")},
	{"histogram", option.KindLatency, tamperFigure("row", `"garbage"`, "latency", "histogram")},
	{"n", option.KindLatency, tamperFigure("row", "7", "latency", "n")},
	{"mean_ns", option.KindLatency, tamperFigure("row", "1e308", "latency", "mean_ns")},
	{"wall_ns", option.KindLatency, tamperFigure("result", "-1", "wall_ns")},
}

// TestPeersFiguresAreChecked: a side that receives an impossible figure ends with status 4, names the
// figure, and writes a result file that can be read.
func TestPeersFiguresAreChecked(t *testing.T) {
	for i, c := range impossibleFigures {
		plan := smallPlan(option.OpWrite, c.kind)
		t.Run(fmt.Sprintf("client, %s %d", c.figure, i), func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			server, port := w.serve("ib_write_lat", "--persistent", "--out_json_file", "server.json")
			runHostileClient(t, port, plan, c.tamper)
			server.await("the end of the run", func() bool { return server.count("failed with status ")+server.count(": done\n") == 1 })
			server.signal(sigTerm)
			server.exits(statusDone, stopLimit)
			server.wantStderr("failed with status 4: invalid ", "message from peer: ", c.figure)
			w.wantErrorInResult("server.1.json")
		})
	}
	for i, c := range impossibleFigures {
		if c.kind == option.KindLatency && c.figure != "wall_ns" {
			continue // the client measures it
		}
		t.Run(fmt.Sprintf("server, %s %d", c.figure, i), func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			port, over := startHostileServer(t, option.Test{Op: option.OpSend, Kind: option.KindBandwidth}, c.tamper)
			client := w.connect("ib_send_bw", port, "-d", "shm_whole", "-s", "64", "-n", "1000", "--verify", "--completion", "poll", "--out_json_file", "client.json")
			client.exits(statusPeer, patience)
			client.wantStderr(": invalid ", "message from peer: ", c.figure)
			w.wantErrorInResult("client.json")
			select {
			case <-over:
			case <-time.After(patience):
				t.Fatal("the hostile server has not ended")
			}
		})
	}
}

// wantErrorInResult checks that a result file can be read and has the error of the run.
func (w *workspace) wantErrorInResult(name string) {
	w.t.Helper()
	if f := w.readResult(name); f.Error == "" || len(f.Rows) > 0 {
		w.t.Fatalf("%s: error %q, %d rows", name, f.Error, len(f.Rows))
	}
}
