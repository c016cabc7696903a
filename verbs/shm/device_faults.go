package shm

import (
	"strings"
	"time"
)

// Faults that a device injects; see [Options].

// faults returns the description of the faults, or "" if there are none.
func (o Options) faults() string {
	o.Seed = 0
	return strings.ReplaceAll(strings.TrimPrefix(o.String(), ":"), ":", ", ")
}

// delays reports whether requests wait before they execute.
func (d *device) delays() bool { return d.options.Delay != 0 || d.options.DelayMost != 0 }

// drawDelay returns the delay of the QP's request with the number.
func (q *qp) drawDelay(number uint32) time.Duration {
	o := &q.ctx.dev.options
	if o.DelayMost <= o.Delay {
		return o.Delay
	}
	s := q.shuffler.Of(uint64(number) | 1<<63)
	return o.Delay + time.Duration(s.Below(int(o.DelayMost-o.Delay)+1))
}

// drawLinkDown reports whether the link of the QP that is connecting is down.
func (c *context) drawLinkDown() bool {
	n := c.dev.options.LinkDown
	return n > 0 && c.connections.Add(1)%uint64(n) == 0
}

// injectRNR reports whether the message's first attempt gets an RNR NAK.
func (q *qp) injectRNR(number uint32) bool {
	n := q.ctx.dev.options.RNR
	if n == 0 || q.rnrMessage == uint64(number)+1 {
		return false
	}
	q.messages++
	if q.messages%uint64(n) != 0 {
		return false
	}
	q.rnrMessage = uint64(number) + 1
	return true
}

// injectLoss reports whether the device drops a UD message.
func (q *qp) injectLoss() bool {
	n := q.ctx.dev.options.Loss
	q.messages++
	return n > 0 && q.messages%uint64(n) == 0
}
