package harness

import (
	"cmp"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// delays are the virtual times of posts, by the number of the message in its round.
type delays struct {
	name           string
	client, server testdevice.Delay
}

// notes is the peer of a side, which knows the round that runs and records the time of each message that
// the side posts in measured rounds.
type notes struct {
	oob.Peer
	delays testdevice.Delay
	size   int
	next   uint64 // message of the round
	noting bool
	rounds [][]time.Duration
}

func (n *notes) Step(mine oob.Step) (oob.Step, error) {
	theirs, err := n.Peer.Step(mine)
	step := theirs
	if mine != (oob.Step{}) {
		step = mine
	}
	n.next, n.noting = 0, step.Kind == oob.StepRound && !step.Warmup
	if n.noting {
		n.rounds = append(n.rounds, nil)
	}
	return theirs, err
}

// warmUpPost is the time of a message of a warm-up, so that its 50 ms have 100 messages.
const warmUpPost = 500 * time.Microsecond

// post returns the time of a request: only messages take time.
func (n *notes) post(_ uint64, wr *verbs.SendWR) time.Duration {
	if testdevice.Length(wr) != uint64(n.size) {
		return 0
	}
	if !n.noting {
		return warmUpPost
	}
	d := n.delays(n.next)
	n.next++
	last := len(n.rounds) - 1
	n.rounds[last] = append(n.rounds[last], d)
	return d
}

// onVirtualTime runs a plan of one size on devices whose posts take the virtual times d, and returns
// the client's file and the times of both sides' messages.
func onVirtualTime(t *testing.T, p option.Plan, d delays) (f *result.File, client, server *notes) {
	t.Helper()
	var clocks [2]*testdevice.Clock
	clocks[0], clocks[1] = testdevice.Clocks()
	if testcase.NewSet(p).PingPong() { // neither side reads the time while the other one sends
		clocks[1] = clocks[0]
	}
	sides := [2]*notes{{delays: d.client, size: p.Sizes[0]}, {delays: d.server, size: p.Sizes[0]}}
	files, errs := pair{
		device: "shm_whole", plan: p,
		wrap: func(side int, c verbs.Context) verbs.Context {
			return testdevice.Context(c, testdevice.Options{Clock: clocks[side], PostDelay: sides[side].post})
		},
		peer:  func(side int, p oob.Peer) oob.Peer { sides[side].Peer = p; return sides[side] },
		clock: func(side int) *clock.Clock { return clock.Func(clocks[side].Now) },
	}.run(t)
	if err := cmp.Or(errs[0], errs[1]); err != nil {
		t.Fatal(err)
	}
	return files[0], sides[0], sides[1]
}
