package verbstest

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var devStatements = []statement{
	{"DEV-1", "the device is found by its name, and no listed name is there twice", devicesAreNamed},
	{"DEV-3", "a context outlives the list of devices, and so do the devices", contextOutlivesList},
	{"DEV-4", "name and node GUID are set and stay the same", nameAndGUID},
	{"DEV-5", "contexts of one device are independent of each other", independentContexts},
	{"DEV-6", "a context closes while a domain made from it is left", closeWithDomainLeft},
	{"DEV-7", "there is a completion vector", completionVectors},
	{"DEV-9", "query_device succeeds, and gives the same when asked again", queryDeviceTwice},
	{"DEV-12", "the general ODP capabilities are known ones", generalODP},
	{"DEV-13", "without ODP no transport has an ODP capability", noODP},
	{"DEV-14", "no transport has an ODP capability for what it cannot do", odpOfTransports},
	{"DEV-15", "ON_DEMAND is refused without ODP, and works with it", onDemand},
	{"DEV-16", "a software device with ODP has it for all of UD and RC, and not for UC", softwareODP},
	{"DEV-17", "one more than a maximum is refused; the maximum itself may be too much", maxima},
	{"DEV-18", "attributes that no device can have as zero are not", sanityFloor},
	{"DEV-20", "atomic operations are atomic within the device's atomic_cap: with the CPU too if it is GLOB", atomicWithCPU},
	{"DEV-21", "what the capability flags do not name cannot be done: XRC, and changing the size of a QP's queues or of an SRQ", capabilityFlags},
	{"DEV-23", "READs can be outstanding at both sides", readDepth},
}

func devicesAreNamed(e *env) {
	all, err := verbs.Devices()
	e.ok(err)
	seen := map[string]bool{}
	for _, d := range all {
		if d.Name() == "" || seen[d.Name()] {
			e.Errorf("the name %q is empty or listed twice", d.Name())
		}
		seen[d.Name()] = true
	}
	found, err := verbs.Lookup(e.target.Device.Name())
	e.ok(err)
	e.prints(found)
	e.prints(e.target.Device)
	if found.Name() != e.target.Device.Name() || found.Backend() != e.target.Device.Backend() {
		e.Errorf("found %s of %s", found.Name(), found.Backend())
	}
}

func contextOutlivesList(e *env) {
	list, err := verbs.Devices()
	e.ok(err)
	ctx := e.open()
	for range 3 {
		again, err := verbs.Devices()
		e.ok(err)
		if len(again) != len(list) {
			e.Errorf("%d devices, then %d", len(list), len(again))
		}
	}
	runtime.GC() // frees unreachable objects
	e.pd(ctx)
	for _, d := range list {
		if d.Name() == e.target.Device.Name() {
			ctx, err := d.Open()
			own(e, ctx, err)
		}
	}
}

func nameAndGUID(e *env) {
	name := e.target.Device.Name()
	a, b := e.open(), e.open()
	for _, ctx := range []verbs.Context{a, b} {
		if ctx.Device().Name() != name || name == "" || e.device(ctx).NodeGUID == 0 {
			e.Errorf("name %q, node GUID %#x, want name %q", ctx.Device().Name(), e.device(ctx).NodeGUID, name)
		}
	}
	if x, y := e.device(a).NodeGUID, e.device(a).NodeGUID; x != y {
		e.Errorf("node GUID %#x, then %#x", x, y)
	}
}

func independentContexts(e *env) {
	a, b := e.pair(conf())
	third := e.side(conf())
	e.close(third.QP)
	e.close(third.MR)
	e.close(third.PD)
	e.close(third.SendCQ.CQ)
	e.close(third.RecvCQ.CQ)
	e.close(third.Ctx)
	a.writesTo(b)
	b.writesTo(a)
}

// writesTo checks that the connection works.
func (s *side) writesTo(peer *side) {
	s.Helper()
	fixture.Fill(s.Mem[:8], 77)
	s.Post(send{ID: 77, Flags: signaled, SGEs: []verbs.SGE{s.SGE(0, 8)}}.Toward(peer, 8))
	s.SendCQ.Expect(77, verbs.WCSuccess)
	s.holds(peer.Mem[8:16], string(s.Mem[:8]))
}

func closeWithDomainLeft(e *env) {
	ctx := e.open()
	_, err := ctx.AllocPD()
	e.ok(err)
	done := make(chan error, 1)
	go func() { done <- ctx.Close() }()
	e.closed[ctx] = true
	select {
	case err := <-done:
		e.ok(err)
	case <-time.After(fixture.WaitTimeout):
		e.Fatal("the context does not close")
	}
}

