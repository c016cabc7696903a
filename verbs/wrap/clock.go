package wrap

import (
	"sync/atomic"
	"time"
)

// Clock is virtual time in nanoseconds, which passes by [Clock.Advance] and by the
// delays of devices alone. The zero Clock stands at 0. A Clock that is given to both
// sides of a run is one time for both; [Clocks] gives each side its own.
type Clock struct {
	now    atomic.Int64
	posted atomic.Bool // since the last reading
	peer   *Clock
}

// Clocks returns the clocks of two sides that talk to each other. Each passes by
// its own side's delays, and what arrives brings the sender's time with it: the later
// one of both. So what a side reads behind a post does not depend on how far the
// peer has got with its answer in real time.
//
// Arrival is known of when a receive completion is polled. A side that spins on data
// catches up when it posts its answer, or with its second reading behind a post: the
// first one after a post is the time of the post.
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

// Advance lets time pass.
func (c *Clock) Advance(d time.Duration) { c.now.Add(int64(d)) }

// post lets the time of a post pass, which may answer what the peer sent.
func (c *Clock) post(d time.Duration) {
	c.meet()
	c.Advance(d)
	c.posted.Store(true)
}

// meet catches up with the peer.
func (c *Clock) meet() {
	if c.peer != nil {
		c.reach(c.peer.now.Load())
	}
}

// reach lets time pass until at, unless it has passed already.
func (c *Clock) reach(at int64) {
	for now := c.now.Load(); now < at && !c.now.CompareAndSwap(now, at); now = c.now.Load() {
	}
}
