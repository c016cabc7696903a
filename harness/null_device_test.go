package harness

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// nullDevice is a device that takes no time, so that the cost of a loop is the harness's own. A post
// has completed when it returns, and the loop never waits: the answer to a ping, the messages of a
// sender and the credits of a receiver are there at once. It is connected to itself (see alone).
type nullDevice struct {
	buf    []byte
	layout testcase.Layout
	test   testcase.Case
	at     int // position of the queues of the way that is measured, in the order of creation
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
	set := testcase.NewSet(*p).WithoutCounters()
	c := set.Case(set.Modes[group], p.Sizes[0], testcase.Answers{Order: verbs.OrderWhole})
	d := &nullDevice{layout: set.Layout, test: c, at: slices.Index(queueOrder(uint64(p.Seed), 1, len(set.Modes)), group)}
	d.next = d.layout.Rx(0)
	d.end = d.next + c.Slots*verbs.BlockSize
	switch {
	case c.Fetches && c.PollsMemory:
		d.after = d.fetch
	case c.PingPong && c.PollsMemory:
		d.after = d.move
	case c.PingPong:
		d.after = d.take
	case c.UsesCredits && role == Client:
		d.after = d.credit
	case c.UsesCredits:
		d.after = d.supply
	default:
		d.after = func(*verbs.SendWR) {}
	}
	return d
}

// fetch stores the messages of 8 bytes that READs return.
func (d *nullDevice) fetch(wr *verbs.SendWR) {
	for ; wr != nil; wr = wr.Next {
		to := int(wr.SGList.Addr)
		binary.NativeEndian.PutUint64(d.buf[to:], uint64((to-d.layout.Rx(0))/verbs.BlockSize)+1)
	}
}

// move copies each message, of 8 bytes, into the ring of the receiver, which is this side's own.
func (d *nullDevice) move(wr *verbs.SendWR) {
	for ; wr != nil; wr = wr.Next {
		if wr.NumSGE == 0 {
			continue // the second request of a pair
		}
		from := int(wr.SGList.Addr)
		to := d.layout.Rx(0) + (from-d.layout.Tx(0))%(d.test.SpanIn*verbs.BlockSize)
		copy(d.buf[to:to+8], d.buf[from:from+8])
	}
	d.take(wr)
}

// take completes the receive of the answer.
func (d *nullDevice) take(*verbs.SendWR) {
	if d.test.UsesReceives {
		d.recvs.ready++
	}
}

// credit consumes what was posted.
func (d *nullDevice) credit(*verbs.SendWR) {
	message.WriteCredit(d.buf[d.layout.CreditsIn(d.at, 0):], d.sent)
}

// supply delivers the messages that the posted credit makes room for.
func (d *nullDevice) supply(wr *verbs.SendWR) {
	consumed := binary.NativeEndian.Uint64(d.buf[wr.SGList.Addr:])
	d.deliver(consumed + uint64(d.test.Slots))
}

// begin begins a round in which this side receives a number of messages.
func (d *nullDevice) begin(messages uint64) {
	d.total += messages
	d.deliver(d.arrived + uint64(d.test.Slots))
}

// deliver stores messages of 8 bytes until their number is until. Without credits only messages
// that find a receive arrive.
func (d *nullDevice) deliver(until uint64) {
	switch {
	case d.test.PingPong:
		return
	case !d.test.UsesCredits:
		d.recvs.ready = min(d.posted, d.total)
		return
	}
	until = min(until, d.total)
	if d.test.UsesReceives {
		d.recvs.ready = until
	}
	if !d.test.PollsMemory {
		d.arrived = until
	}
	for ; d.arrived < until; d.arrived++ {
		binary.NativeEndian.PutUint64(d.buf[d.next:], d.arrived+1)
		if d.next += verbs.BlockSize; d.next == d.end {
			d.next = d.layout.Rx(0)
		}
	}
}

type (
	nullContext struct {
		verbs.Context // answers queries of device and port
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
	if c.test.Sleeps {
		q.empty = pollsToSleep
	}
	if c.cqs = append(c.cqs, q); len(c.cqs) == 2*c.at+2 {
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
		if wr.NumSGE > 0 {
			n++
		}
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
	if !q.test.UsesCredits {
		q.deliver(q.total)
	}
	return nil, nil
}

// nullEntries is the largest number of completions in a CQ.
const nullEntries = 1 << 10

// pollsToSleep is the number of polls before a loop sleeps: one that finds the CQ empty, and one
// after the CQ was armed.
const pollsToSleep = 2

// nullCQ returns completions in order. In event mode pollsToSleep polls find it empty first.
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

// GetEvent returns one event, of the CQ that was armed last.
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
