package harness

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// The memory that perftest has for a QP, and the distance of its messages in it.
const (
	perftestCycle = 4096
	perftestLine  = 64
)

// perftestDouble does on the RDMA side what perftest's programs do, and is strict: it waits for as many messages as
// its plan has, and looks at the bytes that perftest looks at. A handshake is a meeting with the oob.Peer of the
// other side.
type perftestDouble struct {
	plan      option.Plan
	server    bool
	hs        chan []oob.Endpoint // of the double
	theirs    chan []oob.Endpoint
	quit      chan struct{} // the other side has ended
	report    *result.Round // of messages that it has sent in a bandwidth test
	current   int           // size
	completed uint64        // messages of a stream

	ctx            verbs.Context
	pd             verbs.PD
	sendCQ, recvCQ verbs.CQ
	qps            []verbs.QP
	mr             verbs.MR
	buffer         *verbs.Buffer
	peers          []oob.Endpoint
	ah             verbs.AH
	wr             []verbs.SendWR
	rr             []verbs.RecvWR
	sge            []verbs.SGE
	wcs            []verbs.WC
	area           int // bytes of a QP in one half of the buffer
}

var errQuit = errors.New("the other side has ended")

// meet exchanges a handshake.
func (d *perftestDouble) meet(mine []oob.Endpoint) ([]oob.Endpoint, error) {
	for got := []oob.Endpoint(nil); ; {
		select {
		case d.hs <- mine:
			return <-d.theirs, nil
		case <-d.quit:
			return got, errQuit
		}
	}
}

func (d *perftestDouble) latency() bool { return d.plan.Kind == option.KindLatency }
func (d *perftestDouble) sends() bool   { return d.plan.Op == option.OpSend }

// perSize reports whether each size begins with a handshake.
func (d *perftestDouble) perSize() bool { return d.sends() || d.plan.Both }

// run is the whole run of the program.
func (d *perftestDouble) run(device string) (err error) {
	dev, err := verbs.Lookup(device)
	if err != nil {
		return err
	}
	if d.ctx, err = dev.Open(); err != nil {
		return err
	}
	defer d.close()
	if err := d.create(); err != nil {
		return err
	}
	mine, err := d.endpoints()
	if err != nil {
		return err
	}
	if d.peers, err = d.meet(mine); err != nil {
		return err
	}
	if err := d.connect(mine); err != nil {
		return err
	}
	if _, err := d.meet(mine); err != nil {
		return err
	}
	for n, size := range d.plan.Sizes {
		if err := d.measure(mine, n, size); err != nil {
			return fmt.Errorf("%d bytes: %w", size, err)
		}
	}
	if d.plan.Test == (option.Test{Op: option.OpWrite, Kind: option.KindLatency}) {
		return d.checkUntouched()
	}
	if !d.latency() && !d.sends() && !d.plan.Both {
		if _, err := d.meet(mine); err != nil { // the client's operations are complete
			return err
		}
	}
	if _, err := d.meet(mine); err != nil {
		return err
	}
	return d.checkUntouched()
}

func (d *perftestDouble) measure(mine []oob.Endpoint, n, size int) error {
	posted, err := d.postFirstReceives(size)
	if err != nil {
		return err
	}
	if n == 0 || d.perSize() {
		if _, err := d.meet(mine); err != nil {
			return err
		}
	}
	began := time.Now()
	switch {
	case d.latency() && d.plan.Op == option.OpWrite:
		err = d.writeLat(size)
	case d.latency() && d.sends():
		err = d.sendLat(size, posted)
	case d.latency() && d.server:
	case d.latency():
		err = d.fetchLat(size)
	default:
		err = d.stream(size, posted)
	}
	d.report = &result.Round{Messages: d.completed, Seconds: time.Since(began).Seconds()}
	d.report.Average = float64(d.completed) * float64(size) / d.report.Seconds
	d.current = size
	if err == nil && d.plan.Both {
		_, err = d.meet(mine) // the reports
	}
	return err
}

