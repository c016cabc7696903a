package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/terminal"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/oob/perftest"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/result"
)

// peerSession is one run with one peer, on either side.
type peerSession struct {
	*app
	*output
	options  *options
	role     harness.Role
	conn     *oob.Conn
	perftest *perftest.Peer // the other side, if it is perftest; else nil
	number   int            // of a persistent server's client, from 1; else 0
	test     int            // on a server of one client: number of the test in its series, over all runs, from 1
	choice   string         // why the device was chosen; empty: it was named
	series   *oob.Series    // the run's position in a series; nil: the run is not part of one
	keepOpen bool           // keep the connection open if the run succeeds
	leftOpen bool           // the connection was kept open

	comparison *result.Comparison       // for the result file; nil: the run is not part of a comparison
	save       func(*result.File) error // writes the result file; nil: only the options decide where

	wantsCaps bool            // ask the server for the capabilities of its device
	peerCaps  json.RawMessage // the server's answer

	proposal      oob.Proposal         // on a server
	accepted      func() error         // on a server: called when the proposal is accepted, before the answer; nil: nothing
	unfit         bool                 // on a server: the proposal is malformed or beyond the server's budget
	malformed     error                // on a server: the error of a malformed proposal; else nil
	next          func() int           // numbers a persistent server's client; else nil
	devices       []harness.DevicePort // open; on a server since the agreement
	releaseBudget func()               // on a server: releases the plan's part of the budget
	plan          option.ResolvedPlan  // since the agreement
	agreeBy       *time.Timer          // ends an agreement that takes too long
}

// agreeLimit is the time within which a connected peer must agree to a plan, which is quick.
const agreeLimit = 10 * time.Second

// endGrace is the time within which the engine must end an interrupted run before the connection
// is aborted.
const endGrace = 500 * time.Millisecond

// run agrees with the peer as the role's agree does, runs the plan, and ends the connection with
// the outcome.
func (s *peerSession) run(ctx context.Context, agree func(context.Context) error) error {
	err := s.within(ctx, s.agreeLimit, agree)
	if err == nil {
		err = s.measure(ctx)
	}
	s.end(err)
	return err
}

// within calls agree. It aborts the connection if the context ends or the limit passes before agree returns.
func (s *peerSession) within(ctx context.Context, limit time.Duration, agree func(context.Context) error) error {
	late := fmt.Errorf("negotiate with %s: no message within %v", s.channel().RemoteAddr(), limit)
	limited, cancel := context.WithCancelCause(ctx)
	s.agreeBy = time.AfterFunc(limit, func() { cancel(&peerFault{late}) })
	defer s.agreeBy.Stop()
	defer cancel(nil)
	release := context.AfterFunc(limited, func() { s.channel().Abort(reason(context.Cause(limited))) })
	defer release()
	return s.causeOf(limited, agree(limited))
}

// causeOf returns the cause of an error: the end of the context, or the peer's reason.
func (s *peerSession) causeOf(ctx context.Context, err error) error {
	stopped := errors.Is(err, harness.ErrInterrupted) || isPeerError(err)
	if stopped && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return asRemote(err)
}

// measure runs the plan, prints its rows and writes the result file.
func (s *peerSession) measure(ctx context.Context) error {
	own := &s.options.Own
	counters, err := s.counters()
	if err != nil {
		return err
	}
	for i := range s.devices {
		s.devices[i].CPUs = s.cpus(&s.devices[i])
	}
	r := s.newRecord()
	ctx, end := s.stoppable(ctx)
	defer end.restore()
	r.stop = end.stop
	returned := make(chan struct{})
	release := context.AfterFunc(ctx, func() {
		select {
		case <-returned:
		case <-time.After(endGrace):
			s.channel().Abort(reason(context.Cause(ctx)))
		}
	})
	defer release()
	var lost error
	err = s.app.run(ctx, harness.Config{
		Plan:        s.plan,
		Role:        s.role,
		Devices:     s.devices,
		GIDIndex:    own.GIDIndex,
		PKeyIndex:   own.PKeyIndex,
		DLID:        own.DLID,
		Vector:      own.Vector,
		NUMANode:    s.options.numaNode(),
		GPU:         s.options.gpu(),
		Hints:       s.options.hints(),
		Payload:     s.options.payload,
		Pin:         own.PinCores != nil || own.NUMANode >= 0,
		Peer:        s.peer(),
		RunsBefore:  s.series.RunsBefore(),
		PeerIP:      addrOf(s.channel().RemoteAddr()),
		Counters:    counters,
		CPUUtil:     own.CPUUtil,
		KeepSamples: s.keptSamples(),
		File:        r.file,
		Begin:       r.begin,
		Row:         r.row,
		Round:       r.progress.next,
		Interval:    r.interval,
		Stop:        end.stopped,
		Failed:      func(err error) { lost = s.printLoss(s.causeOf(ctx, err), r) },
	})
	close(returned)
	if err = s.causeOf(ctx, err); lost != nil {
		err = lost
	}
	s.end(err)
	return errors.Join(err, r.finish(err))
}

