package harness

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/ibperf/ibperf/internal/gpu"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/harness/internal/setup"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// Role is the role of a side: the client sends first in latency tests, and is the sender or
// requester of bandwidth tests.
type Role = testcase.Role

// The roles.
const (
	Client = testcase.Client
	Server = testcase.Server
)

// Config is one side of a run.
type Config struct {
	Plan     option.ResolvedPlan
	Role     Role
	Context  verbs.Context // opened device, used by this run only
	Port     int           // device port, from 1
	GIDIndex int           // -1: chosen by both sides together
	Peer     oob.Peer
	PeerIP   netip.Addr          // of the Peer, if known: GIDs of its address family are preferred
	Clock    func() *clock.Clock // creates the clock of a worker; nil: that of the machine
	CPUs     []int               // CPUs near the device; nil: no preference
	Pin      bool                // measure on the first of CPUs, and confine the process to CPUs

	// RunsBefore is the number of runs of the same comparison that other processes have made before. This run
	// continues their order.
	RunsBefore int

	// Options of this side's device and memory.
	PKeyIndex int                 // index into the port's P_Key table
	DLID      int                 // destination LID of the peer; 0: the one that it reports
	Vector    int                 // completion vector of the CQs
	NUMANode  *int                // node that memory is allocated on; nil: any
	GPU       gpu.Device          // that holds the messages; the zero value: main memory does
	Hints     *verbs.DMAHInitAttr // of PCIe requests to the messages (TPH); nil: none
	Payload   []byte              // pattern that messages are filled with; nil: zeros

	// Further measurements.
	KeepSamples int       // keep the first samples of a row, up to this number, by this side's clock
	Counters    []Counter // read before and after each round
	CPUUtil     bool      // measure the CPU utilization of the whole machine

	// File is filled by the run: Parameters, Local.Device, Local.Order, Peer,
	// Warnings, Interrupted, Rows, NotMeasured. The caller fills the other fields before.
	File *result.File
	// Begin is called once, when all of File except Rows is known.
	Begin func(Beginning)
	// Stop ends an endless run, with its summary, when it is closed. With nil the run does not end.
	Stop <-chan struct{}
	// Interval is called for each interval of an endless run.
	Interval func(result.Row)
	// Round, if not nil, is called after each measured round. It delays the next one.
	Round func()
	// Row is called for each row, after it was added to File.Rows.
	Row func(result.Row)
	// Failed, if not nil, is called with the error that Run will return, before QPs and memory are
	// closed.
	Failed func(error)
}

// A Beginning holds the QPs of a run and its number of rows.
type Beginning struct {
	Rows        int            // number of rows to measure
	Local, Peer []oob.Endpoint // the QPs of both sides
}

// session is a run in progress.
type session struct {
	cfg         *Config
	set         *testcase.Set     // made from the plan that both sides agreed on; since setUp without modes that a device lacks
	plan        *option.Plan      // the same plan, with sizes limited to what both ports carry; nil until they are connected
	cases       [][]testcase.Case // by measured mode and by size of plan
	began       time.Time         // has the wall clock's and the monotonic clock's reading
	peer        oob.Peer
	resources   *setup.Resources
	workers     *loop.Workers
	decision    decision
	halt        *halt.Halt
	rows        map[rowKey]*rowBuilder // rows in progress
	current     int                    // index of the prepared size; -1: none
	sizes       int                    // number of sizes that were prepared in all runs
	kept        int                    // number of rounds that rows have kept in all runs
	finished    map[rowKey]bool        // rows that are complete
	measured    int                    // number of rounds of each row, over all runs, at the client
	warm        map[int]bool           // indexes of the sizes that have warmed up in the current run, at the client
	run         int                    // number of the current run, from 1
	repeats     int                    // how many times a run repeats the plan's rounds, at the client
	limit       string                 // why intervals are wider than --precision
	setUpNodes  []int                  // NUMA nodes on which memory and queues were made
	placement                          // of the measuring threads of both sides
	threads     threads                // that measure
	stopped     bool                   // a side has been asked to end an endless run
	interval    *interval              // current interval of an endless run; else nil
	alignment   clockAlignment         // of the clocks, in a bidirectional round
	synchronous bool                   // the device executes READs in the post
}

