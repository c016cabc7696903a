package harness

import (
	"encoding/binary"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// The null device does nothing, at once: what a loop costs with it is the harness's
// own. A post is complete when it returns, and what the loop waits for is there: the
// answer to a ping, the messages of a sender that is always ahead, the credits of a
// receiver that is never behind. It is connected to itself (see alone).
type nullDevice struct {
	buf    []byte
	layout layout
	scheme scheme
	group  int // of the way that is measured
	after  func(list *verbs.SendWR)
	sends  *nullCQ // of that way
	recvs  *nullCQ
	armed  *nullCQ // last
	cqs    []*nullCQ

	sent    uint64 // messages posted, for the credits
	posted  uint64 // receives
	total   uint64 // messages for a receiver, of all rounds until now
	arrived uint64 // of them
	next    int    // place of the next one in the buffer
	end     int    // of the places
}

// newNullDevice returns the device of a side that measures one way of a plan.
func newNullDevice(p *option.Plan, role Role, group int) *nullDevice {
	s := resolve(p, planned(p)[group], p.Sizes[0], verbs.OrderWhole)
	d := &nullDevice{layout: newLayout(p), scheme: s, group: group}
	d.next = d.layout.rx(0)
	d.end = d.next + s.slots*verbs.BlockSize
	switch {
	case s.fetch && s.memory:
		d.after = d.fetch
	case s.exchange && s.memory:
		d.after = d.move
	case s.exchange:
		d.after = d.take
	case s.credits && role == Client:
		d.after = d.credit
	case s.credits:
		d.after = d.supply
	default:
		d.after = func(*verbs.SendWR) {}
	}
	return d
}

// fetch brings the messages of 8 bytes that are READ.
func (d *nullDevice) fetch(wr *verbs.SendWR) {
	for ; wr != nil; wr = wr.Next {
		to := int(wr.SGList.Addr)
		binary.NativeEndian.PutUint64(d.buf[to:], uint64((to-d.layout.rx(0))/verbs.BlockSize)+1)
	}
}

// move puts the last word of each message where the message would arrive: in the ring of
// the receiver, which is this side's own.
func (d *nullDevice) move(wr *verbs.SendWR) {
	for ; wr != nil; wr = wr.Next {
		from, to := wr.SGList.Addr, d.layout.rx(0)+int(wr.SGList.Addr)-d.layout.tx(0)
		copy(d.buf[to:to+8], d.buf[from:from+8])
	}
	d.take(wr)
}

// take completes the receive that the answer to a message takes.
func (d *nullDevice) take(*verbs.SendWR) {
	if d.scheme.receives {
		d.recvs.ready++
	}
}

// credit consumes what was posted.
func (d *nullDevice) credit(*verbs.SendWR) {
	w := words(d.buf[d.layout.creditsIn(d.group, 0):][:creditBytes])
	w[0], w[1] = d.sent, creditCheck(d.sent)
}

// supply brings the next messages for which the posted credit makes room.
func (d *nullDevice) supply(wr *verbs.SendWR) {
	consumed := binary.NativeEndian.Uint64(d.buf[wr.SGList.Addr:])
	d.deliver(consumed + uint64(d.scheme.slots))
}

// begin is told that a round begins and how many messages this side receives in it.
func (d *nullDevice) begin(messages uint64) {
	d.total += messages
	d.deliver(d.arrived + uint64(d.scheme.slots))
}

// deliver brings messages of 8 bytes up to so many. Without credits, those come that
// find a receive.
func (d *nullDevice) deliver(until uint64) {
	switch {
	case d.scheme.exchange:
		return
	case !d.scheme.credits:
		d.recvs.ready = min(d.posted, d.total)
		return
	}
	until = min(until, d.total)
	if d.scheme.receives {
		d.recvs.ready = until
	}
	if !d.scheme.memory {
		d.arrived = until
	}
	for ; d.arrived < until; d.arrived++ {
		binary.NativeEndian.PutUint64(d.buf[d.next:], d.arrived+1)
		if d.next += verbs.BlockSize; d.next == d.end {
			d.next = d.layout.rx(0)
		}
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

// CreateCQ notes the queues of the way that is measured: worker.build asks for that of
// sends first.
func (c nullContext) CreateCQ(int, verbs.CompChannel, int) (verbs.CQ, error) {
	q := &nullCQ{device: c.nullDevice}
	if c.scheme.sleeps {
		q.empty = pollsToSleep
	}
	if c.cqs = append(c.cqs, q); len(c.cqs) == 2*c.group+2 {
		c.sends, c.recvs = c.cqs[len(c.cqs)-2], q
	}
	return q, nil
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
	for wr := list; wr != nil; wr = wr.Next {
		q.posted++
	}
	if !q.scheme.credits {
		q.deliver(q.total)
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

// GetEvent tells of the queue that was armed last, once.
func (c nullChannel) GetEvent(time.Duration) (verbs.CQ, error) {
	if c.armed == nil {
		return nil, verbs.ErrTimeout
	}
	q := c.armed
	c.armed = nil
	return q, nil
}
func (c nullChannel) GetEventRaw(d time.Duration) (verbs.CQ, error) { return c.GetEvent(d) }
func (nullChannel) Close() error                                    { return nil }
