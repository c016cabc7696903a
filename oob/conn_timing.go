package oob

import "time"

// timing holds the time limits of a connection. Tests shorten them.
type timing struct {
	hello    time.Duration // from the connection to the end of a client's greeting
	helloMin time.Duration // least time for a server's greeting, even if the client's timeout is shorter
	silence  time.Duration // between two arrivals of bytes, and for one write
	ping     time.Duration // between two pings, well under silence
	farewell time.Duration // until the last frame is sent and the peer has ended the stream
	retryMin time.Duration // before the second attempt to connect
	retryMax time.Duration // before any attempt
}

// standard holds the limits outside of tests. A dead peer is noticed within five seconds.
var standard = timing{
	hello:    5 * time.Second,
	helloMin: 2 * time.Second,
	silence:  4 * time.Second,
	ping:     time.Second,
	farewell: time.Second,
	retryMin: 20 * time.Millisecond,
	retryMax: 200 * time.Millisecond,
}
