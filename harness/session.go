// Package harness is the engine of the benchmarks: the two sides, the timed loops in their
// completion modes, and the statistics. It knows no flags and no sockets and prints
// nothing: it takes a plan, an opened device and an [oob.Peer], and fills a result file.
package harness

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// Role tells the sides apart: the client sends first in latency tests, and is
// the sender or reader of bandwidth tests.
type Role string

// The roles.
const (
	Client Role = "client"
	Server Role = "server"
)

// Config is one side of a run.
type Config struct {
	Plan     option.Plan
	Role     Role
	Context  verbs.Context // opened device, used by this run alone
	Port     int           // device port, from 1
	GIDIndex int           // -1: chosen by both sides together
	Peer     oob.Peer
	PeerIP   netip.Addr          // of the Peer, if known: GIDs of its kind are preferred
	Clock    func() *clock.Clock // nil: the machine's
	CPUs     []int               // near the device; nil: any are as good
	Pin      bool                // to the first of CPUs, in any run; the process stays on all of them

	// Of this side's device and memory.
	PKeyIndex int    // into the port's table
	DLID      int    // that the peer is sent to by; 0: the one that it tells
	Vector    int    // completion vector of the CQs
	NUMANode  *int   // that memory is bound to; nil: any
	Payload   []byte // what messages are filled with, again and again; nil: zeros

	// What is noted beside the plan's figures.
	KeepSamples int       // the first samples of a row, by this side's clock
	Counters    []Counter // read before and after each round
	CPUUtil     bool      // of the whole machine

	// File is filled by the run: Parameters, Local.Device, Local.Order, Peer,
	// Warnings, Interrupted, Rows, NotMeasured. The caller fills the rest before.
	File *result.File
	// Begin is called once, when all of File but Rows is known.
	Begin func()
	// Stop ends an endless run, with its summary, when it is closed; nil: nothing does.
	Stop <-chan struct{}
	// Interval is called for each interval of an endless run.
	Interval func(result.Row)
	// Row is called for each row, after it was added to File.Rows.
	Row func(result.Row)
	// Failed is called with the error that Run will return, before QPs and memory are closed;
	// nil: nothing is.
	Failed func(error)
}

// session is a run under way.
type session struct {
	cfg         *Config
	began       time.Time // by both of Go's clocks
	peer        oob.Peer
	rig         *rig
	gate        gate
	halt        *halt
	rows        map[rowKey]*tally // of the rows in the making
	current     int               // the size that is laid, -1 if none is
	sizes       int               // of the run that were laid: they come in their order, each once
	rounds      int               // of the size
	run         int               // of Plan.Runs, from 1
	laps        int               // of the plan's rounds in a run, at the side that leads
	limit       string            // what keeps intervals wider than asked
	cpu         int               // that the measuring thread is kept on, or noCPU
	leave       func()            // lets other threads onto the CPU again
	stopped     bool              // a side was told to end an endless run
	interval    *interval         // of an endless run; else nil
	clocks      clocks            // of a round in both directions
	synchronous bool              // READs are done when their post returns
}

// Run runs one side of the plan. When ctx ends, the run stops within a fraction
// of a second with File.Interrupted set and returns ErrInterrupted; what was
// measured until then is in File. Errors are of the types in errors.go, or an
// error of the Peer when it was lost.
func Run(ctx context.Context, c Config) error {
	if err := errors.Join(c.Plan.Check(), checkWorkers(&c.Plan)); err != nil {
		return err
	}
	c.Plan = c.Plan.Resolve()
	if c.Pin {
		ourThreads.confine(c.CPUs)
	}
	s := &session{cfg: &c, began: time.Now(), peer: c.Peer, halt: newHalt(), rig: &rig{}, rows: map[rowKey]*tally{}, current: -1, run: 1, leave: func() {}}
	stop := s.halt.watch(ctx, c.Peer, c.Context)
	defer stop()
	defer func() { s.rig.close() }()
	err := s.explain(s.all())
	if errors.Is(err, ErrInterrupted) {
		c.File.Interrupted = true
	}
	abandon(c.Context, err) // before the watch does, perhaps
	if err != nil && c.Failed != nil {
		c.Failed(err)
	}
	return err
}

// explain returns why a run has failed: a halt explains what it broke off.
func (s *session) explain(err error) error {
	if s.halt.reason() == nil {
		err = s.cause(err)
	}
	if reason := s.halt.reason(); err != nil && reason != nil && !isVerdict(err) {
		return reason
	}
	return err
}

// isVerdict tells an outcome of the run's own from a failure on the way.
func isVerdict(err error) bool {
	var refused *RefusedError
	var data *DataError
	var ports mismatch
	return errors.As(err, &refused) || errors.As(err, &data) || errors.As(err, &ports)
}

// all goes through the run: the client decides what comes next, and both sides do it.
func (s *session) all() error {
	defer func() { s.leave() }()
	if err := s.setUp(); err != nil {
		return err
	}
	s.cfg.Begin()
	defer s.listen()()
	defer quiet()()
	lead := s.follow
	if s.cfg.Role == Client {
		lead = s.lead
	}
	if err := lead(); err != nil {
		s.salvage()
		return err
	}
	if err := s.peer.Ready(); err != nil {
		return err
	}
	return s.verdict()
}

// setUp makes QPs and memory, connects them and asks both devices about data order.
func (s *session) setUp() error {
	r, err := newRig(s.cfg, s.halt)
	if err != nil {
		return err
	}
	s.rig = r
	return s.meet()
}

