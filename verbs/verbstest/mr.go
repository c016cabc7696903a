package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var mrStatements = []statement{
	{"MR-1", "a domain with a region or a QP is busy, and usable", busyDomain},
	{"MR-2", "remote writing needs local writing; remote reading needs nothing", rightsTogether},
	{"MR-3", "unknown access bits are refused, optional ones are not", accessBits},
	{"MR-4", "a region has a length, and memory", noMemory},
	{"MR-6", "a region is what was asked for, and has keys of its own", regionAttributes},
	{"MR-7", "the rkey works for the rights asked for", rkeyWorks},
	{"MR-8", "local reading is always allowed", localRead},
	{"MR-9", "local writing needs LOCAL_WRITE", localWrite},
	{"MR-10", "the bounds of a region are exact to the byte", bounds},
	{"MR-11", "a WRITE that does not fit places nothing", nothingPlaced},
	{"MR-12", "each remote right is for its operation alone", rightOfOperation},
	{"MR-13", "a region without remote rights cannot be reached by its lkey", lkeyAsRKey},
	{"MR-14", "a key of another domain is not valid", foreignKeys},
	{"MR-15", "the rkey of a deregistered region is dead", deadKey},
	{"MR-16", "a region can have addresses of its own; those of its memory do not reach it", namedRegion},
	{"MR-17", "such addresses are as far into a page as the memory is; they may begin at 0", offsetInPage},
	{"MR-18", "a zero-based region is addressed from 0", zeroBased},
	{"MR-24", "keys and QP numbers work between processes, through a connection", twoProcesses},
}

func busyDomain(e *env) {
	s := e.side(conf())
	e.refused("dealloc_pd with QP and region", s.PD.Close(), syscall.EBUSY)
	e.close(s.QP)
	e.refused("dealloc_pd with a region", s.PD.Close(), syscall.EBUSY)
	e.close(s.MR)
	mr, err := s.PD.RegMR(s.Mem, allRights)
	e.ok(err)
	e.ok(mr.Close())
	s.NewQP()
	e.refused("dealloc_pd with a QP", s.PD.Close(), syscall.EBUSY)
	e.close(s.QP)
	e.close(s.PD)
}

// tryRegister registers the memory and deregisters it.
func (s *side) tryRegister(mem []byte, access verbs.Access) error {
	mr, err := s.PD.RegMR(mem, access)
	if err != nil {
		return err
	}
	return mr.Close()
}

func rightsTogether(e *env) {
	s := e.side(conf())
	for _, access := range []verbs.Access{verbs.AccessRemoteWrite, verbs.AccessRemoteAtomic} {
		e.refused("reg_mr "+access.String(), s.tryRegister(s.Mem, access), syscall.EINVAL)
	}
	for _, access := range []verbs.Access{0, verbs.AccessRemoteRead, verbs.AccessLocalWrite} {
		e.ok(s.tryRegister(s.Mem, access))
	}
}

func accessBits(e *env) {
	s := e.side(conf())
	for _, access := range []verbs.Access{0x8000, 1 << 30} {
		e.refused("reg_mr "+access.String(), s.tryRegister(s.Mem, access|allRights), syscall.EINVAL)
	}
	for _, access := range []verbs.Access{verbs.AccessRelaxedOrdering, 1 << 25} {
		e.ok(s.tryRegister(s.Mem, access|allRights))
	}
}

func noMemory(e *env) {
	s := e.side(conf())
	e.refused("reg_mr of 0 bytes", s.tryRegister(s.Mem[:0], allRights), syscall.EINVAL)
	gone, err := verbs.NewBuffer(1 << 20)
	e.ok(err)
	mem := gone.Bytes()
	e.ok(gone.Close())
	e.refused("reg_mr of memory that is not mapped", s.tryRegister(mem, allRights), syscall.EFAULT)
}

func regionAttributes(e *env) {
	s := e.side(conf())
	x, y := e.register(s.PD, s.Mem[100:164], 0), e.register(s.PD, s.Mem[100:164], 0)
	for _, mr := range []verbs.MR{x, y} {
		if mr.Addr() != s.Buffer.Addr()+100 || mr.Len() != 64 || mr.LKey() == 0 {
			e.Errorf("addr %#x, length %d, lkey %#x", mr.Addr(), mr.Len(), mr.LKey())
		}
	}
	if x.LKey() == y.LKey() {
		e.Errorf("two regions have the lkey %#x", x.LKey())
	}
	a, b := e.pair(conf())
	for i, mr := range []verbs.MR{e.register(a.PD, a.Mem, 0), e.register(a.PD, a.Mem, 0)} {
		a.Post(send{ID: uint64(i), Flags: signaled, SGEs: []verbs.SGE{fixture.SGEOf(mr, 0, 8)}}.Toward(b, 0))
		a.SendCQ.Expect(uint64(i), verbs.WCSuccess)
	}
	last := e.register(s.PD, s.Mem[len(s.Mem)-1:], 0)
	if last.Len() != 1 {
		e.Errorf("length %d of a region of one byte", last.Len())
	}
}

func rkeyWorks(e *env) {
	a, b := e.pair(conf())
	for op, access := range map[verbs.Opcode]verbs.Access{
		opWrite: verbs.AccessLocalWrite | verbs.AccessRemoteWrite, opRead: verbs.AccessRemoteRead,
	} {
		_, mr := b.Region(64, access)
		a.Post(send{ID: 1, Op: op, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 64)}}.Into(mr, 0))
		a.SendCQ.Expect(1, verbs.WCSuccess)
	}
}

func localRead(e *env) {
	a, b := e.pair(conf())
	mem, mr := a.Region(64, 0)
	fixture.Fill(mem, 3)
	b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{b.SGE(0, 64)}})
	a.Post(send{Op: opSend, SGEs: []verbs.SGE{fixture.SGEOf(mr, 0, 64)}})
	b.RecvCQ.Expect(1, verbs.WCSuccess)
	e.holds(b.Mem[:64], string(mem))
}

func deregisterPosted(e *env) {
	a, b := e.pair(conf())
	_, mr := b.Region(64, allRights)
	b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{fixture.SGEOf(mr, 0, 64)}})
	e.close(mr)
	a.Post(send{ID: 2, Op: opSend, SGEs: []verbs.SGE{a.SGE(0, 8)}})
	a.SendCQ.Expect(2, verbs.WCRemOpErr)
	checkValue(e, "Q05", "the receive", b.RecvCQ.WaitFor(1).Status, verbs.WCLocProtErr, verbs.WCLocQPOpErr)
}
