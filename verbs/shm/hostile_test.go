package shm

import (
	"errors"
	"math"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// These tests play a peer that is broken or hostile, with the package's own
// types. Whatever it does, the process under test lives and goes on working.

func TestGarbageRequests(t *testing.T) {
	v := newVictim(t)
	null, err := os.Open(os.DevNull)
	check(t, err)
	defer null.Close()
	rights := unix.UnixRights(int(null.Fd()), int(null.Fd()), int(null.Fd()), int(null.Fd()), int(null.Fd()))
	packets := [][]byte{
		{}, {1}, make([]byte, requestSize-1), make([]byte, requestSize), make([]byte, requestSize+1), make([]byte, 60000),
		request{op: askQP, arg: v.qp.num ^ 1<<20}.encode(), request{op: askQP, arg: math.MaxUint32}.encode(),
		request{op: askRegion, arg: 0}.encode(), request{op: askRegion, arg: math.MaxUint32}.encode(), request{op: 99, arg: 1}.encode(),
	}
	for _, p := range packets {
		for _, oob := range [][]byte{nil, rights} {
			conn, err := dial(v.ctx.id)
			check(t, err)
			conn.WriteMsgUnix(p, oob, nil)
			conn.WriteMsgUnix(p, oob, nil)
			if oob == nil && len(p) == requestSize {
				conn.SetReadDeadline(time.Now().Add(5 * time.Second))
				b := make([]byte, replySize+1)
				n, fds, err := receive(conn, b)
				check(t, err)
				if rep, ok := decodeReply(b[:n]); !ok || rep.errno == 0 || len(fds) != 0 {
					t.Errorf("request %x was answered with %+v and %d descriptors", p, rep, len(fds))
				}
			}
			conn.Close()
		}
	}
	v.works(t)
}

// TestPeerThatDoesNotRead floods the socket and reads no answer.
func TestPeerThatDoesNotRead(t *testing.T) {
	v := newVictim(t)
	conn, err := dial(v.ctx.id)
	check(t, err)
	defer conn.Close()
	conn.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	for err == nil {
		_, err = conn.Write(request{op: askDirectory}.encode())
	}
	start := time.Now()
	pd, err := v.ctx.AllocPD()
	check(t, err)
	check(t, pd.Close())
	if took := time.Since(start); took > time.Second/2 {
		t.Errorf("the context was held up for %v", took)
	}
	v.works(t)
}

// impostor listens in place of a context and answers as it likes.
type impostor struct {
	id   uint64
	sock *net.UnixListener
}

func newImpostor(t *testing.T, answer func(conn *net.UnixConn, req request)) *impostor {
	t.Helper()
	im := &impostor{id: uint64(time.Now().UnixNano()) | 1<<63}
	var err error
	im.sock, err = listen(im.id)
	check(t, err)
	t.Cleanup(func() { im.sock.Close() })
	go im.serve(answer)
	return im
}

func (im *impostor) serve(answer func(conn *net.UnixConn, req request)) {
	for {
		conn, err := im.sock.AcceptUnix()
		if err != nil {
			return
		}
		b := make([]byte, 64)
		for {
			n, err := conn.Read(b)
			req, ok := decodeRequest(b[:n])
			if err != nil || !ok {
				conn.Close()
				break
			}
			answer(conn, req)
		}
	}
}

func (im *impostor) endpoint() verbs.Endpoint {
	return verbs.Endpoint{QPNum: 1 + maxQP, GID: gidOf(im.id), MTU: verbs.MTU1024, RdAtomic: 4}
}

// give answers with the descriptors.
func give(conn *net.UnixConn, req request, rep reply, fds ...int) {
	rep.serial = req.serial
	conn.WriteMsgUnix(rep.encode(), unix.UnixRights(fds...), nil)
}

// unsealed returns a memfd that its maker can shrink.
func unsealed(t *testing.T, size int, seals int) int {
	t.Helper()
	fd, err := unix.MemfdCreate("hostile", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	check(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	check(t, unix.Ftruncate(fd, int64(size)))
	if seals != 0 {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals)
		check(t, err)
	}
	return fd
}

// TestBadDirectory: a peer whose first answer is wrong is not connected to.
func TestBadDirectory(t *testing.T) {
	t.Parallel()
	loose, small := unsealed(t, directorySize, 0), unsealed(t, 4096, unix.F_SEAL_SHRINK)
	plain, err := os.CreateTemp(t.TempDir(), "")
	check(t, err)
	defer plain.Close()
	check(t, plain.Truncate(int64(directorySize)))
	answers := map[string]func(conn *net.UnixConn, req request){
		"closes":                 func(c *net.UnixConn, _ request) { c.Close() },
		"silence":                func(*net.UnixConn, request) {},
		"short packet":           func(c *net.UnixConn, _ request) { c.Write([]byte{0}) },
		"long packet":            func(c *net.UnixConn, _ request) { c.Write(make([]byte, 100)) },
		"errno":                  func(c *net.UnixConn, q request) { give(c, q, reply{errno: 1}) },
		"no descriptor":          func(c *net.UnixConn, q request) { c.Write(reply{serial: q.serial}.encode()) },
		"two descriptors":        func(c *net.UnixConn, q request) { give(c, q, reply{}, loose, loose) },
		"five descriptors":       func(c *net.UnixConn, q request) { give(c, q, reply{}, loose, loose, loose, loose, loose) },
		"memory that can shrink": func(c *net.UnixConn, q request) { give(c, q, reply{}, loose) },
		"too little memory":      func(c *net.UnixConn, q request) { give(c, q, reply{}, small) },
		"a file":                 func(c *net.UnixConn, q request) { give(c, q, reply{}, int(plain.Fd())) },
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t)
			im := newImpostor(t, answer)
			if err := v.connect(im.endpoint()); !errors.Is(err, syscall.ETIMEDOUT) {
				t.Errorf("connecting said %v", err)
			}
			v.works(t)
		})
	}
}

// TestUnaskedAnswers: a peer that talks out of turn is dropped, at once or when
// it is asked the next time.
func TestUnaskedAnswers(t *testing.T) {
	v := newVictim(t)
	dir := falseDirectory(t, v, nil)
	im := newImpostor(t, func(conn *net.UnixConn, req request) {
		for range 20 {
			give(conn, req, reply{}, dir.FD())
		}
	})
	if err := v.connect(im.endpoint()); err != nil {
		if !errors.Is(err, syscall.ETIMEDOUT) {
			t.Errorf("connecting said %v", err)
		}
	} else if got := v.outcome(t, verbs.OpSend, 0, 0); got != verbs.WCRetryExcErr {
		t.Errorf("status %s", got)
	}
	v.works(t)
}
