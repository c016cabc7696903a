// Package coordinator runs the tests of a cluster from rank 0: it gathers the agents of all ranks, tests pairs in
// rounds, one pair at a time or all of a round together, until every node is decided, and dismisses the agents.
package coordinator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/cmd/internal/cluster/schedule"
	"github.com/ibperf/ibperf/cmd/internal/cluster/topology"
	"github.com/ibperf/ibperf/oob"
)

// Config holds what a run needs.
type Config struct {
	results.Settings
	Release  string
	Job      string          // identity of the launcher's job
	Wait     time.Duration   // for the agents
	Limit    time.Duration   // of a process of a test
	End      time.Duration   // after which no round begins
	Groups   topology.Groups // of nodes by their names; nil: as the agents say
	Keep     results.Keep    // which result files are kept
	Journal  *results.Journal
	Embedded func(oob.DeviceID) bool // reports whether a device works within one host only
	Note     func(format string, values ...any)
}

// DeviceError is the error of a cluster whose devices cannot be tested.
type DeviceError struct{ text string }

func (e *DeviceError) Error() string { return e.text }

// run is one run.
type run struct {
	*Config
	members []*member // by node; nil: has not appeared
	judge   *results.Judge
	rounds  int
	kept    int // tests with kept files
}

// maxRounds is the number of rounds after which undecided nodes stay undecided.
const maxRounds = 60

// minNodes is the number of nodes below which no test has others beside it, and no node is judged.
const minNodes = 4

// Run runs all tests with the agents that connect to a listener, and completes a document. It returns an error if
// there is nothing to test, and if the context ends. What was measured until then is in the journal.
func Run(ctx context.Context, l *oob.Listener, c Config, d *results.Document) error {
	r := &run{Config: &c, judge: results.NewJudge(&c.Settings)}
	members, err := gather(ctx, l, &c)
	if err != nil {
		return err
	}
	r.members = members
	release := context.AfterFunc(ctx, func() { r.dismiss(context.Cause(ctx)) })
	defer release()
	err = r.describe()
	switch {
	case err != nil:
	case c.Ranks == 1:
		err = r.testLoopback(ctx)
	default:
		err = r.testAll(ctx)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		r.conclude(d)
	}
	r.dismiss(err)
	return err
}

// testAll tests pairs until every node and pair is decided. The time limit does not end the first rounds of a small
// cluster, in which each node meets all others.
func (r *run) testAll(ctx context.Context) error {
	plan := schedule.NewRails(r.Ranks, r.Rails, r.AllRails, r.Schedule, r.Partners, rand.New(rand.NewPCG(uint64(r.Ranks), r.Journal.Head.Seed)))
	all := r.Schedule == schedule.PatternCircle && r.Partners >= schedule.Rounds(r.Ranks)
	begun := time.Now()
	for pairs := plan.Next(nil, nil, nil); pairs != nil; {
		r.rounds++
		if err := r.testRound(ctx, pairs); err != nil {
			return err
		}
		undecided, good := r.split()
		live, late := (len(undecided)+len(good))/r.Rails, time.Since(begun) > r.End
		switch full := plan.Full(); {
		case live < 2, late && !(all && full), !full && (live < minNodes || r.rounds >= maxRounds):
			return nil
		}
		pairs = plan.Next(undecided, good, r.lowPairs())
	}
	return nil
}

// testable reports whether a node can be tested.
func (r *run) testable(m *member) bool {
	return m != nil && m.lost == nil && m.unusable == "" && !r.judge.Fails(m.node)
}

// split returns the nodes that further tests may decide, and those that are good or beyond decision, of those that can be
// tested.
func (r *run) split() (undecided, good []int) {
	for node, m := range r.members {
		if !r.testable(m) {
			continue
		}
		switch state := r.judge.State(node); {
		case state == results.Undecided && r.judge.Open(node):
			undecided = append(undecided, node)
		case state != results.Bad:
			good = append(good, node)
		}
	}
	return undecided, good
}

// lowPairs returns the pairs of good nodes that are to be tested again.
func (r *run) lowPairs() (low [][2]int) {
	for _, p := range r.judge.Low() {
		if r.testable(r.members[p[0]]) && r.testable(r.members[p[1]]) {
			low = append(low, p)
		}
	}
	return low
}

// groupOf returns the group of a member.
func (r *run) groupOf(m *member) string {
	switch {
	case m == nil:
		return ""
	case r.Groups != nil:
		return r.Groups.Of(m.name)
	}
	return m.group
}

// conclude completes the document.
func (r *run) conclude(d *results.Document) {
	d.Rounds = r.rounds
	for node, m := range r.members {
		d.Software = d.Software || m != nil && r.Embedded(m.device)
		n := results.Node{Rank: node / r.Rails, Rail: node % r.Rails}
		switch {
		case m == nil:
			n.State, n.Why = results.Missing, fmt.Sprintf("it did not appear within %v (--connect-timeout)", r.Wait)
		case m.lost != nil:
			n.Name, n.Device, n.State, n.Why = m.name, m.device.Name, results.Lost, m.lost.Error()
		case m.unusable != "":
			n.Name, n.State, n.Why = m.name, results.Bad, "no usable device: "+m.unusable
		default:
			n.Name, n.Device = m.name, m.device.Name
		}
		d.Nodes = append(d.Nodes, n)
	}
	for i := range d.Nodes {
		d.Nodes[i].Group = r.groupOf(r.members[i])
	}
	r.judge.Conclude(d)
}
