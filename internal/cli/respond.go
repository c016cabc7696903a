package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ibperf/ibperf/option"
)

// hear waits for what a client wants, and ends the connection if that does not come.
func (s *session) hear(ctx context.Context) error {
	err := s.within(ctx, min(hearLimit, s.patience), func(context.Context) (err error) {
		s.wanted, err = s.conn.Exchange(stepPlan, nil)
		s.series = seriesOf(s.wanted)
		return err
	})
	if err != nil {
		s.tell(err)
	}
	return err
}

// serve agrees with a client that was heard, and runs.
func (s *session) serve(ctx context.Context) (err error) {
	defer func() {
		if s.device != nil {
			err = errors.Join(err, s.device.Close())
		}
		if s.give != nil {
			s.give()
		}
	}()
	most := s.options.Own.MaxTime
	ctx, cancel := context.WithTimeoutCause(ctx, most, conflict(fmt.Sprintf("the server ends a run after %v (--max-time)", most)))
	defer cancel()
	return s.run(ctx, s.respond)
}

// respond answers a client's proposal. A refusal is an answer too.
func (s *session) respond(context.Context) error {
	a, err := s.consider(s.wanted)
	if err != nil {
		return s.refuse(err)
	}
	s.conn.Trust()
	return s.answer(a)
}

// refuse answers a client that there will be no run, and returns why.
func (s *session) refuse(why error) error {
	var a answer
	a.Class, a.Refusal = refusal(why)
	err := s.within(context.Background(), hearLimit, func(context.Context) error { return s.answer(a) })
	if err != nil {
		return errors.Join(why, err)
	}
	s.tell(why)
	return why
}

func (s *session) answer(a answer) error {
	mine, err := json.Marshal(a)
	if err != nil {
		return err
	}
	_, err = s.conn.Exchange(stepAnswer, mine)
	return err
}

// consider chooses the device that goes with the client's, makes the final plan of a
// proposal, and opens the device.
func (s *session) consider(data []byte) (a answer, err error) {
	p, err := parseProposal(data)
	if err != nil {
		return a, err
	}
	s.compareReleases(p.Release)
	chosen, err := chooseServer(&s.options.Own, p.Device, hostOf(s.conn.RemoteAddr()))
	if err != nil {
		return a, err
	}
	client, err := readClient(&p)
	if err != nil {
		return a, err
	}
	var decided []string
	if s.plan, decided, err = merge(client, s.options); err != nil {
		return a, err
	}
	if err := errors.Join(s.checkOwn(), s.admit()); err != nil {
		return a, err
	}
	if s.next != nil {
		s.number = s.next()
		s.note("number %d, %s", s.number, client.Program())
	}
	if s.series != nil {
		s.note("run %d of %d: %s", s.series.Number, s.series.Of, client.Program())
	}
	for _, option := range decided {
		s.note("%s: given here, the client left it open", option)
	}
	if s.series == nil || s.series.Number == 1 {
		s.announce(chosen)
	}
	if s.device, err = openDevice(chosen.device, s.options.Own.IBPort); err != nil {
		return a, err
	}
	a = answer{Release: ownRelease, Device: identify(s.device.Device())}
	if p.WantsCaps {
		a.Caps = capsOf(chosen.device)
	}
	a.Plan, err = s.plan.EncodeGiven()
	return a, err
}

// admit refuses plans that take more than clients may have.
func (s *session) admit() (err error) {
	if most := s.options.Own.MaxTime; s.plan.Duration > most {
		return conflict(fmt.Sprintf("--duration %g: the server ends a run after %v (--max-time)", s.plan.Duration.Seconds(), most))
	}
	s.give, err = s.budget.take(&s.plan)
	return err
}

// readClient returns what the client's command line says.
func readClient(p *proposal) (*options, error) {
	t, err := testOf(p)
	if err != nil {
		return nil, err
	}
	o := &options{Settings: option.New(t), given: p.Given}
	o.Plan, err = parsePlan(p.Plan, t, "client", p.Release)
	return o, err
}
