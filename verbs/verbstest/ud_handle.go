package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

func badHandles(e *env) {
	a, b := e.side(conf().WithType(verbs.QPTypeUD)), e.side(conf().WithType(verbs.QPTypeUD))
	refused := func(what string, change func(*verbs.AHAttr), want ...syscall.Errno) {
		e.Helper()
		attr := a.AddressOf(b)
		change(&attr)
		ah, err := a.PD.CreateAH(&attr)
		if err == nil {
			e.ok(ah.Close())
		}
		e.refused(what, err, want...)
	}
	port := e.port(a.Ctx)
	if port.GRHRequired {
		refused("is_global 0", func(attr *verbs.AHAttr) { attr.IsGlobal = false }, syscall.EINVAL)
	}
	for _, n := range []uint8{0, uint8(e.device(a.Ctx).PhysPortCount) + 1} {
		refused("a port that is not there", func(attr *verbs.AHAttr) { attr.PortNum = n }, syscall.EINVAL)
	}
	if i := emptyGID(a.Ctx, e.target.Port, min(port.GIDTableLen, 256)); i >= 0 {
		refused("an empty sgid_index", func(attr *verbs.AHAttr) { attr.GRH.SGIDIndex = uint8(i) }, syscall.ENODATA)
	} else if port.GIDTableLen < 256 {
		refused("an sgid_index outside of the table", func(attr *verbs.AHAttr) { attr.GRH.SGIDIndex = uint8(port.GIDTableLen) }, syscall.EINVAL)
	}
	refused("an unused GID", func(attr *verbs.AHAttr) { attr.GRH.DGID[15] ^= 0x55 },
		syscall.ETIMEDOUT, syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.EINVAL)
}

func foreignHandle(e *env) {
	l := e.udPair()
	attr := l.a.AddressOf(l.b)
	ah, err := e.pd(l.a.Ctx).CreateAH(&attr)
	own(e, ah, err)
	l.b.room(1, 8)
	bad, err := l.a.TryPost(l.message(1, 8).ToUD(ah, l.b))
	if err != nil {
		e.refused("post_send", err, syscall.EINVAL)
		if bad != 0 {
			e.Errorf("bad_wr is request %d", bad)
		}
	} else {
		l.a.failsLocally(1, verbs.WCLocQPOpErr)
	}
	l.b.RecvCQ.StaysEmpty()
}

func handleUsesDomain(e *env) {
	a, b := e.side(conf().WithType(verbs.QPTypeUD)), e.side(conf().WithType(verbs.QPTypeUD))
	pd := e.pd(a.Ctx)
	attr := a.AddressOf(b)
	ah, err := pd.CreateAH(&attr)
	own(e, ah, err)
	e.refused("dealloc_pd", pd.Close(), syscall.EBUSY)
	second, err := pd.CreateAH(&attr)
	e.ok(err)
	e.ok(second.Close())
	e.refused("dealloc_pd", pd.Close(), syscall.EBUSY)
	e.close(ah)
	e.close(pd)
}

// handleOutlives checks only the time until the completion.
func handleOutlives(e *env) {
	l := e.udPair()
	for id := uint64(1); id <= 5; id++ {
		l.b.room(id, 8)
		ah := l.a.handle(l.b)
		l.post(l.message(id, 8).ToUD(ah, l.b))
		e.close(ah)
		l.b.RecvCQ.Expect(id, verbs.WCSuccess)
	}
}
