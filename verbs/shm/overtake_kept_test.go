package shm_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// What is ordered stays so where WRITEs overtake each other.

const (
	lateWrites = 10 // of a list
	lateRounds = 100
	wordAt     = 8192 // of atomic operations
)

// burst is a pair, and a list of WRITEs of a word each.
type burst struct {
	a, b *side
	list []send
	m    uint64 // what the words become
}

func newBurst(t testing.TB, device string) *burst {
	c := conf()
	c.device = device
	a, b := pair(t, c)
	u := &burst{a: a, b: b}
	for i := range lateWrites {
		u.list = append(u.list, send{op: verbs.OpRDMAWrite, sges: []verbs.SGE{a.sge(64*i, 8)}}.toward(b, 64*i))
	}
	return u
}

// next gives the WRITEs new contents.
func (u *burst) next() {
	u.m++
	for i := range u.list {
		atomicWords(u.a.mem)[8*i].Store(u.m)
	}
}

// inPlace tells by a bit each which words have come.
func (u *burst) inPlace() (mask uint64) {
	for i := range u.list {
		if atomicWords(u.b.mem)[8*i].Load() == u.m {
			mask |= 1 << i
		}
	}
	return mask
}

const allInPlace = 1<<lateWrites - 1

// eachBurst runs rounds on the devices whose WRITEs overtake each other.
func eachBurst(t *testing.T, rounds int, round func(t *testing.T, u *burst)) {
	for _, device := range overtaking {
		t.Run(device, func(t *testing.T) {
			u := newBurst(t, device)
			for range rounds {
				u.next()
				round(t, u)
			}
		})
	}
}

func (u *burst) want(t *testing.T, what string) {
	t.Helper()
	if mask := u.inPlace(); mask != allInPlace {
		t.Fatalf("round %d: %s, and of the WRITEs before it %#b of %#b are in place", u.m, what, mask, allInPlace)
	}
}

// TestCompletionFindsWrites: the completion of a request says that it and all before it
// are in place.
func TestCompletionFindsWrites(t *testing.T) {
	eachBurst(t, lateRounds, func(t *testing.T, u *burst) {
		list := slices.Clone(u.list)
		list[lateWrites-1].flags = verbs.SendSignaled
		u.a.mustPost(t, list...)
		noError(t, spinFor(u.a.sendCQ))
		u.want(t, "the last WRITE has completed")
	})
}

// TestReceiveFindsWrites: the completion of a receive says so of the WRITEs before its message.
func TestReceiveFindsWrites(t *testing.T) {
	for _, op := range []verbs.Opcode{verbs.OpSend, verbs.OpRDMAWriteWithImm} {
		t.Run(op.String(), func(t *testing.T) {
			eachBurst(t, lateRounds, func(t *testing.T, u *burst) {
				u.b.mustRecv(t, recv{})
				u.a.mustPost(t, append(slices.Clone(u.list), send{op: op, flags: verbs.SendSignaled}.toward(u.b, 0))...)
				noError(t, spinFor(u.b.recvCQ))
				u.want(t, "a receive has completed")
				noError(t, spinFor(u.a.sendCQ))
			})
		})
	}
}

// TestFetchFindsWrites: a READ brings what was written before it, and an atomic operation
// changes its word after that.
func TestFetchFindsWrites(t *testing.T) {
	t.Run("READ", func(t *testing.T) {
		eachBurst(t, lateRounds, func(t *testing.T, u *burst) {
			read := send{op: verbs.OpRDMARead, flags: verbs.SendSignaled, sges: []verbs.SGE{u.a.sge(4096, 64*lateWrites)}}
			u.a.mustPost(t, append(slices.Clone(u.list), read.toward(u.b, 0))...)
			noError(t, spinFor(u.a.sendCQ))
			for i := range u.list {
				if got := atomicWords(u.a.mem)[512+8*i].Load(); got != u.m {
					t.Fatalf("round %d: read %d of WRITE %d", u.m, got, i)
				}
			}
		})
	})
	t.Run("atomic", func(t *testing.T) {
		eachBurst(t, lateRounds, func(t *testing.T, u *burst) {
			add := send{op: verbs.OpAtomicFetchAndAdd, flags: verbs.SendSignaled, compareAdd: 1, sges: []verbs.SGE{u.a.sge(wordAt, 8)}}
			u.a.mustPost(t, append(slices.Clone(u.list), add.toward(u.b, wordAt))...)
			eventually(t, "the addition", func() bool { return atomicWords(u.b.mem)[wordAt/8].Load() == u.m })
			u.want(t, "the word has changed")
			noError(t, spinFor(u.a.sendCQ))
		})
	})
}

// TestLastWriteWins: of WRITEs to one place the last is what stays there.
func TestLastWriteWins(t *testing.T) {
	eachBurst(t, lateRounds, func(t *testing.T, u *burst) {
		list := slices.Clone(u.list)
		for i := range list {
			atomicWords(u.a.mem)[8*i].Store(u.m<<8 | uint64(i))
			list[i] = list[i].toward(u.b, i%2*4) // half over the others
			list[i].sges[0].Length = 8
		}
		list[lateWrites-1] = list[lateWrites-1].toward(u.b, 0)
		list[lateWrites-1].flags = verbs.SendSignaled
		u.a.mustPost(t, list...)
		noError(t, spinFor(u.a.sendCQ))
		if got, want := atomicWords(u.b.mem)[0].Load(), u.m<<8|(lateWrites-1); got != want {
			t.Fatalf("round %d: %#x stays, want %#x", u.m, got, want)
		}
	})
}

