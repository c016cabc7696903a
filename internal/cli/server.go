package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
)

// serve listens and serves one client, or with --persistent all that come.
func (a *app) serve(ctx context.Context, o *options) (err error) {
	if err := checkNamed(o); err != nil {
		return err
	}
	l, err := oob.Listen(net.JoinHostPort(o.bind, strconv.Itoa(o.port)), oob.ListenOptions{Stranger: a.stranger})
	if err != nil {
		return err
	}
	defer l.Close()
	ready := readyFile(o.readyFile)
	defer func() { err = errors.Join(err, ready.remove()) }()
	if err := a.listening(l, ready); err != nil {
		return err
	}
	if o.persistent {
		return a.serveAll(ctx, o, l)
	}
	conn, err := l.Accept(ctx)
	if err != nil {
		return err
	}
	if err := l.Close(); err != nil {
		return errors.Join(err, conn.Close())
	}
	return a.serveOne(ctx, o, conn, 0)
}

// checkNamed finds out at once that the device named by -d cannot be used.
func checkNamed(o *options) error {
	if o.device == "" {
		return nil
	}
	c, err := lookup(o.device, "")
	if err != nil {
		return err
	}
	return probe(c.device, o.ibPort)
}

// listening tells people and scripts the port.
func (a *app) listening(l *oob.Listener, ready readyFile) error {
	_, text, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	a.console.note("listening on port %d", port)
	return ready.write(port)
}

// stranger tells people of the first connection that was no client.
func (a *app) stranger(err error) {
	a.console.note("%s: a connection that was no client: %v; further ones are counted", a.program(), err)
}

// countStrangers tells people how many connections were no clients, if there were more.
func (a *app) countStrangers(l *oob.Listener) {
	if n := l.Strangers(); n > 1 {
		a.console.note("%s: %d connections were no clients", a.program(), n)
	}
}

// serveOne serves a client that has connected; number is 0 for the only one.
func (a *app) serveOne(ctx context.Context, o *options, conn *oob.Conn, number int) (err error) {
	v := &voice{console: a.console}
	if number > 0 {
		v.client = conn.RemoteAddr()
	}
	s := &session{app: a, voice: v, options: o, role: harness.Server, conn: conn, number: number}
	defer func() {
		if s.device != nil {
			err = errors.Join(err, s.device.Close())
		}
	}()
	return s.run(ctx, s.respond)
}

// respond takes a client's proposal and answers it. A refusal is an answer too.
func (s *session) respond(context.Context) error {
	theirs, err := s.conn.Exchange(stepPlan, nil)
	if err != nil {
		return err
	}
	a, refusal := s.consider(theirs)
	if refusal != nil {
		a = answer{}
		a.Class, a.Refusal = reason(refusal)
	} else {
		s.conn.Trust()
	}
	mine, err := json.Marshal(a)
	if err == nil {
		_, err = s.conn.Exchange(stepAnswer, mine)
	}
	if refusal != nil {
		return refusal
	}
	return err
}

// consider makes the final plan of a proposal and opens the device for it.
func (s *session) consider(data []byte) (a answer, err error) {
	p, err := parseProposal(data)
	if err != nil {
		return a, err
	}
	s.compareReleases(p.Release)
	if err := checkPrograms(p.Program, s.program()); err != nil {
		return a, err
	}
	theirs, err := parsePlan(p.Plan, s.spec)
	if err != nil {
		return a, err
	}
	var decided []string
	if s.plan, decided, err = merge(&theirs, &s.options.plan, p.Given, s.options.given); err != nil {
		return a, err
	}
	if s.plan.Compare && !slices.Contains(slices.Concat(p.Given, s.options.given), "length") {
		s.plan.CompareByTime()
	}
	if err := s.plan.Check(); err != nil {
		return a, conflict(err.Error())
	}
	if err := checkMemory(&s.plan, machineMemory()); err != nil {
		return a, err
	}
	for _, option := range decided {
		s.note("%s: given here, the client left it open", option)
	}
	if err := s.openFor(p.Device); err != nil {
		return a, err
	}
	plan, err := json.Marshal(s.plan)
	return answer{Release: Release, Device: identify(s.device.Device()), Plan: plan}, err
}

// openFor opens the device that goes with the client's.
func (s *session) openFor(client deviceID) error {
	c, err := chooseServer(s.options.device, s.options.ibPort, client)
	if err != nil {
		return err
	}
	s.announce(c)
	s.device, err = openDevice(c.device, s.options.ibPort)
	return err
}

// maxClients is how many clients a persistent server serves at a time. Others
// wait for their turn.
const maxClients = 64

// serveAll serves clients until the context ends. What goes wrong with one is
// told and does not end the others. It returns nil if nobody was interrupted.
func (a *app) serveAll(ctx context.Context, o *options, l *oob.Listener) error {
	defer a.countStrangers(l)
	var clients sync.WaitGroup
	defer clients.Wait()
	turns := make(chan struct{}, maxClients)
	for number := 1; ; number++ {
		select {
		case turns <- struct{}{}:
		case <-ctx.Done():
			return a.stopped(ctx, len(turns))
		}
		conn, err := l.Accept(ctx)
		if err != nil {
			<-turns
			if ctx.Err() != nil {
				return a.stopped(ctx, len(turns))
			}
			return err
		}
		clients.Go(func() {
			defer func() { <-turns }()
			a.serveNumbered(ctx, o, conn, number)
		})
	}
}

// stopped is how a persistent server ends: well, if it was idle.
func (a *app) stopped(ctx context.Context, busy int) error {
	if busy > 0 {
		return context.Cause(ctx)
	}
	return nil
}

func (a *app) serveNumbered(ctx context.Context, o *options, conn *oob.Conn, number int) {
	a.console.note("client %s: connected, number %d", conn.RemoteAddr(), number)
	err := a.serveOne(ctx, o, conn, number)
	if err == nil {
		a.console.note("client %s: done", conn.RemoteAddr())
		return
	}
	a.console.note("client %s: failed with status %d: %s", conn.RemoteAddr(), Status(err), oneLine(err))
}
