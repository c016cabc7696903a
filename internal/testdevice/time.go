package testdevice

import "time"

// base is the origin of real time.
var base = time.Now()

// realNow returns the real time in nanoseconds.
func realNow() int64 { return int64(time.Since(base)) }

// Waits longer than longWait sleep until spinMargin before their end, as a sleep may be longer by
// spinMargin.
const (
	longWait   = 4 * time.Millisecond
	spinMargin = 2 * time.Millisecond
)

// waitUntil waits until the real time at.
func waitUntil(at int64) {
	if left := time.Duration(at - realNow()); left > longWait {
		time.Sleep(left - spinMargin)
	}
	for realNow() < at {
	}
}

// now returns the time of the context, virtual or real.
func (c *context) now() int64 {
	if clock := c.options.Clock; clock != nil {
		return clock.now.Load()
	}
	return realNow()
}

// reach waits until the time of the context is at.
func (c *context) reach(at int64) {
	if clock := c.options.Clock; clock != nil {
		clock.reach(at)
		return
	}
	waitUntil(at)
}
