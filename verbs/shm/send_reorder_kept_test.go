package shm_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// What verbs order stays ordered where WRITEs overtake each other.

const (
	writesPerList = 10 // WRITEs in a list
	rounds        = 100
	wordAt        = 8192 // offset of the atomic operation's word
)

// writeList is a pair, and a list of WRITEs of one word each.
type writeList struct {
	a, b  *side
	list  []send
	round uint64 // value of the words
}

func newWriteList(t testing.TB, device string) *writeList {
	c := conf()
	c.device = device
	a, b := pair(t, c)
	u := &writeList{a: a, b: b}
	for i := range writesPerList {
		u.list = append(u.list, send{Op: verbs.OpRDMAWrite, SGEs: []verbs.SGE{a.SGE(64*i, 8)}}.Toward(b, 64*i))
	}
	return u
}

// newContents gives the WRITEs new contents.
func (u *writeList) newContents() {
	u.round++
	for i := range u.list {
		atomicWords(u.a.Mem)[8*i].Store(u.round)
	}
}

// arrivedMask returns the set of words that have arrived, one bit each.
func (u *writeList) arrivedMask() (mask uint64) {
	for i := range u.list {
		if atomicWords(u.b.Mem)[8*i].Load() == u.round {
			mask |= 1 << i
		}
	}
	return mask
}

const allArrived = 1<<writesPerList - 1

// eachRound runs rounds on the devices whose WRITEs overtake each other.
func eachRound(t *testing.T, rounds int, round func(t *testing.T, u *writeList)) {
	for _, device := range reorderingDevices {
		t.Run(device, func(t *testing.T) {
			u := newWriteList(t, device)
			for range rounds {
				u.newContents()
				round(t, u)
			}
		})
	}
}

func (u *writeList) wantAll(t *testing.T, what string) {
	t.Helper()
	if mask := u.arrivedMask(); mask != allArrived {
		t.Fatalf("round %d: %s, but of the WRITEs before it only %#b of %#b have arrived", u.round, what, mask, allArrived)
	}
}

// TestCompletionFollowsWrites covers that at the completion of a request its data and that of all
// earlier ones has arrived.
func TestCompletionFollowsWrites(t *testing.T) {
	eachRound(t, rounds, func(t *testing.T, u *writeList) {
		list := slices.Clone(u.list)
		list[writesPerList-1].Flags = verbs.SendSignaled
		u.a.Post(list...)
		noError(t, spinFor(u.a.SendCQ.CQ))
		u.wantAll(t, "the last WRITE has completed")
	})
}

// TestReceiveFollowsWrites covers that at the completion of a receive the WRITEs before its message
// have arrived.
func TestReceiveFollowsWrites(t *testing.T) {
	for _, op := range []verbs.Opcode{verbs.OpSend, verbs.OpRDMAWriteWithImm} {
		t.Run(op.String(), func(t *testing.T) {
			eachRound(t, rounds, func(t *testing.T, u *writeList) {
				u.b.PostRecv(recv{})
				u.a.Post(append(slices.Clone(u.list), send{Op: op, Flags: verbs.SendSignaled}.Toward(u.b, 0))...)
				noError(t, spinFor(u.b.RecvCQ.CQ))
				u.wantAll(t, "a receive has completed")
				noError(t, spinFor(u.a.SendCQ.CQ))
			})
		})
	}
}

