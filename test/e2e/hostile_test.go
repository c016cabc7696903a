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
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

// spoil changes a message of a step before it is sent. What it leaves alone goes as it is.
type spoil map[string]func(message map[string]any)

// liar is a side that runs as any other does and tells its peer something else than it has found.
type liar struct {
	oob.Peer
	conn  *oob.Conn
	spoil spoil
}

func (l liar) Promise(mine oob.Promise) (oob.Promise, error) { return tell(l, "promise", mine) }
func (l liar) Result(mine oob.Round) (oob.Round, error)      { return tell(l, "result", mine) }
func (l liar) Row(mine oob.Row) (oob.Row, error)             { return tell(l, "row", mine) }

// tell swaps a message with the peer, spoilt.
func tell[T any](l liar, step string, mine T) (theirs T, err error) {
	data, err := json.Marshal(mine)
	if change := l.spoil[step]; err == nil && change != nil {
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

// runs runs a side of a plan with the peer of a connection, and tells the peer how it ended.
func (l liar) runs(t *testing.T, role harness.Role, plan option.Plan) {
	device, err := openEmbedded()
	if err != nil {
		t.Error(err)
		return
	}
	defer device.Close()
	l.Peer = oob.NewPeer(l.conn)
	err = harness.Run(t.Context(), harness.Config{Plan: plan, Role: role, Context: device, Port: 1, GIDIndex: -1, Peer: l,
		File: &result.File{Local: result.Side{Libraries: map[string]string{}}}, Begin: func() {}, Row: func(result.Row) {}})
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

// hostileClient runs a plan with the server at a port and lies.
func hostileClient(t *testing.T, port string, plan option.Plan, lies spoil) {
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
	liar{conn: c, spoil: lies}.runs(t, harness.Client, plan)
}

// hostileServer takes one client, runs what it wants and lies. It returns its port, and what is
// closed when the run is over.
func hostileServer(t *testing.T, test option.Test, lies spoil) (port string, over chan struct{}) {
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
		if err := serveOne(t, l, test, lies); err != nil {
			t.Error(err)
		}
	}()
	return port, over
}

func serveOne(t *testing.T, l *oob.Listener, test option.Test, lies spoil) error {
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
	c.Trust()
	answer, err := json.Marshal(map[string]any{
		"release": "0", "plan": proposal.Plan, "device": map[string]string{"name": "shm_whole", "backend": "shm", "boot": host.BootID()},
	})
	if err != nil {
		return err
	}
	if _, err := c.Exchange("answer", answer); err != nil {
		return err
	}
	liar{conn: c, spoil: lies}.runs(t, harness.Server, plan)
	return nil
}

// at returns what is below some members of a message.
func at(message map[string]any, members ...string) map[string]any {
	for _, m := range members {
		message, _ = message[m].(map[string]any)
	}
	return message
}

// smallPlan is a run of few messages.
func smallPlan(op option.Op, kind string) option.Plan {
	p := option.Defaults(option.Test{Op: op, Kind: kind})
	p.Sizes, p.Iterations, p.Completion = []int{64}, 1000, option.ModePoll
	return p
}

// escapes is a text that moves the cursor, forges a line of a server's log and hides what is
// behind it.
const escapes = "a\x1b[2J\rb\nclient 10.0.0.1:1: done\nc\u202ed\u009b8m\x07"

// wantPlain holds that what a process has printed has no control characters but ends of lines
// and tabs, and no line that a peer has begun.
func (p *process) wantPlain() {
	p.t.Helper()
	for _, text := range []string{p.out.String(), p.err.String()} {
		odd := func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == '\u202e'
		}
		if strings.ContainsFunc(text, odd) {
			p.t.Fatalf("%s printed %q", p.name, text)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(line, "client 10.0.0.1:1") {
				p.t.Fatalf("%s printed the peer's line %q of\n%s", p.name, line, text)
			}
		}
	}
}

// TestPeersTextIsPlain wherever a server or a client prints it: in a refusal, of wrong data, in
// warnings, and in the rows of a run that is done.
func TestPeersTextIsPlain(t *testing.T) {
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
		lies   spoil
		status int
	}{
		{"names in a refusal", data, spoil{"promise": refused}, statusRefused},
		{"the first wrong message", verify, spoil{"result": wrong}, statusData},
		{"names in a table", smallPlan(option.OpSend, option.KindBandwidth), spoil{"promise": side}, statusDone},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			server, port := p.serve("ib_write_bw", "--persistent")
			hostileClient(t, port, c.plan, c.lies)
			want := "done\n"
			if c.status != statusDone {
				want = fmt.Sprintf("failed with status %d", c.status)
			}
			server.await("the end of the run", func() bool { return server.count(want) == 1 })
			server.signal(sigTerm)
			server.ends(statusDone, stopLimit)
			server.wantPlain()
		})
		t.Run(c.name+", of a server", func(t *testing.T) {
			p := newPlace(t)
			port, over := hostileServer(t, c.plan.Test, c.lies)
			args := []string{"-d", "shm_whole", "-s", "64", "-n", "1000", "--completion", string(c.plan.Completion)}
			if c.plan.Verify {
				args = append(args, "--verify")
			}
			client := p.connect(c.plan.Program(), port, args...)
			client.ends(c.status, patience)
			client.wantPlain()
			select {
			case <-over:
			case <-time.After(patience):
				t.Fatal("the server goes on")
			}
		})
	}
}

