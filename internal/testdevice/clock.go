package testdevice

import (
	"sync/atomic"
	"time"
)

// Clock is virtual time in nanoseconds, which only [Clock.Advance] and the delays of devices
// advance. The zero Clock is at 0. Both sides of a run can share a Clock; [Clocks] returns one
// for each side.
type Clock struct {
	now    atomic.Int64
	posted atomic.Bool // since the last Now
	peer   *Clock
}

// Clocks returns the clocks of two communicating sides. Each advances by its own side's delays,
// and a message that arrives advances it to the sender's time, if that is later. So the time
// that a side reads after a post does not depend on the progress of the peer in real time.
//
// A clock notices a message when its receive completion is polled. On a side that spins on data
// it notices the message at the next post, or at the second Now after a post: the first Now after
// a post returns the time of the post.
func Clocks() (a, b *Clock) {
	a, b = new(Clock), new(Clock)
	a.peer, b.peer = b, a
	return a, b
}

// Now returns the time.
func (c *Clock) Now() int64 {
	if !c.posted.CompareAndSwap(true, false) {
		c.meet()
	}
	return c.now.Load()
}

// Advance advances the clock.
func (c *Clock) Advance(d time.Duration) { c.now.Add(int64(d)) }

// post advances the clock by the delay of a post, which may answer the peer's message.
func (c *Clock) post(d time.Duration) {
	c.meet()
	c.Advance(d)
	c.posted.Store(true)
}

// meet advances the clock to the peer's time.
func (c *Clock) meet() {
	if c.peer != nil {
		c.reach(c.peer.now.Load())
	}
}

// reach advances the clock to at, unless it is later already.
func (c *Clock) reach(at int64) {
	for now := c.now.Load(); now < at && !c.now.CompareAndSwap(now, at); now = c.now.Load() {
	}
}
