package harness

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// A plan with both a comparison and a completion mode is refused.
func TestContradictoryPlansAreRefused(t *testing.T) {
	for _, op := range allOps {
		for _, mode := range []option.Mode{option.ModeData, option.ModePoll, option.ModeAdaptive, option.ModeEvent, "sleep"} {
			for _, kind := range allKinds {
				p := testPlan(op, kind, 8, 100)
				p.Compare, p.Completion = true, mode
				if p.Check() == nil {
					t.Errorf("%s %s: a comparison in mode %q passed", op, kind, mode)
				}
			}
		}
	}
}

var (
	sizeStep  = oob.Step{Kind: oob.StepSize}
	roundStep = oob.Step{Kind: oob.StepRound, Messages: 10}
	drainStep = oob.Step{Kind: oob.StepDrain}
	rowStep   = oob.Step{Kind: oob.StepRow}
)

// hostile are sequences of steps that a client must not send; the last step is invalid.
var hostile = map[string][]oob.Step{
	"no step":              {{Kind: "", Messages: 1}},
	"unknown step":         {{Kind: "format"}},
	"mode below":           {sizeStep, {Kind: oob.StepRound, Mode: -1, Messages: 10}},
	"mode above":           {sizeStep, {Kind: oob.StepRound, Mode: 1000, Messages: 10}},
	"size below":           {{Kind: oob.StepSize, Size: -1}},
	"size above":           {{Kind: oob.StepSize, Size: 1}},
	"round before size":    {roundStep},
	"drain before size":    {drainStep},
	"row before size":      {rowStep},
	"size twice":           {sizeStep, sizeStep},
	"row during size":      {sizeStep, rowStep},
	"run during size":      {sizeStep, {Kind: oob.StepRun}},
	"neither length":       {sizeStep, {Kind: oob.StepRound}},
	"both lengths":         {sizeStep, {Kind: oob.StepRound, Messages: 10, Duration: time.Second}},
	"negative duration":    {sizeStep, {Kind: oob.StepRound, Duration: -1}},
	"messages and below 0": {sizeStep, {Kind: oob.StepRound, Messages: 10, Duration: -1}},
	"too many messages":    {sizeStep, {Kind: oob.StepRound, Messages: option.MaxIterations + 1}},
	"round after drain":    {sizeStep, roundStep, drainStep, roundStep},
	"size again":           {sizeStep, roundStep, sizeStep},
	"long reason":          {{Kind: oob.StepSize, NoRatio: strings.Repeat("x", 2000)}},
	"row twice":            {sizeStep, roundStep, drainStep, rowStep, rowStep},
}

// A server that receives an invalid step ends with an error, and soon.
func TestServerEndsAtAnInvalidStep(t *testing.T) {
	for name, turns := range hostile {
		t.Run(name, func(t *testing.T) {
			for _, kind := range allKinds {
				p := testPlan(option.OpSend, kind, 64, 100)
				p.Completion = option.ModePoll
				if err := served(t, p, turns); err == nil {
					t.Errorf("%s: the server ended without an error", kind)
				}
			}
		})
	}
}

// served returns the error of a server whose client carries out all steps but the last, which it
// only sends.
func served(t *testing.T, p option.Plan, turns []oob.Step) error {
	t.Helper()
	a, b := oob.Pipe()
	var sides [2]*session
	for i, x := range []*oob.Conn{a, b} {
		c := openDevice(t, "shm_whole")
		defer c.Close()
		resolved := resolvedPlan(t, p)
		plan := resolved.Plan()
		sides[i] = &session{set: testcase.NewSet(plan), halt: halt.New(), rows: map[rowKey]*rowBuilder{}, finished: map[rowKey]bool{}, current: -1, run: 1, peer: oob.NewPeer(x), cfg: &Config{
			Plan: resolved, Role: []Role{Client, Server}[i], Devices: []DevicePort{{Context: c, Port: 1}}, GIDIndex: -1, Peer: oob.NewPeer(x),
			File: &result.File{}, Begin: func(Beginning) {}, Row: func(result.Row) {},
		}}
	}
	ended := make(chan error, 1)
	go func() {
		err := Run(context.Background(), *sides[1].cfg)
		b.Abort("", "it is over")
		ended <- err
	}()
	client, last := sides[0], len(turns)-1
	if err := client.setUp(); err != nil {
		t.Fatal(err)
	}
	defer client.tearDown()
	for _, step := range turns[:last] {
		if err := client.direct(step); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.peer.Step(turns[last]); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("the server goes on")
		return nil
	}
}

// A client that begins more than option.MaxRuns runs gets an error, and the resources are closed.
func TestClientCannotStartTooManyRuns(t *testing.T) {
	s := &session{cfg: &Config{}, workers: &loop.Workers{}, run: option.MaxRuns}
	if err := s.newRun(); err == nil {
		t.Error("another run was begun")
	}
	s.tearDown()
}
