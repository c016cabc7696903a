package shm_test

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// windowed is a region as peers see it through a window.
type windowed struct {
	verbs.MR
	window verbs.MW
}

func (w windowed) RKey() uint32 { return w.window.RKey() }

// bind binds a window to all of the side's memory, which is the side's region from then on.
func (s *side) bind(t *testing.T, typ verbs.MWType) verbs.MW {
	t.Helper()
	w := must(s.pd.(verbs.MWAllocator).AllocMW(typ))(t)
	t.Cleanup(func() { noError(t, w.Close()) })
	info := verbs.MWBindInfo{MR: s.mr.(verbs.BindableMR), Addr: s.mr.Addr(), Length: uint64(s.conf.size), Access: verbs.AccessRemoteWrite}
	if typ == verbs.MWType1 {
		noError(t, w.Bind(s.qp, &verbs.MWBind{SendFlags: verbs.SendSignaled, Info: info}))
	} else {
		wr := verbs.SendWR{Opcode: verbs.OpBindMW, SendFlags: verbs.SendSignaled}
		wr.SetBindMW(w, w.RKey(), info)
		must(s.qp.PostSend(&wr))(t)
	}
	pollOne(t, s.sendCQ, 0, verbs.WCSuccess)
	s.mr = windowed{s.mr, w}
	return w
}

// localInv posts a LOCAL_INV.
func (s *side) localInv(key uint32) error {
	wr := verbs.SendWR{Opcode: verbs.OpLocalInv, SendFlags: verbs.SendSignaled}
	wr.SetInvalidate(key)
	_, err := s.qp.PostSend(&wr)
	return err
}

// TestNothingComesAfterAWindow: once a window is taken back, requesters leave the memory
// alone, although they post long lists all the time.
func TestNothingComesAfterAWindow(t *testing.T) {
	ends := map[string]struct {
		typ verbs.MWType
		end func(s *side, w verbs.MW) error
	}{
		"LOCAL_INV": {verbs.MWType2, func(s *side, w verbs.MW) error {
			if err := s.localInv(w.RKey()); err != nil {
				return err
			}
			return repeat(1, func(int) (bool, error) { return pollNext(s.sendCQ, 0) })
		}},
		"bind_mw of no bytes": {verbs.MWType1, func(s *side, w verbs.MW) error {
			nothing := verbs.MWBindInfo{MR: s.mr.(windowed).MR.(verbs.BindableMR)}
			if err := w.Bind(s.qp, &verbs.MWBind{SendFlags: verbs.SendSignaled, Info: nothing}); err != nil {
				return err
			}
			return repeat(1, func(int) (bool, error) { return pollNext(s.sendCQ, 0) })
		}},
		"dealloc_mw": {verbs.MWType2, func(_ *side, w verbs.MW) error { return w.Close() }},
	}
	for name, c := range ends {
		for i := range 3 {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				conf := conf()
				conf.size, conf.access = 1<<20, allRights|verbs.AccessMWBind
				a, b := pair(t, conf)
				w := b.bind(t, c.typ)
				fill(a.mem, 1)
				words := atomicWords(b.mem)
				crew(t, func() error { return a.postLists(verbs.OpRDMAWrite, b, verbs.WCRemAccessErr) }, func() error {
					eventually(t, "data comes", func() bool { return words[0].Load() != 0 })
					err := c.end(b, w)
					clear(b.mem)
					return err
				})
				wantZero(t, words)
			})
		}
	}
}

// TestWindowsOfEachOther: both sides take windows back at once, again and again, while each is a
// requester that the other may have to wait for.
func TestWindowsOfEachOther(t *testing.T) {
	c := conf()
	c.access = allRights | verbs.AccessMWBind
	a, b := pair(t, c)
	work := func(s *side) func() error {
		w := must(s.pd.(verbs.MWAllocator).AllocMW(verbs.MWType1))(t)
		t.Cleanup(func() { noError(t, w.Close()) })
		bind := &verbs.MWBind{SendFlags: verbs.SendSignaled, Info: verbs.MWBindInfo{MR: s.mr.(verbs.BindableMR), Addr: s.mr.Addr(), Length: 8}}
		return func() error {
			for range 500 {
				if err := w.Bind(s.qp, bind); err != nil {
					return err
				}
				if err := repeat(1, func(int) (bool, error) { return pollNext(s.sendCQ, 0) }); err != nil {
					return err
				}
			}
			return nil
		}
	}
	crew(t, work(a), work(b))
}