// TestFetchFollowsWrites covers that READs and atomic operations execute after earlier WRITEs.
func TestFetchFollowsWrites(t *testing.T) {
	t.Run("READ", func(t *testing.T) {
		eachRound(t, rounds, func(t *testing.T, u *writeList) {
			read := send{Op: verbs.OpRDMARead, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{u.a.SGE(4096, 64*writesPerList)}}
			u.a.Post(append(slices.Clone(u.list), read.Toward(u.b, 0))...)
			noError(t, spinFor(u.a.SendCQ.CQ))
			for i := range u.list {
				if got := atomicWords(u.a.Mem)[512+8*i].Load(); got != u.round {
					t.Fatalf("round %d: the READ returned %d for WRITE %d", u.round, got, i)
				}
			}
		})
	})
	t.Run("atomic", func(t *testing.T) {
		eachRound(t, rounds, func(t *testing.T, u *writeList) {
			add := send{Op: verbs.OpAtomicFetchAndAdd, Flags: verbs.SendSignaled, CompareAdd: 1, SGEs: []verbs.SGE{u.a.SGE(wordAt, 8)}}
			u.a.Post(append(slices.Clone(u.list), add.Toward(u.b, wordAt))...)
			fixture.Eventually(t, "the addition", func() bool { return atomicWords(u.b.Mem)[wordAt/8].Load() == u.round })
			u.wantAll(t, "the word has changed")
			noError(t, spinFor(u.a.SendCQ.CQ))
		})
	})
}

// TestLastWritePrevails covers WRITEs to overlapping memory: the last one prevails.
func TestLastWritePrevails(t *testing.T) {
	eachRound(t, rounds, func(t *testing.T, u *writeList) {
		list := slices.Clone(u.list)
		for i := range list {
			atomicWords(u.a.Mem)[8*i].Store(u.round<<8 | uint64(i))
			list[i] = list[i].Toward(u.b, i%2*4) // overlaps half of the others
			list[i].SGEs[0].Length = 8
		}
		list[writesPerList-1] = list[writesPerList-1].Toward(u.b, 0)
		list[writesPerList-1].Flags = verbs.SendSignaled
		u.a.Post(list...)
		noError(t, spinFor(u.a.SendCQ.CQ))
		if got, want := atomicWords(u.b.Mem)[0].Load(), u.round<<8|(writesPerList-1); got != want {
			t.Fatalf("round %d: the word is %#x, want %#x", u.round, got, want)
		}
	})
}

// TestLastWritePrevailsThroughAnotherRegion covers the same through several regions with different
// addresses.
func TestLastWritePrevailsThroughAnotherRegion(t *testing.T) {
	const first = 64 // offset at which the other region begins
	type address struct {
		addr uint64 // address of that byte
		rkey uint32
	}
	register := func(t *testing.T, s *side, access verbs.Access) verbs.MR {
		mr := must(s.PD.RegMRIova(s.Mem[first:], 1<<40+first, allRights|access))(t)
		t.Cleanup(func() { noError(t, mr.Close()) })
		return mr
	}
	for name, other := range map[string]func(t *testing.T, s *side) address{
		"iova": func(t *testing.T, s *side) address {
			mr := register(t, s, 0)
			return address{mr.Addr(), mr.RKey()}
		},
		"zero-based": func(t *testing.T, s *side) address {
			mr := register(t, s, verbs.AccessZeroBased)
			return address{mr.Addr(), mr.RKey()}
		},
		"registered again": func(t *testing.T, s *side) address {
			_, mr := s.Region(pageSize, allRights|verbs.AccessZeroBased)
			noError(t, mr.(verbs.Reregistrar).Rereg(verbs.ReregTranslation, nil, s.Mem[first:], 0))
			return address{mr.Addr(), mr.RKey()}
		},
		"zero-based window": func(t *testing.T, s *side) address {
			mr := register(t, s, verbs.AccessMWBind)
			w := must(s.PD.(verbs.MWAllocator).AllocMW(verbs.MWType1))(t)
			t.Cleanup(func() { noError(t, w.Close()) })
			noError(t, w.Bind(s.QP, &verbs.MWBind{SendFlags: verbs.SendSignaled, Info: verbs.MWBindInfo{
				MR: mr.(verbs.BindableMR), Addr: mr.Addr(), Length: pageSize, Access: verbs.AccessRemoteWrite | verbs.AccessZeroBased,
			}}))
			s.SendCQ.Expect(0, verbs.WCSuccess)
			return address{0, w.RKey()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachRound(t, 1, func(t *testing.T, u *writeList) {
				at := other(t, u.b)
				for round := range uint64(rounds) {
					list := slices.Clone(u.list)
					for i := range list {
						atomicWords(u.a.Mem)[8*i].Store(round<<8 | uint64(i))
						list[i] = list[i].Toward(u.b, first+8)
						if i%2 == 1 {
							list[i].RemoteAddr, list[i].RKey = at.addr+8, at.rkey
						}
					}
					list[writesPerList-1].Flags = verbs.SendSignaled
					u.a.Post(list...)
					noError(t, spinFor(u.a.SendCQ.CQ))
					if got, want := atomicWords(u.b.Mem)[first/8+1].Load(), round<<8|(writesPerList-1); got != want {
						t.Fatalf("round %d: the word is %#x, want %#x", round, got, want)
					}
				}
			})
		})
	}
}

