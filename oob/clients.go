package oob

import "time"

// Limits of the pings of a server with many clients.
const (
	pingOfClient = 2 * time.Millisecond // of the time between two pings, for each client
	longestPing  = 10 * time.Second
)

// timingOf returns the time limits of a connection to a server that expects a number of clients. From 500 clients on there
// are fewer pings, and a peer may be silent for longer. Both sides must know the number.
func timingOf(clients int) timing {
	t, share := standard, time.Duration(clients)*pingOfClient
	t.ping = max(t.ping, min(share, longestPing))
	t.silence = t.silence / standard.ping * t.ping
	t.hello = max(t.hello, share)
	return t
}

// most returns a limit of the number of clients or connections of a listener, which is no less than the expected one.
func (l *Listener) most(limit int) int { return max(limit, l.options.Clients) }
