package wrap

import "time"

// base is what real time counts from.
var base = time.Now()

// realNow is real time in nanoseconds.
func realNow() int64 { return int64(time.Since(base)) }

// Waits longer than longWait sleep until spinMargin before their end: a sleep may be
// that much too long.
const (
	longWait   = 4 * time.Millisecond
	spinMargin = 2 * time.Millisecond
)

// waitUntil returns when real time has reached at, or just after.
func waitUntil(at int64) {
	if left := time.Duration(at - realNow()); left > longWait {
		time.Sleep(left - spinMargin)
	}
	for realNow() < at {
	}
}

// now is the time of the context: virtual, or real.
func (c *context) now() int64 {
	if clock := c.options.Clock; clock != nil {
		return clock.now.Load()
	}
	return realNow()
}

// reach returns when the time of the context has reached at.
func (c *context) reach(at int64) {
	if clock := c.options.Clock; clock != nil {
		clock.reach(at)
		return
	}
	waitUntil(at)
}
