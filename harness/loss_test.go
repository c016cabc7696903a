package harness

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// silentPeer is a peer that is lost in the first round that counts.
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

// calls are the names of what was called, in order.
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

// The context, domain and QPs of a device that notes when it is told of lost peers, and when QPs are closed.
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

// TestLossIsToldFirst: when the peer is lost the device is told, then the caller, and then QPs are
// closed. A peer that has ended the run is no lost one.
func TestLossIsToldFirst(t *testing.T) {
	for _, c := range []struct {
		aborted bool
		want    []string
	}{
		{false, []string{"abandon", "failed", "close"}},
		{true, []string{"failed", "close"}},
	} {
		called, lost := &calls{}, &oob.PeerError{Peer: "127.0.0.1:1", Reason: "has been silent for 4s", Aborted: c.aborted}
		var told error
		_, errs := pair{
			device: "shm_whole", plan: testPlan(option.OpRead, option.KindBandwidth, 4096, 100),
			config: func(side int, c *Config) {
				if side == 1 {
					c.Failed = func(err error) { called.add("failed"); told = err }
				}
			},
			peer: func(side int, p oob.Peer) oob.Peer {
				if side == 1 {
					return &silentPeer{p, make(chan struct{}), lost}
				}
				return p
			},
			wrap: func(side int, ctx verbs.Context) verbs.Context {
				if side == 1 {
					return notedContext{ctx, called}
				}
				return ctx
			},
		}.run(t)
		if !errors.Is(errs[1], lost) || told != errs[1] {
			t.Errorf("the server ended with %v, and was told %v", errs[1], told)
		}
		if !slices.Equal(called.all, c.want) {
			t.Errorf("aborted %v: called %q, want %q", c.aborted, called.all, c.want)
		}
	}
}
