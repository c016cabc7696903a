package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// client connects to a server, agrees with it and runs.
func (a *app) client(ctx context.Context, o *options) error {
	if err := checkMemory(&o.Plan); err != nil {
		return err
	}
	v, err := a.prepare(o)
	if err != nil {
		return err
	}
	return a.reach(ctx, v)
}

// prepare reads the secret and chooses the device.
func (a *app) prepare(o *options) (*visit, error) {
	secret, err := readSecret(o.Own.SecretFile)
	if err != nil {
		return nil, err
	}
	c, err := chooseClient(&o.Own, o.host)
	if err != nil {
		return nil, err
	}
	v := &visit{options: o, voice: &voice{console: a.console}, device: c.device, secret: secret}
	v.voice.announce(c)
	return v, nil
}

// visit is what a client needs for a run with a server.
type visit struct {
	options *options
	voice   *voice
	device  verbs.Device
	secret  []byte
	series  *series
	held    hold // of the series

	comparison *result.Comparison       // for the result file
	save       func(*result.File) error // takes the result file; nil: the options say where it goes

	wantsCaps bool // what both devices can do is to be kept
	keep      func(name string, data []byte) error
}

// reach opens the device, connects to the server and runs. A busy server is asked again.
func (a *app) reach(ctx context.Context, v *visit) error {
	device, err := openDevice(v.device, v.options.Own.IBPort)
	if err != nil {
		return err
	}
	defer device.Close()
	for begun := time.Now(); ; {
		left := max(0, v.options.Own.ConnectTimeout-time.Since(begun))
		err := a.attempt(ctx, v, device, left)
		var told *toldError
		if !errors.As(err, &told) || !told.busy || left == 0 {
			return err
		}
		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// busyPause is how long a client waits until it asks a server again that is busy.
const busyPause = 200 * time.Millisecond

// attempt connects to the server within a time and runs.
func (a *app) attempt(ctx context.Context, v *visit, device verbs.Context, within time.Duration) error {
	o := v.options
	conn, err := oob.Dial(ctx, net.JoinHostPort(o.host, strconv.Itoa(o.Own.Port)),
		oob.DialOptions{Timeout: within, Secret: v.secret, Source: o.Own.Source})
	if err != nil {
		return &peerFault{err}
	}
	s := &session{app: a, options: o, voice: v.voice, role: harness.Client, conn: conn, device: device, series: v.series,
		hold: v.series.holds(), comparison: v.comparison, save: v.save, wantsCaps: v.wantsCaps}
	err = s.run(ctx, s.propose)
	v.held.take(s)
	if err == nil && v.wantsCaps {
		err = v.keepCaps(s.peerCaps)
	}
	return err
}

// propose tells the server the plan and takes what it answers.
func (s *session) propose(ctx context.Context) error {
	o := s.options
	plan, err := o.Plan.EncodeGiven()
	if err != nil {
		return err
	}
	mine, err := json.Marshal(proposal{
		Release: ownRelease, Program: o.Program(), Device: identify(s.device.Device()), Given: o.given, Plan: plan, Series: s.series, WantsCaps: s.wantsCaps,
	})
	if err != nil {
		return err
	}
	if _, err := s.conn.Exchange(stepPlan, mine); err != nil {
		return err
	}
	theirs, err := s.conn.Exchange(stepAnswer, nil)
	if err != nil {
		return err
	}
	return s.takeAnswer(theirs)
}

func (s *session) takeAnswer(data []byte) error {
	a, err := parseAnswer(data)
	if err != nil {
		return err
	}
	if a.Refusal != "" {
		return heard(&oob.PeerError{Peer: s.conn.RemoteAddr(), Class: a.Class, Reason: a.Refusal, Aborted: true})
	}
	if s.plan, err = parsePlan(a.Plan, s.options.Test, "server", a.Release); err != nil {
		return err
	}
	decided, err := checkAnswer(&s.plan, s.options)
	if err != nil {
		return err
	}
	for _, option := range decided {
		s.note("%s: decided by the server", option)
	}
	if err := errors.Join(s.checkOwn(), checkMemory(&s.plan)); err != nil {
		return err
	}
	s.compareReleases(a.Release)
	s.peerCaps = a.Caps
	return checkDevices(identify(s.device.Device()), a.Device)
}