// create makes one page-aligned region: the first half has send buffers, the second receive buffers.
func (d *perftestDouble) create() (err error) {
	d.area = max(slices.Max(d.plan.Sizes)+verbs.GRHSize, perftestCycle)
	d.area = (d.area + perftestLine - 1) / perftestLine * perftestLine
	if d.buffer, err = verbs.NewBuffer(2 * d.plan.QPs * d.area); err != nil {
		return err
	}
	if d.pd, err = d.ctx.AllocPD(); err != nil {
		return err
	}
	access := verbs.AccessLocalWrite | map[option.Op]verbs.Access{option.OpWrite: verbs.AccessRemoteWrite,
		option.OpRead: verbs.AccessRemoteRead, option.OpAtomic: verbs.AccessRemoteAtomic}[d.plan.Op]
	if d.mr, err = d.pd.RegMR(d.buffer.Bytes(), access); err != nil {
		return err
	}
	depth := 1024 * d.plan.QPs
	if d.sendCQ, err = d.ctx.CreateCQ(depth, nil, 0); err != nil {
		return err
	}
	if d.recvCQ, err = d.ctx.CreateCQ(depth, nil, 0); err != nil {
		return err
	}
	kind := map[option.Transport]verbs.QPType{option.RC: verbs.QPTypeRC, option.UC: verbs.QPTypeUC, option.UD: verbs.QPTypeUD}[d.plan.Transport]
	for range d.plan.QPs {
		qp, err := d.pd.CreateQP(&verbs.QPInitAttr{SendCQ: d.sendCQ, RecvCQ: d.recvCQ, Type: kind,
			Cap: verbs.QPCap{MaxSendWR: 128, MaxRecvWR: 1000, MaxSendSGE: 1, MaxRecvSGE: 1}})
		if err != nil {
			return err
		}
		d.qps = append(d.qps, qp)
	}
	d.wr, _ = verbs.Make[verbs.SendWR](1)
	d.rr, _ = verbs.Make[verbs.RecvWR](1)
	d.sge, _ = verbs.Make[verbs.SGE](1)
	d.wcs, err = verbs.Make[verbs.WC](16)
	return err
}

func (d *perftestDouble) close() {
	if d.ah != nil {
		d.ah.Close()
	}
	for _, qp := range d.qps {
		qp.Close()
	}
	for _, c := range []interface{ Close() error }{d.mr, d.sendCQ, d.recvCQ, d.pd, d.ctx} {
		if c != nil {
			c.Close()
		}
	}
	if d.buffer != nil {
		d.buffer.Close()
	}
	verbs.Free(d.wr)
	verbs.Free(d.rr)
	verbs.Free(d.sge)
	verbs.Free(d.wcs)
}

// tx and rx return the offsets of a QP's buffers.
func (d *perftestDouble) tx(qp int) int { return qp * d.area }
func (d *perftestDouble) rx(qp int) int { return (d.plan.QPs + qp) * d.area }

func (d *perftestDouble) endpoints() (all []oob.Endpoint, err error) {
	gid, err := d.ctx.QueryGID(1, 0)
	for i, qp := range d.qps {
		e := oob.Endpoint{Endpoint: verbs.Endpoint{QPNum: qp.QPNum(), PSN: 7, GID: gid.GID, MTU: verbs.MTU1024, RdAtomic: 1},
			Addr: d.mr.Addr() + uint64(d.rx(i)), RKey: d.mr.RKey()}
		if d.plan.Fetches() {
			e.RdAtomic = 4
		}
		e.RelaxedRKey = e.RKey
		all = append(all, e)
	}
	return all, err
}

