package shm

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/memfd"
)

// ah is an address handle. It keeps the connection to the context that it leads to.
type ah struct {
	pd      *pd
	handle  uint64
	route   verbs.GlobalRoute
	peerCtx *peerContext // nil: a multicast group
}

func (p *pd) CreateAH(attr *verbs.AHAttr) (verbs.AH, error) {
	c := p.ctx
	switch {
	case p.isClosed():
		return nil, c.err("create_ah", ebadf, closedText)
	case !attr.IsGlobal:
		return nil, c.err("create_ah", einval, "is_global 0: the port requires a GRH")
	case attr.PortNum != 1 || attr.GRH.SGIDIndex != 0:
		return nil, c.err("create_ah", einval, fmt.Sprintf("port %d has no GID at sgid_index %d", attr.PortNum, attr.GRH.SGIDIndex))
	}
	a := &ah{pd: p, route: attr.GRH}
	var err error
	switch to := attr.GRH.DGID; {
	case isMulticast(to):
		_, err = contexts() // a context that cannot list the others cannot send to them
	case to != gidOf(idOf(to)):
		err = errors.New("the GID does not belong to an embedded device")
	default:
		a.peerCtx, err = c.peerContextOf(idOf(to))
	}
	if err != nil {
		return nil, c.err("create_ah", etimedout, unreachable(attr.GRH.DGID, err))
	}
	if !c.ahs.insert(a, func(num uint32) { a.handle = uint64(num) }) {
		c.release(a.peerCtx)
		return nil, c.err("create_ah", enomem, "all address handles are in use")
	}
	p.addUsers(1)
	return a, nil
}

// unreachable returns the error detail for a GID that cannot be reached: the cause and what to do.
func unreachable(g verbs.GID, err error) string {
	why := "peers must be processes of one user on one host"
	switch {
	case errors.Is(err, unix.ECONNREFUSED):
		why = "its process has ended, runs on another host, or is in another network namespace, as containers are that do not share one"
	case isTransient(err):
		return fmt.Sprintf("cannot open the memory of the embedded device at GID %s: %v%s", g, err, memfd.Cure(err))
	case errors.Is(err, errNoProc):
		return fmt.Sprintf("cannot open the memory of the embedded device at GID %s: %v", g, err)
	}
	return fmt.Sprintf("no embedded device answers at GID %s: %v; %s", g, err, why)
}

func (a *ah) Handle() uint64 { return a.handle }

func (a *ah) Close() error {
	if c := a.pd.ctx; c.ahs.slot(uint32(a.handle)).CompareAndSwap(a, nil) {
		c.release(a.peerCtx)
		a.pd.addUsers(-1)
	}
	return nil
}

func (p *pd) CreateAHFromWC(wc *verbs.WC, grh []byte, port int) (verbs.AH, error) {
	if p.isClosed() {
		return nil, p.ctx.err("create_ah_from_wc", ebadf, closedText)
	}
	attr, err := p.ctx.InitAHFromWC(port, wc, grh)
	if err != nil {
		return nil, err
	}
	return p.CreateAH(&attr)
}

// InitAHFromWC returns the address of the sender. The GRH of the message has the sender's GID as
// its source, and this port's GID as its destination.
func (c *context) InitAHFromWC(port int, wc *verbs.WC, header []byte) (verbs.AHAttr, error) {
	refuse := func(errno syscall.Errno, why string) (verbs.AHAttr, error) {
		return verbs.AHAttr{}, c.err("init_ah_from_wc", errno, why)
	}
	a := verbs.AHAttr{DLID: wc.SLID, SL: wc.SL, SrcPathBits: wc.DLIDPathBits, PortNum: uint8(port)}
	var g grh
	copy(viewBytes(&g), header)
	switch {
	case c.isClosed():
		return refuse(ebadf, closedText)
	case port != 1:
		return refuse(einval, "the device has only port 1")
	case wc.Flags&verbs.WCGRH == 0:
		return a, nil
	case len(header) < verbs.GRHSize:
		return refuse(einval, fmt.Sprintf("the GRH has %d bytes, not %d", len(header), verbs.GRHSize))
	case !g.routed():
		return refuse(syscall.EPROTONOSUPPORT, fmt.Sprintf("the GRH is not one of RoCE v2: version %d, next_hdr %d", g.version(), g.nextHeader))
	case isMulticast(g.dgid):
		return refuse(einval, fmt.Sprintf("the message went to the group %s, which cannot be replied to", g.dgid))
	case g.dgid != gidOf(c.id):
		return refuse(enoent, fmt.Sprintf("the message went to GID %s, which is not of port 1", g.dgid))
	}
	a.IsGlobal, a.GRH = true, g.route()
	return a, nil
}
