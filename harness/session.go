package harness

import (
	"context"
	"errors"
	"time"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/harness/internal/setup"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// session is a run in progress.
type session struct {
	cfg         *Config
	set         *testcase.Set     // made from the plan that both sides agreed on; since setUp without modes that a device lacks
	plan        *option.Plan      // the same plan, with sizes limited to what both ports carry; nil until they are connected
	cases       [][]testcase.Case // by measured mode and by size of plan
	began       time.Time         // has the wall clock's and the monotonic clock's reading
	peer        oob.Peer
	devices     []deviceSetup
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
		affinity.Confine(c.Devices[0].CPUs)
	}
	s := &session{
		cfg: &c, set: set, began: time.Now(), peer: c.Peer, halt: halt.New(),
		workers: &loop.Workers{}, rows: map[rowKey]*rowBuilder{}, finished: map[rowKey]bool{},
		current: -1, run: 1, measured: c.RunsBefore * set.Plan.Rounds, warm: map[int]bool{},
	}
	stop := watch(ctx, s.halt, c.Peer, c.Devices)
	defer stop()
	defer func() { s.tearDown() }()
	err := s.failureReason(s.execute())
	if errors.Is(err, ErrInterrupted) {
		c.File.Interrupted = true
	}
	abandon(c.Devices, err) // the watch may not have seen the end yet
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
	s.cfg.Begin(s.beginning())
	defer s.watchDevices()()
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

// beginning returns the QPs of all devices and the number of rows.
func (s *session) beginning() Beginning {
	b := Beginning{Rows: len(s.plan.Sizes) * len(s.decision.modes)}
	for _, d := range s.devices {
		local, peer := d.resources.Endpoints()
		b.Local, b.Peer = append(b.Local, local...), append(b.Peer, peer...)
	}
	return b
}

// exact reports whether the peer counts each message. Such a peer directs nothing: each side makes its own
// steps.
func (s *session) exact() bool { return s.set.Possible[0].Exact }

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
