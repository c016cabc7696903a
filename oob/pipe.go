package oob

import "net"

// Pipe returns the two ends of a connection within this process, for tests that run both sides
// of a benchmark as goroutines. It uses no socket, so that it works in a
// [testing/synctest] bubble; otherwise it behaves as over TCP. The name of each end's peer is "pipe".
func Pipe() (a, b *Conn) { return pipe(standard) }

func pipe(t timing) (a, b *Conn) {
	p, q := net.Pipe()
	a, b = newConn(p, nil, t), newConn(q, nil, t)
	a.box.other, b.box.other = anything, anything
	a.start()
	b.start()
	return a, b
}

// anything bounds the exchanges of two ends that trust each other.
var anything = Bound{Bytes: MaxPayload, Values: MaxPayload}