// printLoss prints the loss of a peer at once, before anything is closed, and returns the error as
// a printed one. It returns nil if err is another error.
func (s *peerSession) printLoss(err error, r *record) error {
	if !isLoss(err) {
		return nil
	}
	r.progress.end()
	s.output.fail(s.program, err)
	return &printedError{err}
}

// Limits of the samples that are kept for printing. A timed row has the lower one, since its number of
// samples is not known before.
const (
	maxKeptSamples      = 1 << 26
	maxKeptSamplesTimed = 1 << 22
)

// keptSamples returns the number of samples of a row that are printed.
func (s *peerSession) keptSamples() int {
	p, own := s.plan.Plan(), &s.options.Own
	switch {
	case !own.Histogram && !own.Unsorted || s.role != harness.Client:
		return 0
	case p.Iterations == 0:
		return maxKeptSamplesTimed
	}
	return int(min(p.Iterations*uint64(p.Runs*p.AllThreads()), maxKeptSamples))
}

// cpus returns the CPUs of --pin_cores or --numa_node, else those near a device; nil: any.
func (s *peerSession) cpus(d *harness.DevicePort) []int {
	own := &s.options.Own
	switch {
	case own.PinCores != nil:
		return own.PinCores
	case own.NUMANode >= 0:
		return machine.CPUsOfNode(os.DirFS("/"), own.NUMANode)
	}
	return machine.CPUsNear(os.DirFS("/"), d.Context.Device().Name())
}

// addrOf returns the address of host:port, the zero address if host is not an address.
func addrOf(hostPort string) netip.Addr {
	a, err := netip.ParseAddrPort(hostPort)
	if err != nil {
		return netip.Addr{}
	}
	return a.Addr()
}

// end ends the connection, unless the series needs it. Only the first call has an effect.
func (s *peerSession) end(err error) {
	switch {
	case s.leftOpen:
	case err != nil:
		s.channel().Abort(reason(err))
	case s.keepOpen:
		s.leftOpen = true
	default:
		// The loss of a peer after the run does not change the results.
		_ = s.channel().Close()
	}
}

// fileNumber returns the number in the names of the run's files; 0: none.
func (s *peerSession) fileNumber() int {
	if s.number == 0 && s.role == harness.Server && s.series != nil {
		return s.test
	}
	return s.number
}

// newRecord returns the record of the run, with the outputs that the options ask for.
func (s *peerSession) newRecord() *record {
	own, save := &s.options.Own, s.save
	if own.JSON {
		path := s.options.resultFile(s.plan.Plan().Test, s.fileNumber())
		save = func(f *result.File) error { return f.Write(path) }
	}
	export := own.FormatFile
	if n := s.fileNumber(); export != "" && n > 0 {
		export = numbered(export, n)
	}
	text := io.Writer(s.output)
	if s.series != nil {
		text = io.Discard // the client prints the results of the series
	}
	root := os.DirFS("/")
	file := newFile(s.plan.Plan().Test, s.role, s.command, machine.Side(root), own.QuietCPU)
	file.Channel, file.Comparison, file.Perftest = channel(s.channel().Authenticated()), s.comparison, s.perftestPeer()
	file.Local.DeviceChoice = s.choice
	return &record{
		file:     file,
		save:     save,
		export:   export,
		output:   s.output,
		own:      own,
		alone:    s.series == nil,
		watches:  s.watchTuning(&file.Local),
		text:     reports.New(text, file, own, s.app.console.width()),
		progress: progress{console: s.app.console, shown: s.number == 0 && terminal.Is(s.app.console.err)},
	}
}
