package cli

import (
	"context"
	"encoding/json"
	"net"
	"strconv"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
)

// client connects to a server, agrees with it and runs.
func (a *app) client(ctx context.Context, o *options) error {
	v := &voice{console: a.console}
	if err := checkMemory(&o.plan, machineMemory()); err != nil {
		return err
	}
	c, err := chooseClient(o.device, o.ibPort)
	if err != nil {
		return err
	}
	v.announce(c)
	device, err := openDevice(c.device, o.ibPort)
	if err != nil {
		return err
	}
	defer device.Close()
	conn, err := oob.Dial(ctx, net.JoinHostPort(o.host, strconv.Itoa(o.port)), oob.DialOptions{Timeout: o.connectTimeout})
	if err != nil {
		return &peerFault{err}
	}
	s := &session{app: a, options: o, voice: v, role: harness.Client, conn: conn, device: device}
	return s.run(ctx, s.propose)
}

// propose tells the server the plan and takes what it answers.
func (s *session) propose(ctx context.Context) error {
	o := s.options
	plan, err := json.Marshal(o.plan)
	if err != nil {
		return err
	}
	mine, err := json.Marshal(proposal{
		Release: Release, Program: o.program(), Device: identify(s.device.Device()), Given: o.given, Plan: plan,
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
	if s.plan, err = parsePlan(a.Plan, s.spec); err != nil {
		return err
	}
	decided, err := checkAnswer(&s.plan, &s.options.plan, s.options.given)
	if err != nil {
		return err
	}
	for _, option := range decided {
		s.note("%s: decided by the server", option)
	}
	s.compareReleases(a.Release)
	return checkDevices(identify(s.device.Device()), a.Device)
}
