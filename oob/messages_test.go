package oob

import (
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// recorder is the other end of a connection. It keeps each payload, with the name of its exchange,
// and answers with the reply of its name.
type recorder struct {
	t       *testing.T
	conn    *Conn
	replies map[string]string
	wire    strings.Builder
}

// exchange takes part in the next exchange of a name.
func (r *recorder) exchange(name string) {
	theirs := []byte(r.replies[name])
	got, err := r.conn.Exchange(name, theirs)
	if err != nil {
		r.t.Error(name, err)
		return
	}
	r.wire.WriteString(name + " " + string(got) + "\n")
}

// The bytes of every message and the names of the exchanges are part of the protocol between releases.
// testdata/messages.txt has them.
func TestWireFormOfMessages(t *testing.T) {
	mine, theirs := Pipe()
	defer endAll(mine, theirs)
	r := &recorder{t: t, conn: theirs, replies: map[string]string{
		"answer": `{"release":"1","device":{"name":"d","backend":"b"}}`, "conform-answer": `{"release":"1","device":{"name":"d","backend":"b"}}`,
		"endpoints": "[]", "finish": "[]", "rest": "[]", "plan": "{}", "conform": "{}",
		"offer": "{}", "rdma_cm": "{}", "promise": "{}", "turn": "{}", "align": "{}", "result": "{}", "row": "{}",
	}}
	for _, m := range messages(mine) {
		done := make(chan error)
		go func() { done <- m.send() }()
		for _, name := range m.exchanges {
			r.exchange(name)
		}
		if err := <-done; err != nil && !errors.As(err, new(*MessageError)) {
			t.Errorf("%v: %v", m.exchanges, err)
		}
	}
	golden.Check(t, "messages.txt", []byte(r.wire.String()))
}

// message sends a message of the protocol in one or two exchanges.
type message struct {
	exchanges []string
	send      func() error
}

// messages returns all messages, in the order of a run. Each member of a message is set in one of them.
func messages(c *Conn) []message {
	p, device := NewPeer(c), DeviceID{"mlx5_0", "ibv", "boot"}
	var all []message
	add := func(send func() error, exchanges ...string) { all = append(all, message{exchanges, send}) }
	add(func() error {
		_, err := c.Propose(&Proposal{"v1", "ib_write_bw", device, []DeviceID{device}, []string{"size"}, &Series{"id", 1, 2, 1, 3, true, true}, true, json.RawMessage(`{"qps":2}`)}, func(string) {})
		return err
	}, "plan", "answer")
	add(func() error { _, err := c.ReceiveProposal(); return err }, "plan")
	add(func() error {
		return c.SendAnswer(&Answer{Release: "v1", Device: device, More: []DeviceID{device}, Plan: json.RawMessage("{}"), Caps: json.RawMessage("{}")})
	}, "answer")
	add(func() error { return c.SendAnswer(&Answer{Class: "busy", Refusal: "later"}) }, "answer")
	add(func() error { return c.SendAnswer(&Answer{Wait: "others run"}) }, "answer")
	add(func() error {
		_, err := p.Offer(Offer{verbs.LinkEthernet, true, []verbs.GIDClass{}, netip.MustParseAddr("10.0.0.1"), 4096, true, true})
		return err
	}, "offer")
	add(func() error { _, err := p.Rendezvous(Rendezvous{1, 2}); return err }, "rdma_cm")
	add(func() error { _, err := p.Endpoints([]Endpoint{{verbs.Endpoint{}, 1, 2, 3, 4, 5, 6, 7}}); return err }, "endpoints")
	add(func() error {
		_, err := p.Promise(Promise{result.Side{}, verbs.OrderWhole, 32, "boot", []int{0, 1}, [][]int{{2}}, true, []string{"the service level is 0"}})
		return err
	}, "promise")
	for _, kind := range []StepKind{StepRun, StepSize, StepRound, StepDrain, StepRow, StepEnd} {
		add(func() error { _, err := p.Step(Step{kind, 1, 2, true, 3, time.Second, "why", "limit"}); return err }, "turn")
	}
	add(p.Ready, "ready")
	add(func() error { _, err := p.Align(Reading{1, 2}); return err }, "align")
	add(func() error { _, err := p.Finish([]uint64{1, 2}); return err }, "finish")
	add(func() error {
		_, err := p.Result(Round{&result.Round{}, 1, 2, true, 3, 4, 5, 6, 7, []int{0, 1}, []int{0}, 8, 9, 0.5, &result.Verify{}, []Round{{}, {}}})
		return err
	}, "result")
	add(func() error { _, err := p.Drain([]uint64{1, 2}); return err }, "rest")
	add(func() error {
		_, err := p.Row(Row{&result.Latency{}, nil, &result.Bandwidth{}, []Row{{}, {}}})
		return err
	}, "row")
	add(func() error { _, err := c.BeginConform(&ConformHello{"v1", "session", &device}); return err }, "conform", "conform-answer")
	add(func() error { return c.JoinConform("session") }, "conform", "conform-answer")
	add(func() error { _, err := c.ReceiveConform(); return err }, "conform")
	add(func() error { return c.AnswerConform(&Answer{Release: "v1", Device: device}) }, "conform-answer")
	add(func() error { return c.AnswerConform(nil) }, "conform-answer")
	add(c.EndConform, "end")
	return all
}
