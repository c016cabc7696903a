package shm_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// unseenWrites is a pair on a device whose WRITEs all complete before the peer has their data.
type unseenWrites struct {
	a, b         *side
	source, dest *atomic.Uint64
}

func newUnseenWrites(t *testing.T) *unseenWrites { return newLoneWrites(t, "shm_whole:early=1") }

func newLoneWrites(t *testing.T, device string) *unseenWrites {
	c := conf()
	c.device = device
	a, b := pair(t, c)
	a.useOnce(t, b)
	return &unseenWrites{a, b, &atomicWords(a.Mem)[0], &atomicWords(b.Mem)[0]}
}

// write writes a value and polls the completion.
func (u *unseenWrites) write(t *testing.T, value uint64) {
	t.Helper()
	u.source.Store(value)
	u.a.Post(send{Op: verbs.OpRDMAWrite, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{u.a.SGE(0, 8)}}.Toward(u.b, 0))
	noError(t, spinFor(u.a.SendCQ.CQ))
}

// TestUnseenData covers that the data of a completed WRITE is stored before what shows that it has arrived, and without that soon.
func TestUnseenData(t *testing.T) {
	for name, arrive := range map[string]func(t *testing.T, u *unseenWrites){
		"before a SEND": func(t *testing.T, u *unseenWrites) {
			u.b.PostRecv(recv{SGEs: []verbs.SGE{u.b.SGE(64, 8)}})
			u.a.Post(send{Op: verbs.OpSend, SGEs: []verbs.SGE{u.a.SGE(64, 8)}})
			noError(t, spinFor(u.b.RecvCQ.CQ))
		},
		"before a READ": func(t *testing.T, u *unseenWrites) {
			u.a.Post(send{Op: verbs.OpRDMARead, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{u.a.SGE(64, 8)}}.Toward(u.b, 0))
			noError(t, spinFor(u.a.SendCQ.CQ))
		},
		"before an atomic operation": func(t *testing.T, u *unseenWrites) {
			u.a.Post(send{Op: verbs.OpAtomicFetchAndAdd, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{u.a.SGE(64, 8)}}.Toward(u.b, 64))
			noError(t, spinFor(u.a.SendCQ.CQ))
		},
		"before the QP is in ERR": func(t *testing.T, u *unseenWrites) {
			noError(t, u.a.QP.Modify(&verbs.QPAttr{State: verbs.QPErr}, verbs.MaskState))
		},
		"before the QP is in RESET": func(t *testing.T, u *unseenWrites) {
			noError(t, u.a.QP.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
		},
		"by itself": func(t *testing.T, u *unseenWrites) {
			fixture.Eventually(t, "the data", func() bool { return u.dest.Load() == 7 })
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUnseenWrites(t)
			u.write(t, 7)
			if u.dest.Load() == 7 {
				t.Log("the data was already there")
			}
			if arrive(t, u); u.dest.Load() != 7 {
				t.Errorf("the word is %d, want 7", u.dest.Load())
			}
		})
	}
}

// TestLatenessIsShort covers that the data of a late WRITE, and of one that completes early, arrives within some 20 us, though the
// application makes no call. On a busy machine only some do.
func TestLatenessIsShort(t *testing.T) {
	for _, device := range []string{"shm_whole:late=1", "shm_whole:early=1"} {
		t.Run(device, func(t *testing.T) {
			u := newLoneWrites(t, device)
			least := time.Hour
			for value := uint64(1); value <= 200; value++ {
				u.source.Store(value)
				posted := time.Now()
				u.a.Post(send{Op: verbs.OpRDMAWrite, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{u.a.SGE(0, 8)}}.Toward(u.b, 0))
				fixture.Eventually(t, "the data", func() bool { return u.dest.Load() == value })
				least = min(least, time.Since(posted))
				noError(t, spinFor(u.a.SendCQ.CQ))
			}
			if least >= time.Millisecond {
				t.Errorf("the least time until the data of 200 WRITEs arrived is %v", least)
			}
			t.Logf("the least time is %v", least)
		})
	}
}

// TestUnseenWritesKeepTheirOrder covers that the last of WRITEs to the same memory prevails.
func TestUnseenWritesKeepTheirOrder(t *testing.T) {
	u := newUnseenWrites(t)
	for value := uint64(1); value <= 200; value++ {
		u.write(t, value)
		if now := u.dest.Load(); now != value && now != value-1 && now != 0 {
			t.Fatalf("after value %d the word is %d", value, now)
		}
	}
	fixture.Eventually(t, "the last value", func() bool { return u.dest.Load() == 200 })
}

// TestUnseenDataOfAClosedRegion covers that nothing is stored in memory after its region was closed.
func TestUnseenDataOfAClosedRegion(t *testing.T) {
	u := newUnseenWrites(t)
	mem, mr := u.b.Region(64, allRights)
	word := &atomicWords(mem)[0]
	u.source.Store(7)
	u.a.Post(send{Op: verbs.OpRDMAWrite, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{u.a.SGE(0, 8)}}.Into(mr, 0))
	noError(t, spinFor(u.a.SendCQ.CQ))
	noError(t, mr.Close())
	before := word.Load()
	u.write(t, 8)
	fixture.Eventually(t, "the data of a later WRITE", func() bool { return u.dest.Load() == 8 })
	if now := word.Load(); now != before {
		t.Errorf("the word of the closed region was %d when it was closed, and is now %d", before, now)
	}
}