// follow does what the client says until it says that it is the end.
func (s *session) follow() error {
	for {
		t, err := s.peer.Turn(oob.Turn{})
		if err != nil {
			return err
		}
		if t.Step == oob.StepEnd && len(t.Limit) <= maxReason {
			s.cfg.File.Limits = t.Limit
			return nil
		}
		if err := s.do(t); err != nil {
			return err
		}
	}
}

// tell makes both sides do a turn.
func (s *session) tell(t oob.Turn) error {
	if _, err := s.peer.Turn(t); err != nil {
		return err
	}
	return s.do(t)
}

// maxReason bounds a text in a peer's turn.
const maxReason = 1000

// mostRounds is how many rounds a size may have in a run, those of warm-up among them.
func mostRounds(ways int) int { return ways * (2*option.MaxRounds + 1) }

// do carries out a turn. One that came from the peer may be anything.
func (s *session) do(t oob.Turn) error {
	if t.Size < 0 || t.Size >= len(s.cfg.Plan.Sizes) || t.Way < 0 || t.Way >= len(s.gate.ways) {
		return wrong("turn", "%q names size %d and way %d, which the plan does not have", t.Step, t.Size, t.Way)
	}
	if s.halt.on() {
		return s.halt.reason()
	}
	laid := s.current >= 0
	switch {
	case t.Step == oob.StepRun && !laid:
		return s.again()
	case t.Step == oob.StepSize && !laid && t.Size >= s.sizes && len(t.NoRatio) <= maxReason:
		return s.lay(t)
	case t.Step == oob.StepRound && laid && (s.cfg.Plan.Endless || s.rounds < mostRounds(len(s.gate.ways))) && t.Messages <= option.MaxIterations && t.Duration >= 0 && (t.Messages > 0) != (t.Duration > 0):
		return s.measure(t)
	case t.Step == oob.StepRest && laid:
		return s.settle()
	case t.Step == oob.StepRow && !laid:
		return s.complete(t.Size)
	}
	return wrong("turn", "%q does not come in order", t.Step)
}

// again begins another run: fresh memory, QPs and connections.
func (s *session) again() error {
	before := s.gate
	s.sizes = 0
	s.rig.close()
	s.rig = &rig{}
	if s.run++; s.run > option.MaxRuns {
		return fmt.Errorf("the peer wants more than %d runs", option.MaxRuns)
	}
	if err := s.setUp(); err != nil {
		return err
	}
	if len(before.ways) != len(s.gate.ways) || before.order != s.gate.order {
		return fmt.Errorf("run %d: the devices promise another order of data than before", s.run)
	}
	return nil
}

// lay prepares all ways for messages of a size.
func (s *session) lay(t oob.Turn) error {
	s.current, s.sizes, s.rounds = t.Size, t.Size+1, 0
	for i := range s.gate.ways {
		scheme := s.scheme(i, t.Size)
		key := rowKey{t.Size, i}
		if s.rows[key] == nil {
			s.rows[key] = newTally(&scheme, t.NoRatio)
		}
		if s.cfg.Plan.Endless {
			s.interval = newInterval(&scheme)
		}
		for _, w := range s.group(i).workers {
			if err := w.lay(&scheme); err != nil {
				return err
			}
		}
	}
	return nil
}

// scheme resolves the i-th way for a size.
func (s *session) scheme(i, size int) scheme {
	p := &s.cfg.Plan
	return resolve(p, s.gate.ways[i].way, p.Sizes[size], s.gate.order)
}

// group returns the QPs of the i-th way.
func (s *session) group(i int) *group { return s.rig.groups[s.gate.ways[i].group] }

// measure runs a round and adds it to its row.
func (s *session) measure(t oob.Turn) error {
	if s.interval == nil {
		bound()
	}
	s.rounds++
	g, row := s.group(t.Way), s.rows[rowKey{s.current, t.Way}]
	before, err := s.cfg.count()
	if err != nil {
		return err
	}
	mine, theirs, err := s.round(g, t)
	row.check(mine, theirs)
	if t.Warmup {
		return err
	}
	after, failed := s.cfg.count()
	if failed != nil {
		return failed
	}
	row.counted.add(before, after)
	if s.interval != nil {
		s.interval.tally.counted.add(before, after)
	}
	if err != nil && s.halt.reason() == nil {
		return err
	}
	figure := s.figure(row.scheme, mine, theirs)
	if err == nil && figure == nil {
		return lacksResult("result", row.scheme)
	}
	if err == nil && row.scheme.bothWays() { // begin and end of both sides together
		if bad := (&oob.Round{Figure: figure}).Check(s.limits(row.scheme)); bad != nil {
			return &oob.MessageError{Step: "result", Err: fmt.Errorf("with this side's begin and end: %w", bad)}
		}
	}
	if s.interval == nil {
		row.add(s.run, g, mine, theirs, figure, s.clocks.within, err == nil)
		return err
	}
	return errors.Join(err, s.addSlice(row, g, mine, theirs, figure, err == nil))
}

// figure is the round as the side saw it whose clock counts, or as both saw it together;
// nil if that is not known.
func (s *session) figure(of *scheme, mine, theirs oob.Round) *result.Round {
	switch {
	case of.bothWays():
		return s.clocks.join(of.size, mine, theirs)
	case mine.Figure != nil:
		return mine.Figure
	}
	return theirs.Figure
}

// verdict is the run's outcome once everything was measured.
func (s *session) verdict() error {
	var bad []result.Row
	for _, r := range s.cfg.File.Rows {
		if r.Verify != nil && r.Verify.Bad() > 0 {
			bad = append(bad, r)
		}
	}
	if len(bad) > 0 {
		return &DataError{Rows: bad}
	}
	return nil
}
