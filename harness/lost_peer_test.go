package harness

import (
	"context"
	"errors"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// silentPeer is a peer that is lost in the first round.
type silentPeer struct {
	oob.Peer
	lost chan struct{}
	err  error
}

func (p *silentPeer) Lost() <-chan struct{} { return p.lost }
func (p *silentPeer) Err() error            { return p.err }

func (p *silentPeer) Result(mine oob.Round) (oob.Round, error) {
	close(p.lost)
	return oob.Round{}, p.err
}

// atClient wraps what the client of a pair has, and leaves the server's as it is.
func atClient[T any](wrap func(T) T) func(int, T) T { return at(0, wrap) }

// atServer wraps what the server of a pair has, and leaves the client's as it is.
func atServer[T any](wrap func(T) T) func(int, T) T { return at(1, wrap) }

func at[T any](wrapped int, wrap func(T) T) func(int, T) T {
	return func(side int, own T) T {
		if side == wrapped {
			return wrap(own)
		}
		return own
	}
}

// calls records the names of calls in order, without repetitions.
type calls struct {
	mu  sync.Mutex
	all []string
}

func (c *calls) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) == 0 || c.all[len(c.all)-1] != name {
		c.all = append(c.all, name)
	}
}

// A device that records the calls of AbandonPeers and the closing of QPs.
type (
	notedContext struct {
		verbs.Context
		calls *calls
	}
	notedPD struct {
		verbs.PD
		calls *calls
	}
	notedQP struct {
		verbs.QP
		calls *calls
	}
)

func (c notedContext) AbandonPeers() { c.calls.add("abandon") }

func (c notedContext) AllocPD() (verbs.PD, error) {
	pd, err := c.Context.AllocPD()
	return notedPD{pd, c.calls}, err
}

func (p notedPD) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	q, err := p.PD.CreateQP(init)
	return notedQP{q, p.calls}, err
}

func (q notedQP) Close() error {
	q.calls.add("close")
	return q.QP.Close()
}

// TestLostPeerIsReportedBeforeQPsAreClosed: AbandonPeers comes first, then Config.Failed,
// then the QPs are closed. A peer that aborted the run is not lost: AbandonPeers is not called.
func TestLostPeerIsReportedBeforeQPsAreClosed(t *testing.T) {
	for _, c := range []struct {
		aborted bool
		want    []string
	}{
		{false, []string{"abandon", "failed", "close"}},
		{true, []string{"failed", "close"}},
	} {
		called, lost := &calls{}, &oob.PeerError{Peer: "127.0.0.1:1", Reason: "has been silent for 4s", Aborted: c.aborted}
		var reported error
		_, errs := pair{
			device: "shm_whole", plan: testPlan(option.OpRead, option.KindBandwidth, 4096, 100),
			config: func(side int, c *Config) {
				if side == 1 {
					c.Failed = func(err error) { called.add("failed"); reported = err }
				}
			},
			peer: atServer(func(p oob.Peer) oob.Peer { return &silentPeer{p, make(chan struct{}), lost} }),
			wrap: atServer(func(ctx verbs.Context) verbs.Context { return notedContext{ctx, called} }),
		}.run(t)
		if !errors.Is(errs[1], lost) || reported != errs[1] {
			t.Errorf("the server ended with %v, and Failed was called with %v", errs[1], reported)
		}
		if !slices.Equal(called.all, c.want) {
			t.Errorf("aborted %v: called %q, want %q", c.aborted, called.all, c.want)
		}
	}
}

// interruptedPeer interrupts the run in the first round, and answers nothing.
type interruptedPeer struct {
	oob.Peer
	interrupt func()
}

func (p *interruptedPeer) Result(oob.Round) (oob.Round, error) {
	p.interrupt()
	return oob.Round{}, oob.ErrClosed
}

// TestInterruptedRunAwaitsNoPeer: after an interruption, AbandonPeers comes before the QPs are closed. Otherwise the
// embedded device waits for a stopped peer longer than an interrupted program may take.
func TestInterruptedRunAwaitsNoPeer(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	called := &calls{}
	_, errs := pair{
		device: "shm_whole", plan: testPlan(option.OpRead, option.KindBandwidth, 4096, 100), ctx: ctx,
		peer: atClient(func(p oob.Peer) oob.Peer { return &interruptedPeer{p, interrupt} }),
		wrap: atClient(func(ctx verbs.Context) verbs.Context { return notedContext{ctx, called} }),
	}.run(t)
	if want := []string{"abandon", "close"}; !errors.Is(errs[0], ErrInterrupted) || !slices.Equal(called.all, want) {
		t.Errorf("the client ended with %v and called %q, want %q", errs[0], called.all, want)
	}
}

// A device whose QPs find no peer when they are connected.
type (
	unreachableContext struct {
		verbs.Context
		connecting func()
	}
	unreachablePD struct {
		verbs.PD
		connecting func()
	}
	unreachableQP struct {
		verbs.QP
		connecting func()
	}
)

func (c unreachableContext) AllocPD() (verbs.PD, error) {
	pd, err := c.Context.AllocPD()
	return unreachablePD{pd, c.connecting}, err
}

func (p unreachablePD) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	q, err := p.PD.CreateQP(init)
	return unreachableQP{q, p.connecting}, err
}

func (q unreachableQP) Modify(attr *verbs.QPAttr, mask verbs.QPAttrMask) error {
	if attr.State != verbs.QPRTR {
		return q.QP.Modify(attr, mask)
	}
	q.connecting()
	return &verbs.OpError{Verb: "modify_qp", Object: "qp", Errno: syscall.ETIMEDOUT}
}

// TestPeerLostWhileConnecting: a QP that does not connect because the peer has ended is not the fault of
// this side's device.
func TestPeerLostWhileConnecting(t *testing.T) {
	lost := &oob.PeerError{Peer: "127.0.0.1:1", Reason: "is gone"}
	gone := make(chan struct{})
	detect := sync.OnceFunc(func() { time.AfterFunc(2*asyncEventTimeout, func() { close(gone) }) })
	_, errs := pair{
		device: "shm_whole", plan: testPlan(option.OpWrite, option.KindLatency, 8, 100),
		peer: atServer(func(p oob.Peer) oob.Peer { return &silentPeer{p, gone, lost} }),
		wrap: atServer(func(ctx verbs.Context) verbs.Context { return unreachableContext{ctx, detect} }),
	}.run(t)
	if !errors.Is(errs[1], lost) {
		t.Errorf("the run ended with %v, want %v", errs[1], lost)
	}
}
