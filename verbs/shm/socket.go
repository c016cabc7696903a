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

// Each context listens on a unix socket in the abstract name space, whose name its GID gives.
// A connection tells either side of the other's end, and carries packets: messages of UD, and the
// number of a QP that the receiver is to look at, each of which needs the receiver's device; and
// back that memory has no region any more. Both ends insist on their own uid.

const (
	lookSize = 4 // a packet with the number of a QP; all others are messages of UD
	noteSize = 8 // a packet back, with the inode of memory that has no region any more, 0: of any that may have none

	datagramRoom = 1 << 22 // bytes on their way to one context
)

func encodeLook(qp uint32) []byte { return binary.LittleEndian.AppendUint32(nil, qp) }
func decodeLook(b []byte) uint32  { return binary.LittleEndian.Uint32(b) }
func encodeNote(n uint64) []byte  { return binary.LittleEndian.AppendUint64(nil, n) }
func decodeNote(b []byte) uint64  { return binary.LittleEndian.Uint64(b) }

// socketPrefix begins the name of a context's socket; its id in hex ends it.
const socketPrefix = "@ibperf-shm-"

func socketAddr(id uint64) *net.UnixAddr {
	return &net.UnixAddr{Net: "unixpacket", Name: fmt.Sprintf("%s%016x", socketPrefix, id)}
}

func listen(id uint64) (*net.UnixListener, error) {
	return net.ListenUnix("unixpacket", socketAddr(id))
}

var errOtherUser = errors.New("the peer runs as another user; the embedded device connects processes of one user only")

// dial connects to the context of the id and returns its process.
func dial(id uint64) (conn *net.UnixConn, pid int32, err error) {
	if conn, err = net.DialUnix("unixpacket", nil, socketAddr(id)); err != nil {
		return nil, 0, err
	}
	if pid, err = processOf(conn); err != nil {
		conn.Close()
		return nil, 0, err
	}
	conn.SetWriteBuffer(datagramRoom) // as far as the host allows
	return conn, pid, nil
}

// processOf returns the process at the other end, which must be of the same user.
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

// trySend sends a packet if there is room for it in the socket. No packet gets an answer.
func trySend(conn *net.UnixConn, b []byte) error {
	return control(conn, func(fd int) error { return unix.Send(fd, b, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL) })
}

// late is a packet that waits until there is room in a socket. It stands for all that were sent meanwhile.
type late struct{ asked atomic.Uint32 }

// send sends the packet, or the one that stands for it as soon as there is room.
func (l *late) send(conn *net.UnixConn, b, stands []byte) {
	if trySend(conn, b) != unix.EAGAIN || l.asked.Add(1) > 1 {
		return // or it is waiting, and is sent once more then
	}
	go func() {
		for {
			n := l.asked.Load()
			if _, err := conn.Write(stands); err != nil || l.asked.CompareAndSwap(n, 0) {
				return
			}
		}
	}()
}

// control calls f with the connection's descriptor, and returns its error as it is.
func control(conn *net.UnixConn, f func(fd int) error) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	closed := raw.Control(func(fd uintptr) { err = f(int(fd)) })
	return cmp.Or(closed, err)
}