func completionVectors(e *env) {
	if n := e.device(e.open()).NumCompVectors; n < 1 {
		e.Errorf("%d completion vectors", n)
	}
}

func queryDeviceTwice(e *env) {
	ctx := e.open()
	if x, y := e.device(ctx), e.device(ctx); x != y {
		e.Errorf("%+v, then %+v", x, y)
	}
}

// The bits of verbs.ODPTransport.
const (
	odpWrite = 1 << iota << 2
	odpRead
	odpAtomic
	odpKnown = 1<<8 - 1
)

func generalODP(e *env) {
	if caps := e.device(e.open()).ODP.General; caps&^3 != 0 {
		e.Errorf("general ODP capabilities %#x", caps)
	}
}

func noODP(e *env) {
	odp := e.device(e.open()).ODP
	if odp.Supported() {
		e.Skip("the device has ODP")
	}
	if odp.RC|odp.UC|odp.UD|odp.XRC != 0 {
		e.Errorf("%+v", odp)
	}
}

func odpOfTransports(e *env) {
	odp := e.device(e.open()).ODP
	if (odp.RC|odp.UC|odp.UD|odp.XRC)&^odpKnown != 0 {
		e.Errorf("unknown bits: %+v", odp)
	}
	if odp.UD&(odpWrite|odpRead|odpAtomic) != 0 || odp.UC&(odpRead|odpAtomic) != 0 {
		e.Errorf("UD %s, UC %s", odp.UD, odp.UC)
	}
}

func softwareODP(e *env) {
	odp := e.device(e.open()).ODP
	if e.target.Device.Software() == "" {
		e.Skip("hardware has ODP for what it can")
	}
	if !odp.Supported() {
		e.Skip("the device has no ODP")
	}
	// SEND, RECV and SRQ_RECV; and with WRITE, READ and ATOMIC. rxe has FLUSH and ATOMIC_WRITE too, since 6.16.
	const ud, rc = 0x23, 0x3f
	if odp.General&1 == 0 || odp.UD&rc != ud || odp.RC&rc != rc || odp.UC&rc != 0 {
		e.Errorf("%+v", odp)
	}
}

func onDemand(e *env) {
	a, b := e.pair(conf())
	mr, err := b.PD.RegMR(b.Mem, allRights|verbs.AccessOnDemand)
	odp := e.device(b.Ctx).ODP
	if !odp.Supported() {
		e.refused("reg_mr with ON_DEMAND", err, syscall.EINVAL, verbs.ErrNotSupported)
		return
	}
	own(e, mr, err)
	// With the quirk, bytes are at the beginning of the page where they should be within it.
	pageOf := func(at int) int {
		addr := int(b.SGE(at, 1).Addr)
		return at - addr%os.Getpagesize()
	}
	fixture.Fill(a.Mem[:100], 1)
	if odp.RC&odpWrite != 0 {
		a.Post(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 100)}}.Into(mr, 5000))
		a.SendCQ.Expect(1, verbs.WCSuccess)
		checkValue(e, "Q40", "where a WRITE to 5000 has stored", bytes.Index(b.Mem, a.Mem[:100]), 5000, pageOf(5000))
	}
	if odp.RC&odpRead != 0 {
		fixture.Fill(b.Mem[9000:9100], 2)
		fixture.Fill(b.Mem[pageOf(9000):][:100], 3)
		a.Post(send{ID: 2, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(200, 100)}}.Into(mr, 9000))
		a.SendCQ.Expect(2, verbs.WCSuccess)
		checkValue(e, "Q40", "where a READ of 9000 has loaded", bytes.Index(b.Mem, a.Mem[200:300]), 9000, pageOf(9000))
	}
}