// connect takes the QPs to RTR, and to RTS if the program sends.
func (d *perftestDouble) connect(mine []oob.Endpoint) error {
	access := map[option.Op]verbs.Access{option.OpWrite: verbs.AccessRemoteWrite, option.OpRead: verbs.AccessRemoteRead,
		option.OpAtomic: verbs.AccessRemoteAtomic, option.OpSend: verbs.AccessRemoteWrite | verbs.AccessLocalWrite}[d.plan.Op]
	for i, qp := range d.qps {
		me, peer := &mine[i], &d.peers[i]
		to := verbs.Path{Port: 1}.To(peer.Endpoint)
		initial := verbs.MaskState | verbs.MaskPort | verbs.MaskPKeyIndex | verbs.MaskAccessFlags
		ready := verbs.MaskState | verbs.MaskAV | verbs.MaskPathMTU | verbs.MaskDestQPN | verbs.MaskRQPSN
		sends := verbs.MaskState | verbs.MaskSQPSN
		switch d.plan.Transport {
		case option.RC:
			ready |= verbs.MaskMaxDestRdAtomic | verbs.MaskMinRNRTimer
			sends |= verbs.MaskTimeout | verbs.MaskRetryCnt | verbs.MaskRNRRetry | verbs.MaskMaxRdAtomic
		case option.UD:
			initial, ready = initial&^verbs.MaskAccessFlags|verbs.MaskQKey, verbs.MaskState
			if d.ah == nil {
				ah, err := d.pd.CreateAH(&to)
				if err != nil {
					return err
				}
				d.ah = ah
			}
		}
		err := errors.Join(
			qp.Modify(&verbs.QPAttr{State: verbs.QPInit, PortNum: 1, AccessFlags: access, QKey: 0x11111111}, initial),
			qp.Modify(&verbs.QPAttr{State: verbs.QPRTR, PathMTU: verbs.MTU1024, DestQPNum: peer.QPNum, RQPSN: peer.PSN,
				MaxDestRdAtomic: me.RdAtomic, MinRNRTimer: 12, AH: to}, ready))
		if err == nil && (!d.server || d.latency() || d.plan.Both) {
			err = qp.Modify(&verbs.QPAttr{State: verbs.QPRTS, SQPSN: me.PSN, Timeout: 14, RetryCnt: 7, RNRRetry: 7, MaxRdAtomic: peer.RdAtomic}, sends)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// post posts message k of a QP, signaled.
func (d *perftestDouble) post(qp int, k uint64, size int) error {
	at, peer := uint64(0), &d.peers[qp]
	if step := max(perftestLine, (size+perftestLine-1)/perftestLine*perftestLine); !d.latency() && size <= perftestCycle/2 {
		at = k % uint64(perftestCycle/step) * uint64(step)
	}
	d.sge[0] = verbs.SGE{Addr: d.mr.Addr() + uint64(d.tx(qp)), Length: uint32(size), LKey: d.mr.LKey()}
	wr := &d.wr[0]
	*wr = verbs.SendWR{WRID: uint64(qp), SGList: &d.sge[0], NumSGE: 1, SendFlags: verbs.SendSignaled}
	switch wr.Opcode = map[option.Op]verbs.Opcode{option.OpWrite: verbs.OpRDMAWrite, option.OpRead: verbs.OpRDMARead,
		option.OpSend: verbs.OpSend, option.OpAtomic: verbs.OpAtomicFetchAndAdd}[d.plan.Op]; {
	case d.ah != nil:
		wr.SetUD(d.ah, peer.QPNum, 0x11111111)
	case d.plan.Atomic():
		wr.SetAtomic(peer.Addr+at, peer.RKey, 1, 0)
	case !d.sends():
		wr.SetRDMA(peer.Addr+at, peer.RKey)
	}
	_, err := d.qps[qp].PostSend(wr)
	return err
}

// poll polls a CQ and returns its completions.
func (d *perftestDouble) poll(cq verbs.CQ) ([]verbs.WC, error) {
	n, err := cq.Poll(d.wcs)
	for _, wc := range d.wcs[:max(n, 0)] {
		if wc.Status != verbs.WCSuccess {
			return nil, &verbs.StatusError{Object: "double", Status: wc.Status}
		}
	}
	if n == 0 {
		runtime.Gosched()
	}
	return d.wcs[:max(n, 0)], err
}

// spin polls until done returns true, its time is over, or the other side has ended. Without a duration the double
// waits without a limit.
func (d *perftestDouble) spin(until time.Time, done func() (bool, error)) (over bool, err error) {
	for {
		if ok, err := done(); ok || err != nil {
			return false, err
		}
		if !until.IsZero() && time.Now().After(until) {
			return true, nil
		}
		select {
		case <-d.quit:
			return false, errQuit
		default:
		}
		runtime.Gosched()
	}
}

// ends returns when a timed loop that begins now ends.
func (d *perftestDouble) ends() time.Time {
	if d.plan.Duration == 0 {
		return time.Time{}
	}
	return time.Now().Add(d.plan.Duration)
}

// checkUntouched checks that no message has arrived that was not counted, and that nothing was written behind the
// longest message.
func (d *perftestDouble) checkUntouched() error {
	if wcs, err := d.poll(d.recvCQ); err != nil || len(wcs) > 0 && d.plan.Duration == 0 {
		return fmt.Errorf("%d messages too many, %v", len(wcs), err)
	}
	if d.plan.Op != option.OpWrite {
		return nil
	}
	for i := range d.qps {
		for at, b := range d.buffer.Bytes()[d.rx(i)+slices.Max(d.plan.Sizes) : d.rx(i)+d.area] {
			if b != 0 {
				return fmt.Errorf("QP %d: a byte %d behind the address of messages was written", i, slices.Max(d.plan.Sizes)+at)
			}
		}
	}
	return nil
}
