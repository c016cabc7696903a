package shm

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Each context listens on a unix socket in the abstract name space, whose name contains the
// context's id. A connection detects the end of either side. It carries UD messages and doorbells,
// which need the receiver's device, and in the other direction unmap notices. Both ends require the
// same uid.

const (
	doorbellSize    = 4 // doorbell: the number of a QP; all other packets are UD messages
	unmapNoticeSize = 8 // unmap notice: the inode of memory without regions; 0: any memory may have lost its regions

	socketBufferSize = 1 << 22 // send buffer of a connection, in bytes
)

func encodeDoorbell(qp uint32) []byte   { return binary.LittleEndian.AppendUint32(nil, qp) }
func decodeDoorbell(b []byte) uint32    { return binary.LittleEndian.Uint32(b) }
func encodeUnmapNotice(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
func decodeUnmapNotice(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// socketPrefix begins the name of a context's socket; the id in hex follows.
const socketPrefix = "@ibperf-shm-"

func socketAddr(id uint64) *net.UnixAddr {
	return &net.UnixAddr{Net: "unixpacket", Name: fmt.Sprintf("%s%016x", socketPrefix, id)}
}

func listen(id uint64) (*net.UnixListener, error) {
	return net.ListenUnix("unixpacket", socketAddr(id))
}

var errOtherUser = errors.New("the peer runs as another user; the embedded device connects processes of one user only")

// dial connects to the context with the id and returns its process.
func dial(id uint64) (conn *net.UnixConn, pid int32, err error) {
	if conn, err = net.DialUnix("unixpacket", nil, socketAddr(id)); err != nil {
		return nil, 0, err
	}
	if pid, err = processOf(conn); err != nil {
		conn.Close()
		return nil, 0, err
	}
	conn.SetWriteBuffer(socketBufferSize) // limited by net.core.wmem_max
	return conn, pid, nil
}

// processOf returns the process at the other end, which must run as the same user.
func processOf(conn *net.UnixConn) (pid int32, err error) {
	var uid uint32
	if err := control(conn, func(fd int) (err error) { pid, uid, err = credentials(fd); return err }); err != nil {
		return 0, err
	}
	if int(uid) != os.Geteuid() {
		return 0, errOtherUser
	}
	return pid, nil
}

// trySend sends a packet if the socket has room for it. Packets are not acknowledged.
func trySend(conn *net.UnixConn, b []byte) error {
	return control(conn, func(fd int) error { return unix.Send(fd, b, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL) })
}

// coalescedPacket is a packet that can be delayed until a socket has room. One packet replaces all
// that were to be sent meanwhile.
type coalescedPacket struct{ queued atomic.Uint32 }

// send sends the packet, or later the replacement, as soon as the socket has room.
func (l *coalescedPacket) send(conn *net.UnixConn, b, replacement []byte) {
	if trySend(conn, b) != unix.EAGAIN || l.queued.Add(1) > 1 {
		return // sent, failed, or a goroutine is waiting and will send it again
	}
	go func() {
		for {
			n := l.queued.Load()
			if _, err := conn.Write(replacement); err != nil || l.queued.CompareAndSwap(n, 0) {
				return
			}
		}
	}()
}

// control calls f with the connection's descriptor and returns its error unchanged.
func control(conn *net.UnixConn, f func(fd int) error) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	closed := raw.Control(func(fd uintptr) { err = f(int(fd)) })
	return cmp.Or(closed, err)
}
