package shm

import (
	"net"
	"sync"

	"golang.org/x/sys/unix"
)

// outbox sends packets in order and never waits for the receiver: what does not fit the
// socket at once, since datagrams may have filled it, is sent by a goroutine later.
type outbox struct {
	conn *net.UnixConn

	mu    sync.Mutex
	queue [][]byte
}

// send is false if nobody is there any more.
func (o *outbox) send(b []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		switch err := trySend(o.conn, b); err {
		case nil:
			return true
		case unix.EAGAIN, unix.EINTR:
		default:
			return false
		}
	}
	o.queue = append(o.queue, b)
	if len(o.queue) == 1 {
		go o.drain()
	}
	return true
}

// drain sends what waits, until there is nothing or the connection ends. The packet that
// is being sent stays in the queue, so that none overtakes it.
func (o *outbox) drain() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) > 0 {
		b := o.queue[0]
		o.mu.Unlock()
		_, err := o.conn.Write(b)
		o.mu.Lock()
		if o.queue = o.queue[1:]; err != nil {
			o.queue = nil
		}
	}
}

// trySend sends a packet if it fits the socket now.
func trySend(conn *net.UnixConn, b []byte) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.Send(int(fd), b, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL) })
	if err != nil {
		return err
	}
	return failed
}
