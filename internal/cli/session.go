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

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/terminal"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// session is one run with one peer, on either side.
type session struct {
	*app
	*voice
	options *options
	role    harness.Role
	conn    *oob.Conn
	number  int     // of a persistent server's client, from 1; else 0
	series  *series // that the run is in; nil: it is by itself
	hold    bool    // the connection stays open if the run ends well
	left    bool    // it was left open

	comparison *result.Comparison       // for the result file; nil: the run is by itself
	save       func(*result.File) error // takes the result file; nil: the options say where it goes

	wantsCaps bool            // the server is to tell what its device can do
	peerCaps  json.RawMessage // what it told

	wanted []byte        // on a server: what the client said that it wants
	next   func() int    // gives a persistent server's client its number; else nil
	device verbs.Context // opened; on a server from the agreement on
	give   func()        // back what the plan takes of a server's budget
	plan   option.Plan   // final, from the agreement on
}

// agreeLimit is how long a peer that has connected may take to agree: it does
// nothing meanwhile that takes long.
const agreeLimit = 10 * time.Second

// endGrace is how long the engine may take to end an interrupted run on its
// own, before its connection is taken away.
const endGrace = 500 * time.Millisecond

// run agrees with the peer by the role's own agree, and runs the plan. In the
// end the peer knows how it went.
func (s *session) run(ctx context.Context, agree func(context.Context) error) error {
	err := s.within(ctx, s.patience, agree)
	if err == nil {
		err = s.measure(ctx)
	}
	s.tell(err)
	return err
}

// within is given up when the context ends or the peer takes too long.
func (s *session) within(ctx context.Context, limit time.Duration, agree func(context.Context) error) error {
	late := fmt.Errorf("agree with the peer %s: nothing came within %v", s.conn.RemoteAddr(), limit)
	limited, cancel := context.WithTimeoutCause(ctx, limit, &peerFault{late})
	defer cancel()
	release := context.AfterFunc(limited, func() { s.conn.Abort(reason(context.Cause(limited))) })
	defer release()
	return s.explain(limited, agree(limited))
}

// explain replaces an error by what is behind it: the context's end, or what
// the peer has said.
func (s *session) explain(ctx context.Context, err error) error {
	stopped := errors.Is(err, harness.ErrInterrupted) || isPeerError(err)
	if stopped && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return heard(err)
}

// measure runs the plan, prints its rows and writes the result file.
func (s *session) measure(ctx context.Context) error {
	own := &s.options.Own
	counters, err := portCounters(os.DirFS("/"), s.device.Device().Name(), own.IBPort, own.Counters)
	if err != nil {
		return err
	}
	r := s.newRecord()
	ctx, stop, restore := s.stoppable(ctx)
	defer restore()
	returned := make(chan struct{})
	release := context.AfterFunc(ctx, func() {
		select {
		case <-returned:
		case <-time.After(endGrace):
			s.conn.Abort(reason(context.Cause(ctx)))
		}
	})
	defer release()
	var lost error
	err = s.app.run(ctx, harness.Config{
		Plan: s.plan, Role: s.role, Context: s.device, Port: s.options.Own.IBPort, GIDIndex: s.options.Own.GIDIndex,
		PKeyIndex: s.options.Own.PKeyIndex, DLID: s.options.Own.DLID, Vector: s.options.Own.Vector,
		NUMANode: s.options.numaNode(), Payload: s.options.payload,
		KeepSamples: s.keptSamples(), Counters: counters, CPUUtil: own.CPUUtil,
		CPUs: s.cpus(), Pin: s.options.Own.PinCores != nil || s.options.Own.NUMANode >= 0,
		Peer: oob.NewPeer(s.conn), PeerIP: peerIP(s.conn.RemoteAddr()), File: r.file, Begin: r.begin, Row: r.row,
		Stop: stop, Interval: r.interval,
		Failed: func(err error) { lost = s.tellLoss(s.explain(ctx, err), r) },
	})
	close(returned)
	if err = s.explain(ctx, err); lost != nil {
		err = lost
	}
	s.tell(err)
	return errors.Join(err, r.finish(err))
}

// tellLoss tells people at once if the peer is lost, before anything is closed. It returns the error
// that the run ends with then, else nil.
func (s *session) tellLoss(err error, r *record) error {
	if !isLoss(err) {
		return nil
	}
	r.progress.end()
	s.voice.fail(s.program, err)
	return &printedError{err}
}

// mostKept bounds how many samples of a row are kept: of a timed row, of which nobody knows
// how many it will have, fewer.
const (
	mostKept      = 1 << 26
	mostKeptTimed = 1 << 22
)

// keptSamples is how many samples of a row are to be printed.
func (s *session) keptSamples() int {
	p := s.plan.Resolve()
	switch {
	case !s.options.Own.Histogram && !s.options.Own.Unsorted || s.role != harness.Client:
		return 0
	case p.Iterations == 0:
		return mostKeptTimed
	}
	return int(min(p.Iterations*uint64(p.Runs), mostKept))
}

// cpus are those that are named, or of the NUMA node that is, else those near the device; nil: any.
func (s *session) cpus() []int {
	if pinned := s.options.Own.PinCores; pinned != nil {
		return pinned
	}
	if node := s.options.Own.NUMANode; node >= 0 {
		return nodeCPUs(os.DirFS("/"), node)
	}
	return nearCPUs(s.device.Device().Name())
}

// peerIP returns the address of host:port, zero if it is none.
func peerIP(hostPort string) netip.Addr {
	a, err := netip.ParseAddrPort(hostPort)
	if err != nil {
		return netip.Addr{}
	}
	return a.Addr()
}

// tell ends the connection, unless it is to stay open. Only the first call has an effect.
func (s *session) tell(err error) {
	switch {
	case s.left:
	case err != nil:
		s.conn.Abort(reason(err))
	case s.hold:
		s.left = true
	default:
		// A peer that was lost after the run was done has taken nothing away from it.
		_ = s.conn.Close()
	}
}

func (s *session) compareReleases(theirs string) {
	if theirs != ownRelease {
		s.note("the peer has ibperf %s, this side %s", theirs, ownRelease)
	}
}

// fileNumber tells the files of a server's runs apart; 0: there is one.
func (s *session) fileNumber() int {
	if s.number == 0 && s.role == harness.Server && s.series != nil {
		return s.series.Number
	}
	return s.number
}

// newRecord begins the record of the run.
func (s *session) newRecord() *record {
	save := s.save
	if s.options.Own.JSON {
		path := s.options.resultFile(s.plan.Test, s.fileNumber())
		save = func(f *result.File) error { return f.Write(path) }
	}
	export := s.options.Own.FormatFile
	if n := s.fileNumber(); export != "" && n > 0 {
		export = numbered(export, n)
	}
	text := io.Writer(s.voice)
	if s.series != nil {
		text = io.Discard // who leads the series prints what came of all its runs
	}
	file := newFile(s.plan.Test, s.role, s.command, environment(os.DirFS("/")), s.options.Own.QuietCPU)
	file.Channel, file.Comparison = channel(s.conn.Authenticated()), s.comparison
	own := &s.options.Own
	return &record{
		file: file, save: save, export: export, voice: s.voice, own: own, warn: own.Output != "" && s.series == nil,
		text:     printer(text, file, own, s.app.console.width()),
		progress: progress{console: s.app.console, shown: s.number == 0 && terminal.Is(s.app.console.err)},
	}
}