// Run runs one side of the plan. When ctx ends, Run stops within a fraction of a second, sets
// File.Interrupted and returns [ErrInterrupted]; File has the rows measured until then. Other
// errors are of the types in errors.go, or the error of a lost Peer.
func Run(ctx context.Context, c Config) error {
	set := testcase.NewSet(c.sidePlan())
	if c.Pin {
		affinity.Confine(c.CPUs)
	}
	s := &session{
		cfg: &c, set: set, began: time.Now(), peer: c.Peer, halt: halt.New(),
		resources: &setup.Resources{}, workers: &loop.Workers{}, rows: map[rowKey]*rowBuilder{}, finished: map[rowKey]bool{},
		current: -1, run: 1, measured: c.RunsBefore * set.Plan.Rounds, warm: map[int]bool{},
	}
	stop := watch(ctx, s.halt, c.Peer, c.Context)
	defer stop()
	defer func() { s.tearDown() }()
	err := s.failureReason(s.execute())
	if errors.Is(err, ErrInterrupted) {
		c.File.Interrupted = true
	}
	abandon(c.Context, err) // the watch may not have seen the end yet
	if err != nil && c.Failed != nil {
		c.Failed(err)
	}
	return err
}

// failureReason returns why a run has failed: the reason of a halt rather than the error that the halt
// caused.
func (s *session) failureReason(err error) error {
	if s.halt.Reason() == nil {
		err = s.awaitCause(err)
	}
	if reason := s.halt.Reason(); err != nil && reason != nil && !isFinding(err) {
		return reason
	}
	return err
}

// isFinding reports whether an error is a finding of the run, such as wrong data, which no halt causes.
func isFinding(err error) bool {
	var refused *RefusedError
	var data *DataError
	return errors.As(err, &refused) || errors.As(err, &data) || setup.IsMismatch(err)
}

// execute executes the run: the client directs, the server follows.
func (s *session) execute() error {
	defer func() { s.threads.end() }()
	if err := s.setUp(); err != nil {
		return err
	}
	local, peer := s.resources.Endpoints()
	s.cfg.Begin(Beginning{Rows: len(s.plan.Sizes) * len(s.decision.modes), Local: local, Peer: peer})
	defer s.watchDevice()()
	run := s.runServer
	if s.cfg.Role == Client || s.exact() {
		run = s.runClient
	}
	if err := run(); err != nil {
		s.emitUnfinished(err)
		return err
	}
	if err := s.peer.Ready(); err != nil {
		return err
	}
	return s.dataError()
}

// exact reports whether the peer counts each message. Such a peer directs nothing: each side makes its own
// steps.
func (s *session) exact() bool { return s.set.Possible[0].Exact }

// runServer executes the steps that the client sends, until the last one.
func (s *session) runServer() error {
	for {
		step, err := s.peer.Step(oob.Step{})
		if err != nil {
			return err
		}
		if step.Kind == oob.StepEnd && len(step.Limit) <= maxText {
			s.cfg.File.Limits = step.Limit
			return nil
		}
		if err := s.executeStep(step); err != nil {
			return err
		}
	}
}

// direct sends a step to the server and executes it, as the server does.
func (s *session) direct(step oob.Step) error {
	if _, err := s.peer.Step(step); err != nil {
		return err
	}
	return s.executeStep(step)
}

// maxText is the largest length of a text in a step of the peer.
const maxText = 1000

// stepMessage is the name of a step's message, as errors quote it: on the wire, for compatibility, a
// step is a "turn".
const stepMessage = "turn"

// maxRounds returns the largest number of measured rounds of all runs.
func (s *session) maxRounds() int { return mostRounds(s.plan, len(s.plan.Sizes)*len(s.decision.modes)) }

