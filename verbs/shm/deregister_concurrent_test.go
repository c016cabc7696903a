package shm_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestDeregisterIdleRegionDuringTraffic covers a region that no request names: MR.Close returns
// within the time of a few messages, at the requester and at the responder.
func TestDeregisterIdleRegionDuringTraffic(t *testing.T) {
	const size, enough = 8 << 20, 8
	for _, where := range []string{"requester", "responder"} {
		t.Run(where, func(t *testing.T) {
			c := conf()
			c.BufferSize = size
			a, b := pair(t, c)
			s := map[string]*side{"requester": a, "responder": b}[where]
			var done atomic.Bool
			var messages atomic.Int64
			requests := fixture.NewRequests(t)
			runConcurrently(t, func() error {
				w := requests.SendList([]send{send{SGEs: []verbs.SGE{a.SGE(0, size)}}.Toward(b, 0)})
				for !done.Load() {
					if w.SendFlags = 0; messages.Add(1)%32 == 0 {
						w.SendFlags = verbs.SendSignaled
					}
					if _, err := a.QP.PostSend(w); err != nil {
						return err
					}
					if w.SendFlags != 0 {
						if err := repeat(1, func(int) (bool, error) { return pollNext(a.SendCQ.CQ, 0) }); err != nil {
							return err
						}
					}
				}
				return nil
			}, func() error {
				defer done.Store(true)
				buf := must(verbs.NewBuffer(pageSize))(t)
				defer buf.Close()
				fixture.Eventually(t, "the median Close takes a few messages", func() bool {
					var passed []int64
					for range 15 {
						mr := must(s.PD.RegMR(buf.Bytes(), allRights))(t)
						last := messages.Load()
						fixture.Eventually(t, "messages arrive", func() bool { return messages.Load() > last+1 })
						before := messages.Load()
						noError(t, mr.Close())
						passed = append(passed, messages.Load()-before)
					}
					slices.Sort(passed)
					return passed[len(passed)/2] <= enough
				})
				return nil
			})
		})
	}
}

// TestDeregisterWhileDisconnecting covers MR.Close while the last QP to the peer is destroyed, and
// with it the peerContext.
func TestDeregisterWhileDisconnecting(t *testing.T) {
	c := conf()
	c.BufferSize = 1 << 20
	a := newSide(t, c)
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		b := newSide(t, c)
		fixture.Connect(a, b)
		var gone atomic.Bool
		runConcurrently(t, func() error { // the peer executes requests, so that Close has to wait
			w := send{Flags: verbs.SendSignaled, SGEs: []verbs.SGE{b.SGE(0, c.BufferSize)}}.Toward(a, 0)
			for !gone.Load() {
				if _, err := b.TryPost(w); err != nil {
					return nil
				}
				var wc [1]verbs.WC
				if _, err := b.SendCQ.Poll(wc[:]); err != nil || wc[0].Status != verbs.WCSuccess {
					return err
				}
			}
			return nil
		}, func() error {
			buf := must(verbs.NewBuffer(pageSize))(t)
			defer buf.Close()
			return a.registerRepeatedly(buf.Bytes(), &gone)
		}, func() error {
			defer gone.Store(true)
			time.Sleep(time.Millisecond)
			return a.QP.Close()
		})
		a.NewQP()
	}
}

// registerRepeatedly registers and deregisters memory until end is set.
func (s *side) registerRepeatedly(b []byte, end *atomic.Bool) error {
	for !end.Load() {
		mr, err := s.PD.RegMR(b, allRights)
		if err != nil {
			return err
		}
		if err := mr.Close(); err != nil {
			return err
		}
	}
	return nil
}
