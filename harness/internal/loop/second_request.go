package loop

import (
	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// In variant flag a message is two WRITEs, posted in one list: the data, and a flag of 8 bytes. The
// receiver polls the flag only. The flags are in a ring of their own behind that of the messages, and
// each is a message of 8 bytes that consists of its marker. So detection, reuse of slots and --verify
// are those of mode data, with the markers in the flags.

// markersAt returns the markers by which messages are detected, in their ring at an offset of the layout
// or, in variant flag, in the ring of flags behind it.
func (f *Flow) markersAt(c *testcase.Case, messages *message.Ring, offset int) (*message.Markers, error) {
	switch {
	case c.LastByte:
		return message.NewLastByteMarkers(messages), nil
	case !c.ByFlag:
		return message.NewMarkers(messages, c.Order), nil
	}
	behind, _ := c.RingBytes()
	flags, err := message.NewRing(f.memory(offset+behind), testcase.FlagBytes, 0, c.Span)
	if err != nil {
		return nil, err
	}
	return message.NewMarkers(flags, verbs.OrderWhole), nil
}

// linkFlags puts the request of its flag behind that of each message. Arguments are as in link.
func (o *sender) linkFlags(c *testcase.Case, local, remote int, lkey, rkey uint32) {
	f := o.flow
	behind, _ := c.RingBytes()
	flags := verbs.SendFlags(0)
	if testcase.FlagBytes <= f.conn.Resources.Inline {
		flags = verbs.SendInline
	}
	for i := range c.Slots {
		at := behind + message.RingBytes(testcase.FlagBytes, 0, i%c.Span)
		o.flagSGEs[i] = verbs.SGE{Addr: f.addr(local + at), Length: testcase.FlagBytes, LKey: lkey}
		wr := &o.seconds[i]
		*wr = verbs.SendWR{SGList: &o.flagSGEs[i], NumSGE: 1, Opcode: verbs.OpRDMAWrite, SendFlags: flags, Next: o.sends[i].Next}
		wr.SetRDMA(f.conn.Peer.Addr+uint64(remote+at), rkey)
		f.conn.SetDestination(wr)
		o.sends[i].Next = wr
	}
	o.ends = o.seconds
}

// A paired message is two requests, posted in one list: a WRITE of the data, and an empty WRITE with
// immediate data, which takes a receive. Switches may route packets of the first adaptively, and those
// of the second not. Modes that poll completions detect the second, whose completion at the responder
// covers the data: a responder of RC executes requests in their order, and completes none after a lost
// one. (Over UC it drops a message whose packets are lost, and completes the next one.) Mode data
// detects the first, and returns the receive of the second as the others do.

// linkImmediates puts an empty WRITE with immediate data behind the WRITE of each slot.
func (o *sender) linkImmediates(c *testcase.Case) {
	for i := range c.Slots {
		first, second := &o.sends[i], &o.seconds[i]
		*second = verbs.SendWR{Opcode: verbs.OpRDMAWriteWithImm, Next: first.Next}
		second.SetRDMA(first.RDMA())
		o.flow.conn.SetDestination(second)
		first.Next = second
	}
	o.ends = o.seconds
}
