package shm

import (
	"strings"
	"time"
)

// Faults that a device is asked for; see [Options].

// faults tells of them, "" if there are none.
func (o Options) faults() string {
	o.Seed = 0
	return strings.ReplaceAll(strings.TrimPrefix(o.String(), ":"), ":", ", ")
}

// delays tells whether requests wait before they are carried out.
func (d *device) delays() bool { return d.options.Delay != 0 || d.options.DelayMost != 0 }

// delay draws how long request number of a QP waits.
func (q *qp) delay(number uint32) time.Duration {
	o := &q.ctx.dev.options
	if o.DelayMost <= o.Delay {
		return o.Delay
	}
	s := q.shuffler.Of(uint64(number) | 1<<63)
	return o.Delay + time.Duration(s.Below(int(o.DelayMost-o.Delay)+1))
}

// comesDown tells whether the link of a QP that is connected now is down.
func (c *context) comesDown() bool {
	n := c.dev.options.LinkDown
	return n > 0 && c.connections.Add(1)%uint64(n) == 0
}

// notReadyYet tells whether the peer is to be found not ready by a message, at its first try.
func (q *qp) notReadyYet(number uint32) bool {
	n := q.ctx.dev.options.RNR
	if n == 0 || q.metRNR == uint64(number)+1 {
		return false
	}
	q.messages++
	if q.messages%uint64(n) != 0 {
		return false
	}
	q.metRNR = uint64(number) + 1
	return true
}

// lost tells whether a UD message is lost on its way.
func (q *qp) lost() bool {
	n := q.ctx.dev.options.Loss
	q.messages++
	return n > 0 && q.messages%uint64(n) == 0
}