// executeStep executes a step. It checks the step, because a peer may send any values.
func (s *session) executeStep(step oob.Step) error {
	if step.Size < 0 || step.Size >= len(s.plan.Sizes) || step.Mode < 0 || step.Mode >= len(s.decision.modes) {
		return protocolError(stepMessage, "step %q has size %d and mode %d, which the plan does not have", step.Kind, step.Size, step.Mode)
	}
	if s.halt.On() {
		return s.halt.Reason()
	}
	prepared := s.current >= 0
	switch {
	case step.Kind == oob.StepRun && !prepared:
		return s.newRun()
	case step.Kind == oob.StepSize && !prepared && len(step.NoRatio) <= maxText && s.sizes < s.maxRounds():
		return s.setSize(step)
	case step.Kind == oob.StepRound && prepared && (step.Warmup || s.plan.Endless || s.kept < s.maxRounds()) && step.Messages <= option.MaxIterations && step.Duration >= 0 && (step.Messages > 0) != (step.Duration > 0):
		return s.executeRound(step)
	case step.Kind == oob.StepDrain && prepared:
		return s.drain()
	case step.Kind == oob.StepRow && !prepared:
		return s.finishRows(step.Size)
	}
	return protocolError(stepMessage, "unexpected step %q", step.Kind)
}

// newRun begins another run with new memory, QPs and connections.
func (s *session) newRun() error {
	before := s.decision
	clear(s.warm)
	s.tearDown()
	if s.run++; s.run > option.MaxRuns {
		return fmt.Errorf("the peer requests more than %d runs", option.MaxRuns)
	}
	if err := s.setUp(); err != nil {
		return err
	}
	if len(before.modes) != len(s.decision.modes) || before.order != s.decision.order {
		return fmt.Errorf("run %d: the devices' answers about data order have changed since the first run", s.run)
	}
	return nil
}

// setSize prepares all modes for messages of a size.
func (s *session) setSize(step oob.Step) error {
	s.current = step.Size
	s.sizes++
	for i := range s.decision.modes {
		test := &s.cases[i][step.Size]
		key := rowKey{step.Size, i}
		if s.rows[key] == nil {
			s.rows[key] = newRowBuilder(s.cfg, test, step.NoRatio)
		}
		if s.plan.Endless {
			s.interval = newInterval(s.cfg, test)
		}
		if s.decision.sharesQPs(i) {
			continue
		}
		for _, w := range s.group(i).Workers {
			if err := w.SetCase(test); err != nil {
				return err
			}
		}
	}
	return nil
}

// group returns the workers of the i-th measured mode.
func (s *session) group(i int) *loop.Group { return s.workers.Groups[s.decision.modes[i].group] }

// executeRound runs a round and adds it to its row.
func (s *session) executeRound(step oob.Step) error {
	g, row := s.group(step.Mode), s.rows[rowKey{s.current, step.Mode}]
	before, err := s.cfg.readCounters()
	if err != nil {
		return err
	}
	mine, theirs, err := s.runRound(g, step)
	row.check(mine, theirs)
	if step.Warmup {
		return err
	}
	s.kept++
	after, failed := s.cfg.readCounters()
	if failed != nil {
		return failed
	}
	row.counted.add(before, after)
	if s.interval != nil {
		s.interval.row.counted.add(before, after)
	}
	if err != nil && s.halt.Reason() == nil {
		return err
	}
	figure := s.figure(row.test, mine, theirs)
	if err == nil && figure == nil && !row.test.Exact {
		return missingResult("result", row.test)
	}
	if err == nil && figure != nil && row.test.Bidirectional() { // the peer's begin and end are checked together with this side's
		if bad := (&oob.Round{Figure: figure}).Check(s.limits(row.test)); bad != nil {
			return &oob.MessageError{Exchange: "result", Err: fmt.Errorf("with this side's begin and end: %w", bad)}
		}
	}
	if s.interval == nil {
		row.add(s.run, g, mine, theirs, figure, s.alignment.within, err == nil)
		if s.cfg.Round != nil {
			s.cfg.Round()
		}
		return err
	}
	return errors.Join(err, s.addSlice(row, g, mine, theirs, figure, err == nil))
}

// figure returns the figures of a round: those of the side whose clock counts, or in a bidirectional
// test those of both sides joined. It returns nil if the peer has sent none.
func (s *session) figure(tc *testcase.Case, mine, theirs oob.Round) *result.Round {
	switch {
	case tc.Bidirectional():
		return s.alignment.joinFigures(tc.Size, mine, theirs)
	case mine.Figure != nil:
		return mine.Figure
	}
	return theirs.Figure
}

// dataError returns the error of a complete run with wrong data, or nil.
func (s *session) dataError() error {
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
