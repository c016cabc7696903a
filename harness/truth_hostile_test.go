package harness

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// A plan that asks for two things at once is refused before anything is made of it.
func TestContradictoryPlansAreRefused(t *testing.T) {
	for _, op := range allOps {
		for _, mode := range []option.Mode{option.ModeData, option.ModePoll, option.ModeEvent, "sleep"} {
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
	layTurn   = oob.Turn{Step: oob.StepSize}
	roundTurn = oob.Turn{Step: oob.StepRound, Messages: 10}
	restTurn  = oob.Turn{Step: oob.StepRest}
	rowTurn   = oob.Turn{Step: oob.StepRow}
)

// hostile are turns that a client must not send; the last one is wrong.
var hostile = map[string][]oob.Turn{
	"no step":              {{Step: "", Messages: 1}},
	"unknown step":         {{Step: "format"}},
	"way below":            {layTurn, {Step: oob.StepRound, Way: -1, Messages: 10}},
	"way above":            {layTurn, {Step: oob.StepRound, Way: 1000, Messages: 10}},
	"size below":           {{Step: oob.StepSize, Size: -1}},
	"size above":           {{Step: oob.StepSize, Size: 1}},
	"round before size":    {roundTurn},
	"rest before size":     {restTurn},
	"row before size":      {rowTurn},
	"size twice":           {layTurn, layTurn},
	"row while laid":       {layTurn, rowTurn},
	"run while laid":       {layTurn, {Step: oob.StepRun}},
	"neither length":       {layTurn, {Step: oob.StepRound}},
	"both lengths":         {layTurn, {Step: oob.StepRound, Messages: 10, Duration: time.Second}},
	"negative duration":    {layTurn, {Step: oob.StepRound, Duration: -1}},
	"messages and below 0": {layTurn, {Step: oob.StepRound, Messages: 10, Duration: -1}},
	"too many messages":    {layTurn, {Step: oob.StepRound, Messages: option.MaxIterations + 1}},
	"round after rest":     {layTurn, roundTurn, restTurn, roundTurn},
	"size again":           {layTurn, roundTurn, restTurn, layTurn},
	"long reason":          {{Step: oob.StepSize, NoRatio: strings.Repeat("x", 2000)}},
	"row twice":            {layTurn, roundTurn, restTurn, rowTurn, rowTurn},
}

// A server that is told nonsense ends with an error, and soon.
func TestHostileTurnsEndTheServer(t *testing.T) {
	for name, turns := range hostile {
		t.Run(name, func(t *testing.T) {
			for _, kind := range allKinds {
				p := testPlan(option.OpSend, kind, 64, 100)
				p.Completion = option.ModePoll
				if err := served(t, p, turns); err == nil {
					t.Errorf("%s: the server ended well", kind)
				}
			}
		})
	}
}

// served returns how a server ends whose client goes through all turns with it but for the
// last one, which it only says.
func served(t *testing.T, p option.Plan, turns []oob.Turn) error {
	t.Helper()
	a, b := oob.Pipe()
	var sides [2]*session
	for i, x := range []*oob.Conn{a, b} {
		c := openDevice(t, "shm_whole")
		defer c.Close()
		sides[i] = &session{halt: newHalt(), rows: map[rowKey]*tally{}, current: -1, run: 1, peer: oob.NewPeer(x), cfg: &Config{
			Plan: p.Resolve(), Role: []Role{Client, Server}[i], Context: c, Port: 1, GIDIndex: -1, Peer: oob.NewPeer(x),
			File: &result.File{}, Begin: func() {}, Row: func(result.Row) {},
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
	defer func() { client.rig.close() }()
	for _, turn := range turns[:last] {
		if err := client.tell(turn); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.peer.Turn(turns[last]); err != nil {
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

// A client that wants runs without end ends the server's run, which closes what it has.
func TestRunsAreBounded(t *testing.T) {
	s := &session{cfg: &Config{}, rig: &rig{}, run: option.MaxRuns}
	if err := s.again(); err == nil {
		t.Error("another run was begun")
	}
	s.rig.close()
}