// TestLastWriteWinsThroughAnotherRegion: nor does it matter through which regions they come, and
// by what addresses.
func TestLastWriteWinsThroughAnotherRegion(t *testing.T) {
	const first = 64 // byte of the memory that the other region begins with
	type address struct {
		addr uint64 // of that byte
		rkey uint32
	}
	register := func(t *testing.T, s *side, access verbs.Access) verbs.MR {
		mr := must(s.pd.RegMRIova(s.mem[first:], 1<<40+first, allRights|access))(t)
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
			_, mr := s.register(t, pageSize, allRights|verbs.AccessZeroBased)
			noError(t, mr.(verbs.Reregistrar).Rereg(verbs.ReregTranslation, nil, s.mem[first:], 0))
			return address{mr.Addr(), mr.RKey()}
		},
		"zero-based window": func(t *testing.T, s *side) address {
			mr := register(t, s, verbs.AccessMWBind)
			w := must(s.pd.(verbs.MWAllocator).AllocMW(verbs.MWType1))(t)
			t.Cleanup(func() { noError(t, w.Close()) })
			noError(t, w.Bind(s.qp, &verbs.MWBind{SendFlags: verbs.SendSignaled, Info: verbs.MWBindInfo{
				MR: mr.(verbs.BindableMR), Addr: mr.Addr(), Length: pageSize, Access: verbs.AccessRemoteWrite | verbs.AccessZeroBased,
			}}))
			pollOne(t, s.sendCQ, 0, verbs.WCSuccess)
			return address{0, w.RKey()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachBurst(t, 1, func(t *testing.T, u *burst) {
				at := other(t, u.b)
				for round := range uint64(lateRounds) {
					list := slices.Clone(u.list)
					for i := range list {
						atomicWords(u.a.mem)[8*i].Store(round<<8 | uint64(i))
						list[i] = list[i].toward(u.b, first+8)
						if i%2 == 1 {
							list[i].raddr, list[i].rkey = at.addr+8, at.rkey
						}
					}
					list[lateWrites-1].flags = verbs.SendSignaled
					u.a.mustPost(t, list...)
					noError(t, spinFor(u.a.sendCQ))
					if got, want := atomicWords(u.b.mem)[first/8+1].Load(), round<<8|(lateWrites-1); got != want {
						t.Fatalf("round %d: %#x stays, want %#x", round, got, want)
					}
				}
			})
		})
	}
}

// TestLateWritesComeAlone: WRITEs of which nobody polls a completion come all the same.
func TestLateWritesComeAlone(t *testing.T) {
	eachBurst(t, 5, func(t *testing.T, u *burst) {
		u.a.mustPost(t, u.list...)
		eventually(t, "all WRITEs", func() bool { return u.inPlace() == allInPlace })
	})
}

// TestLateWritesAreDrained: in SQD they have come when nothing drains any more.
func TestLateWritesAreDrained(t *testing.T) {
	eachBurst(t, 5, func(t *testing.T, u *burst) {
		u.a.mustPost(t, u.list...)
		u.a.to(t, verbs.QPSQD, u.b)
		eventually(t, "the end of draining", func() bool {
			a, _, err := u.a.qp.Query(0)
			noError(t, err)
			return !a.SQDraining
		})
		u.want(t, "the QP has drained")
		noError(t, u.a.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	})
}

// TestLateWritesAreFlushed: with a request that fails those before it have come, and those
// behind it complete with WR_FLUSH_ERR.
func TestLateWritesAreFlushed(t *testing.T) {
	for _, device := range overtaking {
		for seed := range lateRounds / 5 {
			u := newBurst(t, device)
			u.next()
			list := slices.Clone(u.list)
			for i := range list {
				list[i].id, list[i].flags = uint64(i), verbs.SendSignaled
			}
			bad := seed % lateWrites
			list[bad].rkey++
			u.a.mustPost(t, list[:bad+1]...)
			for i := range bad {
				pollOne(t, u.a.sendCQ, uint64(i), verbs.WCSuccess)
			}
			pollOne(t, u.a.sendCQ, uint64(bad), verbs.WCRemAccessErr)
			if mask := u.inPlace(); mask != 1<<bad-1 {
				t.Errorf("WRITE %d of %d fails, and in place are %#b", bad, lateWrites, mask)
			}
		}
	}
}

// TestSameSeedSameWritesAreLate: which WRITEs are late follows from the seed. A test that
// loses its CPU for long finds late ones in place, and tries again.
func TestSameSeedSameWritesAreLate(t *testing.T) {
	late := func(seed string) (masks []uint64) {
		u := newBurst(t, "shm_unordered:seed="+seed)
		for range 20 {
			u.next()
			u.a.mustPost(t, u.list...)
			masks = append(masks, u.inPlace())
			u.a.mustPost(t, send{op: verbs.OpRDMAWrite, flags: verbs.SendSignaled}.toward(u.b, 0))
			noError(t, spinFor(u.a.sendCQ))
		}
		return masks
	}
	first := late("7")
	for end := time.Now().Add(deadline); !slices.Equal(first, late("7")); first = late("7") {
		if time.Now().After(end) {
			t.Fatalf("with seed 7 %#b, and never the same twice", first)
		}
	}
	if slices.Equal(first, late("8")) {
		t.Errorf("with seeds 7 and 8 the same: %#b", first)
	}
	if !slices.ContainsFunc(first, func(mask uint64) bool { return mask != allInPlace }) {
		t.Error("no WRITE was late")
	}
}
