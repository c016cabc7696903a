package oob

import "time"

// timing holds the limits that a connection keeps. Tests make them short.
type timing struct {
	hello    time.Duration // from the connection to the end of a client's greeting
	helloMin time.Duration // the same of a server's, however little is left to the client
	silence  time.Duration // between two arrivals of bytes, and for one write
	ping     time.Duration // between two pings, well under silence
	farewell time.Duration // for the last frame to leave and the peer to take it
	retryMin time.Duration // before the second attempt to connect
	retryMax time.Duration // before any attempt
}

// standard is what both sides of a real run keep: a death is noticed within five seconds.
var standard = timing{
	hello:    5 * time.Second,
	helloMin: 2 * time.Second,
	silence:  4 * time.Second,
	ping:     time.Second,
	farewell: time.Second,
	retryMin: 20 * time.Millisecond,
	retryMax: 200 * time.Millisecond,
}
