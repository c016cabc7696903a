package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// awaitProposal receives the client's proposal, and ends the connection if none arrives in time.
// perftest sends none. A malformed proposal is refused by [peerSession.respond], as an answer to the client.
func (s *peerSession) awaitProposal(ctx context.Context) error {
	if s.perftest != nil {
		return nil
	}
	err := s.within(ctx, min(proposalLimit, s.agreeLimit), func(context.Context) (err error) {
		s.proposal, err = s.conn.ReceiveProposal()
		if errors.As(err, new(*oob.MessageError)) {
			s.malformed, err = err, nil
		}
		s.series = s.proposal.Series
		return err
	})
	if err != nil {
		s.end(err)
	}
	return err
}

// serve agrees with a client whose proposal has arrived, and runs the plan.
func (s *peerSession) serve(ctx context.Context) (err error) {
	defer func() {
		err = errors.Join(err, closeAll(s.devices))
		if s.releaseBudget != nil {
			s.releaseBudget()
		}
	}()
	limit := s.options.Own.MaxTime
	ctx, cancel := context.WithTimeoutCause(ctx, limit, conflict(fmt.Sprintf("the server ends a run after %v (--max-time)", limit)))
	defer cancel()
	return s.run(ctx, s.respond)
}

// respond answers a client's proposal with a plan or a refusal.
func (s *peerSession) respond(context.Context) error {
	if s.perftest != nil {
		return s.agreeWithClient()
	}
	a, err := s.agree()
	if err != nil {
		return s.refuse(err)
	}
	if s.accepted != nil {
		if err := s.accepted(); err != nil {
			return err
		}
	}
	s.conn.Trust(harness.PlanBounds(s.plan))
	return s.conn.SendAnswer(&a)
}

// refuse sends the client the reason for which there is no run, and returns it.
func (s *peerSession) refuse(why error) error {
	if s.perftest != nil { // it has no message for a reason
		s.end(why)
		return why
	}
	var a oob.Answer
	a.Class, a.Refusal = refusal(why)
	err := s.within(context.Background(), proposalLimit, func(context.Context) error { return s.conn.SendAnswer(&a) })
	if err != nil {
		return errors.Join(why, err)
	}
	s.end(why)
	return why
}

// agree chooses the devices that can reach the client's, makes the plan of both sides, and opens
// the devices.
func (s *peerSession) agree() (a oob.Answer, err error) {
	p := &s.proposal
	if s.malformed != nil {
		s.unfit = true
		return a, s.malformed
	}
	if err := s.checkBuilds(p.Series); err != nil {
		return a, err
	}
	s.compareReleases(p.Release)
	chosen, err := chooseServer(&s.options.Own, p.Devices(), addrOf(s.conn.LocalAddr()))
	if err != nil {
		return a, err
	}
	client, err := clientOptions(p)
	if err != nil {
		s.unfit = errors.As(err, new(*peerFault))
		return a, err
	}
	plan, decided, err := merge(client, s.options)
	if err != nil {
		return a, err
	}
	if s.plan, err = resolve(plan, s.options, decided); err != nil {
		return a, err
	}
	if err := s.admit(); err != nil {
		return a, err
	}
	s.announceRun(client.Program(), decided)
	if s.choice = chosen[0].why; s.series != nil && s.series.IsFirst() {
		s.announce(chosen[0])
	}
	if s.devices, err = openAll(&s.options.Own, chosen); err != nil {
		return a, err
	}
	ids := s.identities()
	a = oob.Answer{Release: ownRelease, Device: ids[0], More: ids[1:]}
	if p.WantsCaps {
		a.Caps = capsOf(chosen[0].device)
	}
	a.Plan, err = plan.EncodeGiven()
	return a, err
}

// announceRun prints which run begins, and the options that this server has decided.
func (s *peerSession) announceRun(program string, decided []string) {
	if s.next != nil {
		s.number = s.next()
	}
	if series := s.series; series != nil && series.Runs > 0 && series.Number == 1 {
		s.note("run %d of %d", series.Run, series.Runs)
	}
	if s.series.Repeats() {
		return
	}
	if s.next != nil {
		s.note("number %d, %s", s.number, program)
	}
	if s.series != nil {
		s.note("test %d of %d: %s", s.series.Number, s.series.Of, program)
	}
	for _, option := range decided {
		s.note("using the server's %s (not set by the client)", option)
	}
}

// admit refuses plans that exceed the server's limits.
func (s *peerSession) admit() (err error) {
	if limit, wanted := s.options.Own.MaxTime, s.plan.Plan().Duration; wanted > limit {
		return conflict(fmt.Sprintf("--duration %g: the server ends a run after %v (--max-time)", wanted.Seconds(), limit))
	}
	s.releaseBudget, err = s.budget.take(s.plan)
	s.unfit = err != nil
	return err
}

// clientOptions returns the options of the client's command line.
func clientOptions(p *oob.Proposal) (*options, error) {
	t, ok := option.TestOf(p.Program)
	if !ok {
		return nil, conflict(fmt.Sprintf("the client, ibperf %s, is %s, a test that the server, ibperf %s, does not have: update ibperf on the server",
			p.Release, p.Program, ownRelease))
	}
	o := &options{Settings: option.New(t), given: p.Given}
	var err error
	o.Plan, err = decodePlan(p.Plan, t, "client", p.Release)
	o.Devices = len(p.Devices())
	return o, err
}