func maxima(e *env) {
	s := e.side(conf())
	d := e.device(s.Ctx)
	for _, cap := range []verbs.QPCap{
		{MaxSendWR: d.MaxQPWR + 1, MaxSendSGE: 1}, {MaxRecvWR: d.MaxQPWR + 1, MaxRecvSGE: 1},
		{MaxSendWR: 1, MaxSendSGE: d.MaxSGE + 1}, {MaxRecvWR: 1, MaxRecvSGE: d.MaxSGE + 1},
	} {
		e.refused("create_qp above a maximum", s.tryQP(cap), syscall.EINVAL)
	}
	_, err := s.Ctx.CreateCQ(d.MaxCQE+1, nil, 0)
	e.refused("create_cq above the maximum", err, syscall.EINVAL)
	for _, cap := range []verbs.QPCap{{MaxSendWR: 1, MaxSendSGE: 1}, {MaxRecvWR: 1, MaxRecvSGE: 1}} {
		e.ok(s.tryQP(cap))
	}
	for _, cap := range []verbs.QPCap{
		{MaxSendWR: d.MaxQPWR, MaxSendSGE: 1}, {MaxRecvWR: d.MaxQPWR, MaxRecvSGE: 1},
		{MaxSendWR: 1, MaxSendSGE: d.MaxSGE}, {MaxRecvWR: 1, MaxRecvSGE: d.MaxSGE},
	} {
		if err := s.tryQP(cap); err != nil && !errors.Is(err, syscall.ENOMEM) {
			e.Errorf("create_qp at a maximum, %+v: %v", cap, err)
		}
	}
	if cq, err := s.Ctx.CreateCQ(d.MaxCQE, nil, 0); err == nil {
		e.ok(cq.Close())
	} else {
		e.refused("create_cq at the maximum", err, syscall.ENOMEM)
	}
}

// tryQP makes a QP and destroys it.
func (s *side) tryQP(cap verbs.QPCap) error {
	init := verbs.QPInitAttr{SendCQ: s.SendCQ.CQ, RecvCQ: s.RecvCQ.CQ, Cap: cap, Type: verbs.QPTypeRC}
	qp, err := s.PD.CreateQP(&init)
	if err != nil {
		return err
	}
	return qp.Close()
}

func sanityFloor(e *env) {
	d := e.device(e.open())
	for what, v := range map[string]uint64{
		"node_guid": d.NodeGUID, "sys_image_guid": d.SysImageGUID, "vendor_id": uint64(d.VendorID),
		"max_qp": uint64(d.MaxQP), "max_qp_wr": uint64(d.MaxQPWR), "max_sge": uint64(d.MaxSGE),
		"max_cq": uint64(d.MaxCQ), "max_cqe": uint64(d.MaxCQE), "max_mr": uint64(d.MaxMR),
		"max_pd": uint64(d.MaxPD), "max_pkeys": uint64(d.MaxPKeys), "phys_port_cnt": uint64(d.PhysPortCount),
	} {
		if v == 0 {
			e.Errorf("%s is 0", what)
		}
	}
	if d.MaxMRSize <= 4096 || d.PageSizeCap < 4096 {
		e.Errorf("max_mr_size %d, page_size_cap %#x", d.MaxMRSize, d.PageSizeCap)
	}
}

func readDepth(e *env) {
	d := e.device(e.open())
	if d.MaxQPRdAtomic < 1 || d.MaxQPInitRdAtom < 1 {
		e.Errorf("max_qp_rd_atom %d, max_qp_init_rd_atom %d", d.MaxQPRdAtomic, d.MaxQPInitRdAtom)
	}
}

func capabilityFlags(e *env) {
	const resizeMaxWR = 1 << 0
	a, _ := e.pair(conf())
	flags := e.device(a.Ctx).DeviceCapFlags
	domain, err := a.Ctx.OpenXRCD(-1, unix.O_CREAT)
	if flags&verbs.DeviceCapXRC != 0 {
		own(e, domain, err)
	} else {
		e.refused("open_xrcd", err, verbs.ErrNotSupported)
	}
	if flags&resizeMaxWR == 0 {
		err := a.QP.Modify(&verbs.QPAttr{Cap: verbs.QPCap{MaxSendWR: 2 * depth, MaxRecvWR: depth, MaxSendSGE: 1, MaxRecvSGE: 1}}, verbs.MaskCap)
		checkValue(e, "Q36", "modify_qp with CAP refused", err != nil, true, false)
		if err != nil {
			e.refused("modify_qp with CAP", err, syscall.EINVAL, verbs.ErrNotSupported)
		}
	}
	srq, err := a.PD.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: depth, MaxSGE: 1}})
	if errors.Is(err, verbs.ErrNotSupported) {
		return
	}
	own(e, srq, err)
	if err := srq.Modify(verbs.SRQAttr{MaxWR: 2 * depth}, verbs.SRQMaxWR); flags&verbs.DeviceCapSRQResize != 0 {
		e.ok(err)
	} else if err == nil {
		e.Error("an SRQ was resized without IBV_DEVICE_SRQ_RESIZE")
	}
}
