package harness

import (
	"runtime/debug"
	"testing"

	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// alone is the peer of a side that runs alone: it repeats what the side says. As a client it
// has sent all messages of the round.
type alone struct {
	*nullDevice
	role     Role
	announce *uint64 // messages that the side receives in the round
}

func (a alone) Offer(mine oob.Offer) (oob.Offer, error)               { return mine, nil }
func (a alone) Rendezvous(r oob.Rendezvous) (oob.Rendezvous, error)   { return r, nil }
func (a alone) Endpoints(mine []oob.Endpoint) ([]oob.Endpoint, error) { return mine, nil }
func (a alone) Promise(mine oob.Promise) (oob.Promise, error)         { return mine, nil }
func (a alone) Step(mine oob.Step) (oob.Step, error)                  { return mine, nil }
func (a alone) Drain(unused []uint64) ([]uint64, error)               { return unused, nil }
func (a alone) Row(mine oob.Row) (oob.Row, error)                     { return mine, nil }
func (alone) Lost() <-chan struct{}                                   { return nil }
func (alone) Err() error                                              { return nil }

func (a alone) Ready() error {
	if a.role == Server {
		a.begin(*a.announce)
	}
	return nil
}

// Result returns the figure of the side that measures, for rounds that this side does not measure.
func (a alone) Result(oob.Round) (oob.Round, error) {
	return oob.Round{Figure: &result.Round{Messages: *a.announce}}, nil
}

func (a alone) Align(mine oob.Reading) (oob.Reading, error) { return mine, nil }

func (a alone) Finish(sent []uint64) ([]uint64, error) {
	if a.role == Server {
		return []uint64{*a.announce}, nil
	}
	return sent, nil
}

// warmMessages is the number of messages of the warm-up.
const warmMessages = 1000

// runAlone runs one side of a plan on the null device, for a round of n messages after a warm-up. It
// returns the number of measured messages and their cost.
func runAlone(t testing.TB, l timedLoop, p option.Plan, messages uint64) (uint64, result.Cost) {
	t.Helper()
	shm := openDevice(t, "shm_whole")
	defer shm.Close()
	p.Rounds, p.Runs = 1, 1
	mode, announced := l.index(&p), uint64(0)
	d := newNullDevice(&p, l.role, mode)
	s := &session{
		set: testcase.NewSet(p),
		cfg: &Config{
			Role: l.role, Devices: []DevicePort{{Context: nullContext{shm, d}, Port: 1}}, GIDIndex: -1, File: &result.File{},
		},
		peer: alone{d, l.role, &announced}, halt: halt.New(), rows: map[rowKey]*rowBuilder{}, current: -1, run: 1,
	}
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	defer s.tearDown()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, step := range []oob.Step{
		{Kind: oob.StepSize},
		{Kind: oob.StepRound, Mode: mode, Messages: warmMessages, Warmup: true},
		{Kind: oob.StepRound, Mode: mode, Messages: messages},
	} {
		announced = step.Messages
		if err := s.executeStep(step); err != nil {
			t.Fatal(err)
		}
	}
	row := s.rows[rowKey{0, mode}]
	n := row.rounds[0].Messages
	return n, row.here.cost(n)
}