// figure spoils one figure of a message, where it is there.
func figure(step, value string, path ...string) spoil {
	return spoil{step: func(m map[string]any) {
		last := len(path) - 1
		if in := at(m, path[:last]...); in != nil {
			in[path[last]] = json.RawMessage(value)
		}
	}}
}

// lies are figures that nobody can have measured. An error names them.
var lies = []struct {
	figure string
	kind   string
	lies   spoil
}{
	{"seconds", option.KindBandwidth, figure("row", "5e-324", "bandwidth", "seconds")},
	{"seconds", option.KindBandwidth, figure("row", "1e308", "bandwidth", "seconds")},
	{"seconds", option.KindBandwidth, figure("row", "-1", "bandwidth", "seconds")},
	{"seconds", option.KindBandwidth, figure("result", "5e-324", "figure", "seconds")},
	{"messages", option.KindBandwidth, figure("result", "18446744073709551615", "figure", "messages")},
	{"average_bytes_per_s", option.KindBandwidth, figure("result", "-1", "figure", "average_bytes_per_s")},
	{"cpu_ns", option.KindBandwidth, figure("result", "9223372036854775807", "cpu_ns")},
	{"json: cannot unmarshal number 1e999", option.KindBandwidth, figure("result", "1e999", "clock_drift")},
	{"histogram", option.KindLatency, figure("row", `"garbage"`, "latency", "histogram")},
	{"n", option.KindLatency, figure("row", "7", "latency", "n")},
	{"mean_ns", option.KindLatency, figure("row", "1e308", "latency", "mean_ns")},
	{"wall_ns", option.KindLatency, figure("result", "-1", "wall_ns")},
}

// TestPeersFiguresAreChecked: a run whose peer tells what cannot be measured ends with status 4 and
// the figure's name, and leaves no file that ib_report does not read.
func TestPeersFiguresAreChecked(t *testing.T) {
	for i, lie := range lies {
		plan := smallPlan(option.OpWrite, lie.kind)
		t.Run(fmt.Sprintf("client, %s %d", lie.figure, i), func(t *testing.T) {
			p := newPlace(t, "*.json")
			server, port := p.serve("ib_write_lat", "--persistent", "--out_json_file", "server.json")
			hostileClient(t, port, plan, lie.lies)
			server.await("the end of the run", func() bool { return server.count("failed with status ")+server.count(": done\n") == 1 })
			server.signal(sigTerm)
			server.ends(statusDone, stopLimit)
			server.says("failed with status 4: the peer's message ", lie.figure)
			p.wantError("server.1.json")
		})
	}
	for i, lie := range lies {
		if lie.kind == option.KindLatency && lie.figure != "wall_ns" {
			continue // which the client measures
		}
		t.Run(fmt.Sprintf("server, %s %d", lie.figure, i), func(t *testing.T) {
			p := newPlace(t, "*.json")
			port, over := hostileServer(t, option.Test{Op: option.OpSend, Kind: option.KindBandwidth}, lie.lies)
			client := p.connect("ib_send_bw", port, "-d", "shm_whole", "-s", "64", "-n", "1000", "--verify", "--completion", "poll", "--out_json_file", "client.json")
			client.ends(statusPeer, patience)
			client.says("the peer's message ", lie.figure)
			p.wantError("client.json")
			select {
			case <-over:
			case <-time.After(patience):
				t.Fatal("the server goes on")
			}
		})
	}
}

// wantError holds that a result file can be read and says why the run has failed.
func (p *place) wantError(name string) {
	p.t.Helper()
	if f := p.readResult(name); f.Error == "" || len(f.Rows) > 0 {
		p.t.Fatalf("%s: error %q, %d rows", name, f.Error, len(f.Rows))
	}
}
