package oob

import "net"

// Pipe returns the two ends of a connection within this process, for tests that run both sides
// of a benchmark as goroutines. It uses no socket, which also makes it fit for a
// [testing/synctest] bubble; all else is as over TCP. The name of each end's peer is "pipe".
func Pipe() (a, b *Conn) { return pipe(standard) }

func pipe(t timing) (a, b *Conn) {
	p, q := net.Pipe()
	a, b = newConn(p, nil, t), newConn(q, nil, t)
	a.start()
	b.start()
	return a, b
}
