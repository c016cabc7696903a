package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// propose sends the server the client's plan and takes the server's answer.
func (s *peerSession) propose(context.Context) error {
	if s.options.Seed == 0 {
		s.options.Seed = 1 + rand.IntN(option.MaxSeed)
	}
	plan, err := s.options.Plan.EncodeGiven()
	if err != nil {
		return err
	}
	ids := s.identities()
	answer, err := s.conn.Propose(&oob.Proposal{
		Release: ownRelease, Program: s.options.Program(), Device: ids[0], More: ids[1:], Given: s.options.given,
		Plan: plan, Series: s.series, WantsCaps: s.wantsCaps,
	}, s.waits)
	if err != nil {
		return malformed(err)
	}
	return s.takeAnswer(&answer)
}

// waits prints why the server lets the client wait, and gives it time.
func (s *peerSession) waits(why string) {
	s.agreeBy.Reset(queueLimit + s.agreeLimit)
	s.note("waiting: %s", why)
}

// malformed marks an error about the content of a peer's message as the peer's fault.
func malformed(err error) error {
	if errors.As(err, new(*oob.MessageError)) {
		return &peerFault{err}
	}
	return err
}

// takeAnswer makes the final plan of a server's answer, or returns the reason for a refusal.
func (s *peerSession) takeAnswer(a *oob.Answer) error {
	if a.Refusal != "" {
		return asRemote(&oob.PeerError{Peer: s.conn.RemoteAddr(), Class: a.Class, Reason: a.Refusal, Aborted: true})
	}
	plan, err := decodePlan(a.Plan, s.options.Test, "server", a.Release)
	if err != nil {
		return err
	}
	if len(a.Devices()) != len(s.devices) {
		return conflict(fmt.Sprintf("the client measures %d devices at the same time, and the server, ibperf %s, one: update ibperf on the server, or name one device with -d",
			len(s.devices), a.Release))
	}
	plan.Devices = len(s.devices)
	decided, err := checkAnswer(&plan, s.options)
	if err != nil {
		return err
	}
	for _, option := range decided {
		s.note("%s: decided by the server", option)
	}
	if s.plan, err = resolve(plan, s.options, decided); err != nil {
		return err
	}
	if err := checkMemory(s.plan); err != nil {
		return err
	}
	s.conn.Trust(harness.PlanBounds(s.plan))
	s.compareReleases(a.Release)
	s.peerCaps = a.Caps
	theirs := a.Devices()
	for i, mine := range s.identities() {
		if err := checkDevices(mine, theirs[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkAnswer returns an error unless the server's plan has every option as the client was given
// it. It returns the options that the server has decided.
func checkAnswer(final *option.Plan, mine *options) ([]string, error) {
	theirs := option.Settings{Plan: *final}
	var decided []string
	for _, o := range option.AgreedOptions() {
		switch got, want := o.Written(&theirs), o.Written(&mine.Settings); {
		case got == want:
		case slices.Contains(mine.given, o.Name):
			return nil, &peerFault{fmt.Errorf("check the server's plan: it has %s, and the client was given %s", got, want)}
		default:
			decided = append(decided, got)
		}
	}
	return decided, nil
}
