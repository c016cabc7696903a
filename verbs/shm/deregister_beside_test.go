package shm_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestDeregisterBesideTraffic: a region that no request names is closed within the time
// of a few messages, at the requester as at the responder.
func TestDeregisterBesideTraffic(t *testing.T) {
	const size, enough = 8 << 20, 8
	for _, where := range []string{"requester", "responder"} {
		t.Run(where, func(t *testing.T) {
			c := conf()
			c.size = size
			a, b := pair(t, c)
			s := map[string]*side{"requester": a, "responder": b}[where]
			var done atomic.Bool
			var messages atomic.Int64
			crew(t, func() error {
				w := a.requests.sendList([]send{send{sges: []verbs.SGE{a.sge(0, size)}}.toward(b, 0)})
				for !done.Load() {
					if w.SendFlags = 0; messages.Add(1)%32 == 0 {
						w.SendFlags = verbs.SendSignaled
					}
					if _, err := a.qp.PostSend(w); err != nil {
						return err
					}
					if w.SendFlags != 0 {
						if err := repeat(1, func(int) (bool, error) { return pollNext(a.sendCQ, 0) }); err != nil {
							return err
						}
					}
				}
				return nil
			}, func() error {
				defer done.Store(true)
				buf := must(verbs.NewBuffer(pageSize))(t)
				defer buf.Close()
				eventually(t, "closing takes a few messages, by the median", func() bool {
					var passed []int64
					for range 15 {
						mr := must(s.pd.RegMR(buf.Bytes(), allRights))(t)
						last := messages.Load()
						eventually(t, "messages come", func() bool { return messages.Load() > last+1 })
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

// TestDeregisterWhileDisconnecting: a region is closed while the last QP to the peer
// goes, and with it what this side sees of the peer.
func TestDeregisterWhileDisconnecting(t *testing.T) {
	c := conf()
	c.size = 1 << 20
	a := newSide(t, c)
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		b := newSide(t, c)
		connect(t, a, b)
		var gone atomic.Bool
		crew(t, func() error { // the peer is at work, so that closing has to wait
			w := send{flags: verbs.SendSignaled, sges: []verbs.SGE{b.sge(0, c.size)}}.toward(a, 0)
			for !gone.Load() {
				if _, err := b.post(w); err != nil {
					return nil
				}
				var wc [1]verbs.WC
				if _, err := b.sendCQ.Poll(wc[:]); err != nil || wc[0].Status != verbs.WCSuccess {
					return err
				}
			}
			return nil
		}, func() error {
			buf := must(verbs.NewBuffer(pageSize))(t)
			defer buf.Close()
			return a.comeAndGo(buf.Bytes(), &gone)
		}, func() error {
			defer gone.Store(true)
			time.Sleep(time.Millisecond)
			return a.qp.Close()
		})
		a.newQP(t)
	}
}

// comeAndGo registers memory and deregisters it, again and again, until the end.
func (s *side) comeAndGo(b []byte, end *atomic.Bool) error {
	for !end.Load() {
		mr, err := s.pd.RegMR(b, allRights)
		if err != nil {
			return err
		}
		if err := mr.Close(); err != nil {
			return err
		}
	}
	return nil
}
