package harness

import (
	"testing"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// alone is the peer of a side without one: it says and does the same, and as a client it
// has sent what the server is to receive.
type alone struct {
	*nullDevice
	role     Role
	announce *uint64 // messages of the round that the side receives
}

func (a alone) Offer(mine oob.Offer) (oob.Offer, error)               { return mine, nil }
func (a alone) Rendezvous(r oob.Rendezvous) (oob.Rendezvous, error)   { return r, nil }
func (a alone) Endpoints(mine []oob.Endpoint) ([]oob.Endpoint, error) { return mine, nil }
func (a alone) Promise(mine oob.Promise) (oob.Promise, error)         { return mine, nil }
func (a alone) Turn(mine oob.Turn) (oob.Turn, error)                  { return mine, nil }
func (a alone) Rest(unused []uint64) ([]uint64, error)                { return unused, nil }
func (a alone) Row(mine oob.Row) (oob.Row, error)                     { return mine, nil }
func (alone) Lost() <-chan struct{}                                   { return nil }
func (alone) Err() error                                              { return nil }

func (a alone) Ready() error {
	if a.role == Server {
		a.begin(*a.announce)
	}
	return nil
}

// Result is that of a side whose clock counts where this one's does not.
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

// warmMessages are those of the round before the one that counts.
const warmMessages = 1000

// runAlone runs one side of a plan on the null device, for a round of so many messages
// after a warm-up. It returns how many were measured and what they cost.
func runAlone(t testing.TB, l loop, p option.Plan, messages uint64) (uint64, result.Cost) {
	t.Helper()
	shm := openDevice(t, "shm_whole")
	defer shm.Close()
	way, announced := l.way(&p), uint64(0)
	d := newNullDevice(&p, l.role, way)
	s := &session{
		cfg: &Config{
			Plan: p, Role: l.role, Context: nullContext{shm, d}, Port: 1, GIDIndex: -1, File: &result.File{},
		},
		peer: alone{d, l.role, &announced}, halt: newHalt(), rows: map[rowKey]*tally{}, current: -1, run: 1,
	}
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	defer s.rig.close()
	defer quiet()()
	for _, turn := range []oob.Turn{
		{Step: oob.StepSize},
		{Step: oob.StepRound, Way: way, Messages: warmMessages, Warmup: true},
		{Step: oob.StepRound, Way: way, Messages: messages},
	} {
		announced = turn.Messages
		if err := s.do(turn); err != nil {
			t.Fatal(err)
		}
	}
	row := s.rows[rowKey{0, way}]
	n := row.rounds[0].Messages
	return n, row.here.cost(n)
}
