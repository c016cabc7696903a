package harness

import (
	"encoding/binary"
	"time"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// The null device does nothing, at once: what a loop costs with it is the harness's
// own. A post is complete when it returns, and what the loop waits for is there: the
// answer to a ping, the messages of a sender that is always ahead, the credits of a
// receiver that is never behind. It is connected to itself (see alone).
type nullDevice struct {
	buf    []byte
	layout layout
	after  func(wr *verbs.SendWR) // what else a post brings about
	sends  nullCQ
	recvs  nullCQ
	armed  *nullCQ // last
	ahead  bool    // receives complete when they are posted

	// Of a bandwidth test in mode data.
	sent    uint64 // messages posted, for the credits
	slots   uint64
	total   uint64 // messages for a receiver
	arrived uint64 // of them
	taking  bool   // a receive each
	next    int    // place of the next one in the buffer
	end     int    // of the places
}

// newNullDevice returns the device of a side that runs a plan of one size and mode.
func newNullDevice(p *Plan, role Role) *nullDevice {
	d := &nullDevice{layout: newLayout(p), total: warmupFor(p, p.Sizes[0]) + p.Iterations}
	pingpong, data := p.Kind == result.KindLatency, p.Completion == ModeData
	if data {
		d.slots = uint64(slots(p, p.Sizes[0]))
	}
	d.next = d.layout.rx(0)
	d.end = d.next + int(d.slots)*verbs.BlockSize
	d.taking = data && p.Op == OpSend
	d.ahead = role == Server && !data
	switch {
	case pingpong && p.Op == OpWrite && data, p.Op == OpRead && data:
		d.after = d.move
	case pingpong && data:
		d.after = func(wr *verbs.SendWR) { d.move(wr); d.take(wr) }
	case pingpong && p.Op != OpRead:
		d.after = d.take
	case data && role == Client:
		d.after = d.credit
	case data:
		d.after = func(wr *verbs.SendWR) { d.supply(wr); d.take(wr) }
	default:
		d.after = func(*verbs.SendWR) {}
	}
	if p.Completion == ModeEvent {
		d.sends.empty, d.recvs.empty = pollsToSleep, pollsToSleep
	}
	return d
}

// move puts the last word of each message where the message would arrive: in the ring
// that it is read into, or in that of the receiver, which is this side's own.
func (d *nullDevice) move(wr *verbs.SendWR) {
	for ; wr != nil; wr = wr.Next {
		if wr.NumSGE == 0 {
			continue
		}
		from := wr.SGList.Addr + uint64(wr.SGList.Length) - 8
		to := from + uint64(d.layout.ring)
		if wr.Opcode == verbs.OpRDMARead {
			from, to = from-uint64(d.layout.ring), from
		}
		copy(d.buf[to:to+8], d.buf[from:from+8])
	}
}

// take completes the receive that a message takes.
func (d *nullDevice) take(wr *verbs.SendWR) {
	if takesReceives(wr.Opcode) {
		d.recvs.ready++
	}
}

// credit consumes what was posted.
func (d *nullDevice) credit(*verbs.SendWR) {
	w := words(d.buf[d.layout.creditsIn(0):][:16])
	w[0], w[1] = d.sent, creditCheck(d.sent)
}

// supply brings the next messages of 8 bytes for which the posted credit makes room.
func (d *nullDevice) supply(wr *verbs.SendWR) {
	if wr.NumSGE == 0 {
		return
	}
	consumed := binary.NativeEndian.Uint64(d.buf[wr.SGList.Addr:])
	d.deliver(min(consumed+d.slots, d.total))
}

func (d *nullDevice) deliver(until uint64) {
	for ; d.arrived < until; d.arrived++ {
		binary.NativeEndian.PutUint64(d.buf[d.next:], d.arrived+1)
		if d.next += verbs.BlockSize; d.next == d.end {
			d.next = d.layout.rx(0)
		}
	}
	if d.taking {
		d.recvs.ready = d.arrived
	}
}

type (
	nullContext struct {
		verbs.Context // for what is asked of device and port
		*nullDevice
	}
	nullPD struct {
		verbs.PD
		*nullDevice
	}
	nullMR struct{ verbs.MR }
	nullQP struct {
		verbs.QP
		*nullDevice
	}
	nullChannel struct {
		verbs.CompChannel
		*nullDevice
	}
)

func (c nullContext) AllocPD() (verbs.PD, error) { return nullPD{nil, c.nullDevice}, nil }
func (c nullContext) CreateCompChannel() (verbs.CompChannel, error) {
	return nullChannel{nil, c.nullDevice}, nil
}

// CreateCQ returns the queue of sends first, as rig.build asks for it first.
func (c nullContext) CreateCQ(int, verbs.CompChannel, int) (verbs.CQ, error) {
	if c.sends.device == nil {
		c.sends.device = c.nullDevice
		return &c.sends, nil
	}
	c.recvs.device = c.nullDevice
	return &c.recvs, nil
}

// RegMR names memory by its place in the buffer.
func (p nullPD) RegMR(b []byte, _ verbs.Access) (verbs.MR, error) {
	p.buf = b
	return nullMR{}, nil
}

func (p nullPD) CreateQP(*verbs.QPInitAttr) (verbs.QP, error) { return &nullQP{nil, p.nullDevice}, nil }
func (nullPD) Close() error                                   { return nil }

func (nullMR) Addr() uint64 { return 0 }
func (nullMR) LKey() uint32 { return 1 }
func (nullMR) RKey() uint32 { return 1 }
func (nullMR) Close() error { return nil }

func (*nullQP) QPNum() uint32                                { return 1 }
func (*nullQP) Modify(*verbs.QPAttr, verbs.QPAttrMask) error { return nil }
func (*nullQP) Close() error                                 { return nil }

func (*nullQP) QueryDataInOrder(verbs.Opcode, verbs.OrderFlags) (verbs.OrderCaps, error) {
	return verbs.OrderWholeMsg, nil
}

func (q *nullQP) PostSend(list *verbs.SendWR) (*verbs.SendWR, error) {
	n := uint64(0)
	for wr := list; wr != nil; wr = wr.Next {
		n++
		if wr.SendFlags&verbs.SendSignaled != 0 {
			q.sends.wrids[q.sends.ready%nullEntries] = wr.WRID
			q.sends.ready++
		}
	}
	q.sent += n
	q.after(list)
	return nil, nil
}

func (q *nullQP) PostRecv(list *verbs.RecvWR) (*verbs.RecvWR, error) {
	if !q.ahead {
		return nil, nil
	}
	for wr := list; wr != nil; wr = wr.Next {
		q.recvs.ready++
	}
	return nil, nil
}

// nullEntries bounds the completions that wait to be polled.
const nullEntries = 1 << 10

// pollsToSleep is how often a loop polls before it sleeps: to see that there is
// nothing, and once more when the queue is armed.
const pollsToSleep = 2

// nullCQ hands completions out in order. Where events are to be waited for, it is
// empty for so many polls before.
type nullCQ struct {
	verbs.CQ
	device *nullDevice
	wrids  [nullEntries]uint64 // of receives all 0, which is the lane's
	ready  uint64              // completions since the beginning
	taken  uint64              // of them
	empty  int                 // polls before each that finds completions
	vain   int                 // of them since the last that did
}

func (q *nullCQ) Poll(wc []verbs.WC) (int, error) {
	if q.ready == q.taken {
		return 0, nil
	}
	if q.vain < q.empty {
		q.vain++
		return 0, nil
	}
	q.vain = 0
	n := min(len(wc), int(q.ready-q.taken))
	for i := range n {
		wc[i].WRID, wc[i].Status = q.wrids[q.taken%nullEntries], verbs.WCSuccess
		q.taken++
	}
	return n, nil
}

func (q *nullCQ) PollSpin(wc []verbs.WC, _ int) (int, error) { return q.Poll(wc) }
func (q *nullCQ) ReqNotify(bool) error                       { q.device.armed = q; return nil }
func (*nullCQ) AckEvents(int)                                {}
func (*nullCQ) Close() error                                 { return nil }

func (c nullChannel) GetEvent(time.Duration) (verbs.CQ, error) { return c.armed, nil }
func (nullChannel) Close() error                               { return nil }