// TestLateWritesExecuteWithoutPolling covers that late WRITEs execute without polling.
func TestLateWritesExecuteWithoutPolling(t *testing.T) {
	eachRound(t, 5, func(t *testing.T, u *writeList) {
		u.a.Post(u.list...)
		fixture.Eventually(t, "all WRITEs", func() bool { return u.arrivedMask() == allArrived })
	})
}

// TestLateWritesAreDrained covers that in SQD late WRITEs have arrived when draining ends.
func TestLateWritesAreDrained(t *testing.T) {
	eachRound(t, 5, func(t *testing.T, u *writeList) {
		u.a.Post(u.list...)
		u.a.To(verbs.QPSQD, u.b)
		fixture.Eventually(t, "the end of draining", func() bool {
			a, _, err := u.a.QP.Query(0)
			noError(t, err)
			return !a.SQDraining
		})
		u.wantAll(t, "the QP has drained")
		noError(t, u.a.QP.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	})
}

// TestLateWritesAreFlushed covers a request that fails: WRITEs before it have arrived, and those
// behind it complete with WR_FLUSH_ERR.
func TestLateWritesAreFlushed(t *testing.T) {
	for _, device := range reorderingDevices {
		for seed := range rounds / 5 {
			u := newWriteList(t, device)
			u.newContents()
			list := slices.Clone(u.list)
			for i := range list {
				list[i].ID, list[i].Flags = uint64(i), verbs.SendSignaled
			}
			bad := seed % writesPerList
			list[bad].RKey++
			u.a.Post(list[:bad+1]...)
			for i := range bad {
				u.a.SendCQ.Expect(uint64(i), verbs.WCSuccess)
			}
			u.a.SendCQ.Expect(uint64(bad), verbs.WCRemAccessErr)
			if mask := u.arrivedMask(); mask != 1<<bad-1 {
				t.Errorf("WRITE %d of %d failed, and %#b have arrived", bad, writesPerList, mask)
			}
		}
	}
}

// TestSameSeedSameWritesAreLate covers that the seed determines which WRITEs are late. A test that
// loses its CPU for long finds that late ones have arrived, and tries again.
func TestSameSeedSameWritesAreLate(t *testing.T) {
	late := func(seed string) (masks []uint64) {
		u := newWriteList(t, "shm_unordered:seed="+seed)
		for range 20 {
			u.newContents()
			u.a.Post(u.list...)
			masks = append(masks, u.arrivedMask())
			u.a.Post(send{Op: verbs.OpRDMAWrite, Flags: verbs.SendSignaled}.Toward(u.b, 0))
			noError(t, spinFor(u.a.SendCQ.CQ))
		}
		return masks
	}
	first := late("7")
	for end := time.Now().Add(fixture.WaitTimeout); !slices.Equal(first, late("7")); first = late("7") {
		if time.Now().After(end) {
			t.Fatalf("seed 7 gave %#b, and never the same twice", first)
		}
	}
	if slices.Equal(first, late("8")) {
		t.Errorf("seeds 7 and 8 gave the same: %#b", first)
	}
	if !slices.ContainsFunc(first, func(mask uint64) bool { return mask != allArrived }) {
		t.Error("no WRITE was late")
	}
}
