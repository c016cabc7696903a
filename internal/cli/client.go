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
	"github.com/ibperf/ibperf/verbs"
)

// client connects to a server, agrees with it and runs.
func (a *app) client(ctx context.Context, o *options) error {
	v := &voice{console: a.console}
	if err := checkMemory(&o.Plan); err != nil {
		return err
	}
	secret, err := readSecret(o.Own.SecretFile)
	if err != nil {
		return err
	}
	c, err := chooseClient(o.Own.Device, o.Own.IBPort)
	if err != nil {
		return err
	}
	v.announce(c)
	device, err := openDevice(c.device, o.Own.IBPort)
	if err != nil {
		return err
	}
	defer device.Close()
	for begun := time.Now(); ; {
		left := max(0, o.Own.ConnectTimeout-time.Since(begun))
		err := a.attempt(ctx, o, v, device, secret, left)
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
func (a *app) attempt(ctx context.Context, o *options, v *voice, device verbs.Context, secret []byte, within time.Duration) error {
	conn, err := oob.Dial(ctx, net.JoinHostPort(o.host, strconv.Itoa(o.Own.Port)),
		oob.DialOptions{Timeout: within, Secret: secret, Source: o.Own.Source})
	if err != nil {
		return &peerFault{err}
	}
	s := &session{app: a, options: o, voice: v, role: harness.Client, conn: conn, device: device}
	return s.run(ctx, s.propose)
}

// propose tells the server the plan and takes what it answers.
func (s *session) propose(ctx context.Context) error {
	o := s.options
	plan, err := o.Plan.EncodeGiven()
	if err != nil {
		return err
	}
	mine, err := json.Marshal(proposal{
		Release: Release, Program: o.Program(), Device: identify(s.device.Device()), Given: o.given, Plan: plan,
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
	return checkDevices(identify(s.device.Device()), a.Device)
}
