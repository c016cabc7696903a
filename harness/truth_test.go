package harness

import (
	"cmp"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// delays are what posts of messages take, by their number in a round.
type delays struct {
	name           string
	client, server wrap.Delay
}

// notes is a side's peer that listens to which round is under way, and notes what each
// message that the side posted in measured rounds took.
type notes struct {
	oob.Peer
	delays wrap.Delay
	size   int
	next   uint64 // message of the round
	noting bool
	rounds [][]time.Duration
}

func (n *notes) Turn(mine oob.Turn) (oob.Turn, error) {
	theirs, err := n.Peer.Turn(mine)
	t := theirs
	if mine != (oob.Turn{}) {
		t = mine
	}
	n.next, n.noting = 0, t.Step == oob.StepRound && !t.Warmup
	if n.noting {
		n.rounds = append(n.rounds, nil)
	}
	return theirs, err
}

// post is what a request takes: messages alone take time.
func (n *notes) post(_ uint64, wr *verbs.SendWR) time.Duration {
	if wrap.Length(wr) != uint64(n.size) {
		return 0
	}
	d := n.delays(n.next)
	n.next++
	if n.noting {
		last := len(n.rounds) - 1
		n.rounds[last] = append(n.rounds[last], d)
	}
	return d
}

// onVirtualTime runs a plan of one size on devices whose posts take d of virtual time, and
// returns the client's file and what both sides' messages took.
func onVirtualTime(t *testing.T, p option.Plan, d delays) (f *result.File, client, server *notes) {
	t.Helper()
	var clocks [2]*wrap.Clock
	clocks[0], clocks[1] = wrap.Clocks()
	if exchanges(&p) { // nobody looks at the time while the other side sends
		clocks[1] = clocks[0]
	}
	sides := [2]*notes{{delays: d.client, size: p.Sizes[0]}, {delays: d.server, size: p.Sizes[0]}}
	files, errs := pair{
		device: "shm_whole", plan: p,
		wrap: func(side int, c verbs.Context) verbs.Context {
			return wrap.Context(c, wrap.Options{Clock: clocks[side], PostDelay: sides[side].post})
		},
		peer:  func(side int, p oob.Peer) oob.Peer { sides[side].Peer = p; return sides[side] },
		clock: func(side int) *clock.Clock { return clock.Func(clocks[side].Now) },
	}.run(t)
	if err := cmp.Or(errs[0], errs[1]); err != nil {
		t.Fatal(err)
	}
	return files[0], sides[0], sides[1]
}

// onlyRow returns the row of a run in one mode.
func onlyRow(t *testing.T, f *result.File) *result.Row {
	t.Helper()
	if len(f.Rows) != 1 || len(f.NotMeasured) != 0 {
		t.Fatalf("%d rows, not measured: %+v", len(f.Rows), f.NotMeasured)
	}
	return &f.Rows[0]
}

// near returns whether got is want, but for a part of it.
func near(got, want, part float64) bool {
	return got >= want*(1-part) && got <= want*(1+part)
}
