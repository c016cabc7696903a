package shm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Peers ask each other for memory over a unix socket in the abstract name
// space, whose name a GID gives. Requests and replies are single packets of
// fixed size; file descriptors ride along. Messages of UD come the same way. Both ends insist on their own uid.

type askOp uint32

const (
	askDirectory askOp = iota + 1 // the directory
	askQP                         // the receive queue of QP arg, those that come along, and the CQ's bell
	askRegion                     // the memory with id arg
	sendDatagram                  // no question: a message of UD, see datagram
	askLook                       // no question either: QP arg is to look at its records

	// What follows is about QP arg, which takes from shared receive queues, and
	// gets no reply but notes.
	askReceive // a receive
	askCollect // to make completions of its records
	askReturn  // to take back what was asked for
)

type request struct {
	op    askOp
	arg   uint32
	srq   uint32 // askReceive: the shared receive queue, if the QP is of XRC
	epoch uint32 // of the QP's connection, from askReceive on

	serial uint32 // the reply or note will have it
}

// reply answers a request; what the fields mean depends on it.
type reply struct {
	errno uint32
	n     uint32 // askQP: slots of the receive queue
	sge   uint32 // askQP: SGEs of a receive
	bell  uint32 // askQP: the CQ whose bell comes along, 0 if it has none
	note  uint32 // not 0: no reply, but a note for QP n

	serial uint32 // of the request that the note answers
	ahead  uint32 // askQP: how many queues of the next QPs come along
}

const (
	requestSize = 20
	replySize   = 28
	maxFDs      = 1 + maxAhead + 1 // queues, and a bell's socket

	datagramRoom = 1 << 22 // bytes on their way to one context
)

func (r request) encode() []byte {
	return words(uint32(r.op), r.arg, r.srq, r.epoch, r.serial)
}

func (r reply) encode() []byte { return words(r.errno, r.n, r.sge, r.bell, r.note, r.serial, r.ahead) }

func words(list ...uint32) []byte {
	b := make([]byte, 4*len(list))
	for i, v := range list {
		binary.LittleEndian.PutUint32(b[4*i:], v)
	}
	return b
}

func word(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }

func decodeRequest(b []byte) (request, bool) {
	if len(b) != requestSize {
		return request{}, false
	}
	return request{askOp(word(b, 0)), word(b, 1), word(b, 2), word(b, 3), word(b, 4)}, true
}

func decodeReply(b []byte) (reply, bool) {
	if len(b) != replySize {
		return reply{}, false
	}
	return reply{word(b, 0), word(b, 1), word(b, 2), word(b, 3), word(b, 4), word(b, 5), word(b, 6)}, true
}

// socketPrefix begins the name of a context's socket; its id in hex ends it.
const socketPrefix = "@ibperf-shm-"

func socketAddr(id uint64) *net.UnixAddr {
	return &net.UnixAddr{Net: "unixpacket", Name: fmt.Sprintf("%s%016x", socketPrefix, id)}
}

func listen(id uint64) (*net.UnixListener, error) {
	return net.ListenUnix("unixpacket", socketAddr(id))
}

var errOtherUser = errors.New("the peer runs as another user; the embedded device connects processes of one user only")

// dial connects to the context of the id.
func dial(id uint64) (*net.UnixConn, error) {
	conn, err := net.DialUnix("unixpacket", nil, socketAddr(id))
	if err != nil {
		return nil, err
	}
	if err := sameUser(conn); err != nil {
		conn.Close()
		return nil, err
	}
	conn.SetWriteBuffer(datagramRoom) // as far as the host allows
	return conn, nil
}

// sameUser checks the user of the process at the other end (SO_PEERCRED).
func sameUser(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var cred *unix.Ucred
	var cerr error
	if err := raw.Control(func(fd uintptr) {
		cred, cerr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if cerr != nil {
		return cerr
	}
	if int(cred.Uid) != os.Geteuid() {
		return errOtherUser
	}
	return nil
}

// receive reads one packet and its descriptors.
func receive(conn *net.UnixConn, b []byte) (int, []int, error) {
	oob := make([]byte, unix.CmsgSpace(4*maxFDs))
	n, on, flags, _, err := conn.ReadMsgUnix(b, oob)
	if err != nil {
		return 0, nil, err
	}
	fds, err := descriptors(oob[:on])
	if err == nil && flags&unix.MSG_CTRUNC != 0 {
		err = errTruncated
	}
	if err != nil {
		closeAll(fds)
		return n, nil, err
	}
	return n, fds, nil
}

// errTruncated says that not all descriptors of a packet came: there were more than
// expected, or this process may have no more.
var errTruncated = errors.New("descriptors are missing")

func descriptors(oob []byte) ([]int, error) {
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var fds []int
	for i := range msgs {
		got, err := unix.ParseUnixRights(&msgs[i])
		if err != nil {
			return fds, err
		}
		fds = append(fds, got...)
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
	return fds, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}
