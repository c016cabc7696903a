package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
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
	e.refused("dealloc_pd with QP and region", s.pd.Close(), syscall.EBUSY)
	e.close(s.qp)
	e.refused("dealloc_pd with a region", s.pd.Close(), syscall.EBUSY)
	e.close(s.mr)
	mr, err := s.pd.RegMR(s.mem, allRights)
	e.ok(err)
	e.ok(mr.Close())
	s.newQP()
	e.refused("dealloc_pd with a QP", s.pd.Close(), syscall.EBUSY)
	e.close(s.qp)
	e.close(s.pd)
}

// tryRegister registers the memory and deregisters it.
func (s *side) tryRegister(mem []byte, access verbs.Access) error {
	mr, err := s.pd.RegMR(mem, access)
	if err != nil {
		return err
	}
	return mr.Close()
}

func rightsTogether(e *env) {
	s := e.side(conf())
	for _, access := range []verbs.Access{verbs.AccessRemoteWrite, verbs.AccessRemoteAtomic} {
		e.refused("reg_mr "+access.String(), s.tryRegister(s.mem, access), syscall.EINVAL)
	}
	for _, access := range []verbs.Access{0, verbs.AccessRemoteRead, verbs.AccessLocalWrite} {
		e.ok(s.tryRegister(s.mem, access))
	}
}

func accessBits(e *env) {
	s := e.side(conf())
	for _, access := range []verbs.Access{0x8000, 1 << 30} {
		e.refused("reg_mr "+access.String(), s.tryRegister(s.mem, access|allRights), syscall.EINVAL)
	}
	for _, access := range []verbs.Access{verbs.AccessRelaxedOrdering, 1 << 25} {
		e.ok(s.tryRegister(s.mem, access|allRights))
	}
}

func noMemory(e *env) {
	s := e.side(conf())
	e.refused("reg_mr of 0 bytes", s.tryRegister(s.mem[:0], allRights), syscall.EINVAL)
	gone, err := verbs.NewBuffer(1 << 20)
	e.ok(err)
	mem := gone.Bytes()
	e.ok(gone.Close())
	e.refused("reg_mr of memory that is not mapped", s.tryRegister(mem, allRights), syscall.EFAULT)
}

func regionAttributes(e *env) {
	s := e.side(conf())
	x, y := e.register(s.pd, s.mem[100:164], 0), e.register(s.pd, s.mem[100:164], 0)
	for _, mr := range []verbs.MR{x, y} {
		if mr.Addr() != s.buf.Addr()+100 || mr.Len() != 64 || mr.LKey() == 0 {
			e.Errorf("addr %#x, length %d, lkey %#x", mr.Addr(), mr.Len(), mr.LKey())
		}
	}
	if x.LKey() == y.LKey() {
		e.Errorf("two regions have the lkey %#x", x.LKey())
	}
	a, b := e.pair(conf())
	for i, mr := range []verbs.MR{e.register(a.pd, a.mem, 0), e.register(a.pd, a.mem, 0)} {
		a.post(send{id: uint64(i), flags: signaled, sges: []verbs.SGE{sgeOf(mr, 0, 8)}}.toward(b, 0))
		a.sendCQ.gives(uint64(i), verbs.WCSuccess)
	}
	last := e.register(s.pd, s.mem[len(s.mem)-1:], 0)
	if last.Len() != 1 {
		e.Errorf("length %d of a region of one byte", last.Len())
	}
}

func rkeyWorks(e *env) {
	a, b := e.pair(conf())
	for op, access := range map[verbs.Opcode]verbs.Access{
		opWrite: verbs.AccessLocalWrite | verbs.AccessRemoteWrite, opRead: verbs.AccessRemoteRead,
	} {
		_, mr := b.region(64, access)
		a.post(send{id: 1, op: op, flags: signaled, sges: []verbs.SGE{a.sge(0, 64)}}.into(mr, 0))
		a.sendCQ.gives(1, verbs.WCSuccess)
	}
}

func localRead(e *env) {
	a, b := e.pair(conf())
	mem, mr := a.region(64, 0)
	fill(mem, 3)
	b.recv(recv{id: 1, sges: []verbs.SGE{b.sge(0, 64)}})
	a.post(send{op: opSend, sges: []verbs.SGE{sgeOf(mr, 0, 64)}})
	b.recvCQ.gives(1, verbs.WCSuccess)
	e.holds(b.mem[:64], string(mem))
}

func deregisterPosted(e *env) {
	a, b := e.pair(conf())
	_, mr := b.region(64, allRights)
	b.recv(recv{id: 1, sges: []verbs.SGE{sgeOf(mr, 0, 64)}})
	e.close(mr)
	a.post(send{id: 2, op: opSend, sges: []verbs.SGE{a.sge(0, 8)}})
	a.sendCQ.gives(2, verbs.WCRemOpErr)
	agree(e, "Q05", "the receive", b.recvCQ.of(1).Status, verbs.WCLocProtErr, verbs.WCLocQPOpErr)
}
