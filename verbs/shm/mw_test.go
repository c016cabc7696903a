package shm_test

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// windowRegion is a region with the rkey of a window on it.
type windowRegion struct {
	verbs.MR
	window verbs.MW
}

func (w windowRegion) RKey() uint32 { return w.window.RKey() }

// bindWindow binds a window to all of the side's memory, and makes it the side's region.
func (s *side) bindWindow(t *testing.T, typ verbs.MWType) verbs.MW {
	t.Helper()
	w := must(s.PD.(verbs.MWAllocator).AllocMW(typ))(t)
	t.Cleanup(func() { noError(t, w.Close()) })
	info := verbs.MWBindInfo{MR: s.MR.(verbs.BindableMR), Addr: s.MR.Addr(), Length: uint64(s.Config.BufferSize), Access: verbs.AccessRemoteWrite}
	if typ == verbs.MWType1 {
		noError(t, w.Bind(s.QP, &verbs.MWBind{SendFlags: verbs.SendSignaled, Info: info}))
	} else {
		wr := verbs.SendWR{Opcode: verbs.OpBindMW, SendFlags: verbs.SendSignaled}
		wr.SetBindMW(w, w.RKey(), info)
		must(s.QP.PostSend(&wr))(t)
	}
	s.SendCQ.Expect(0, verbs.WCSuccess)
	s.MR = windowRegion{s.MR, w}
	return w
}

// localInv posts a LOCAL_INV.
func (s *side) localInv(key uint32) error {
	wr := verbs.SendWR{Opcode: verbs.OpLocalInv, SendFlags: verbs.SendSignaled}
	wr.SetInvalidate(key)
	_, err := s.QP.PostSend(&wr)
	return err
}

// TestNoStoreAfterWindowIsInvalid covers that requesters do not use the memory after its window was
// invalidated, although they post long lists continuously.
func TestNoStoreAfterWindowIsInvalid(t *testing.T) {
	ends := map[string]struct {
		typ verbs.MWType
		end func(s *side, w verbs.MW) error
	}{
		"LOCAL_INV": {verbs.MWType2, func(s *side, w verbs.MW) error {
			if err := s.localInv(w.RKey()); err != nil {
				return err
			}
			return repeat(1, func(int) (bool, error) { return pollNext(s.SendCQ.CQ, 0) })
		}},
		"bind_mw of no bytes": {verbs.MWType1, func(s *side, w verbs.MW) error {
			nothing := verbs.MWBindInfo{MR: s.MR.(windowRegion).MR.(verbs.BindableMR)}
			if err := w.Bind(s.QP, &verbs.MWBind{SendFlags: verbs.SendSignaled, Info: nothing}); err != nil {
				return err
			}
			return repeat(1, func(int) (bool, error) { return pollNext(s.SendCQ.CQ, 0) })
		}},
		"dealloc_mw": {verbs.MWType2, func(_ *side, w verbs.MW) error { return w.Close() }},
	}
	for name, c := range ends {
		for i := range 3 {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				conf := conf()
				conf.BufferSize, conf.Access = 1<<20, allRights|verbs.AccessMWBind
				a, b := pair(t, conf)
				w := b.bindWindow(t, c.typ)
				fixture.Fill(a.Mem, 1)
				words := atomicWords(b.Mem)
				runConcurrently(t, func() error { return a.postLists(verbs.OpRDMAWrite, b, verbs.WCRemAccessErr) }, func() error {
					fixture.Eventually(t, "data arrives", func() bool { return words[0].Load() != 0 })
					err := c.end(b, w)
					clear(b.Mem)
					return err
				})
				wantUnwritten(t, words)
			})
		}
	}
}

// TestBothSidesRebindWindows covers both sides rebinding windows repeatedly, while each is a
// requester for which the other may have to wait.
func TestBothSidesRebindWindows(t *testing.T) {
	c := conf()
	c.Access = allRights | verbs.AccessMWBind
	a, b := pair(t, c)
	work := func(s *side) func() error {
		w := must(s.PD.(verbs.MWAllocator).AllocMW(verbs.MWType1))(t)
		t.Cleanup(func() { noError(t, w.Close()) })
		bind := &verbs.MWBind{SendFlags: verbs.SendSignaled, Info: verbs.MWBindInfo{MR: s.MR.(verbs.BindableMR), Addr: s.MR.Addr(), Length: 8}}
		return func() error {
			for range 500 {
				if err := w.Bind(s.QP, bind); err != nil {
					return err
				}
				if err := repeat(1, func(int) (bool, error) { return pollNext(s.SendCQ.CQ, 0) }); err != nil {
					return err
				}
			}
			return nil
		}
	}
	runConcurrently(t, work(a), work(b))
}
