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

	"github.com/ibperf/ibperf/internal/memfd"
	"github.com/ibperf/ibperf/verbs"
)

// These tests play a peer that is broken or hostile, with the package's own
// types. Whatever it does, the process under test lives and goes on working.

// victim is an honest context with a QP in INIT and some memory.
type victim struct {
	ctx *context
	qp  *qp
	cq  verbs.CQ
	mr  verbs.MR
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newVictim(t testing.TB) *victim {
	t.Helper()
	ctx, err := open(listed[0])
	check(t, err)
	t.Cleanup(func() { ctx.Close() })
	pd, _ := ctx.AllocPD()
	buf, err := verbs.NewBuffer(4096)
	check(t, err)
	t.Cleanup(func() { buf.Close() })
	v := &victim{ctx: ctx}
	v.mr, err = pd.RegMR(buf.Bytes(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite|verbs.AccessRemoteRead)
	check(t, err)
	v.cq, _ = ctx.CreateCQ(64, nil, 0)
	q, err := pd.CreateQP(&verbs.QPInitAttr{
		SendCQ: v.cq, RecvCQ: v.cq, Type: verbs.QPTypeRC,
		Cap: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	check(t, err)
	v.qp = q.(*qp)
	return v
}

func (v *victim) endpoint() verbs.Endpoint {
	return verbs.Endpoint{QPNum: v.qp.num, GID: gidOf(v.ctx.id), MTU: verbs.MTU1024, RdAtomic: 4}
}

// connect takes the victim's QP to RTS with a timeout of 1 ms.
func (v *victim) connect(to verbs.Endpoint) error {
	err := verbs.Connect(v.qp, 1, 0, remoteRights|verbs.AccessLocalWrite, v.endpoint(), to)
	v.qp.lock()
	v.qp.attr.Timeout, v.qp.attr.RetryCnt = 8, 1
	v.qp.unlock()
	return err
}

// outcome posts one request to the peer's memory at addr and returns its status.
func (v *victim) outcome(t *testing.T, op verbs.Opcode, addr uint64, key uint32) verbs.WCStatus {
	t.Helper()
	sge := verbs.SGE{Addr: v.mr.Addr(), Length: 64, LKey: v.mr.LKey()}
	wr := verbs.SendWR{Opcode: op, SendFlags: verbs.SendSignaled, SGList: &sge, NumSGE: 1}
	wr.SetRDMA(addr, key)
	_, err := v.qp.PostSend(&wr)
	check(t, err)
	return v.next(t).Status
}

func (v *victim) next(t *testing.T) verbs.WC {
	t.Helper()
	var wc [1]verbs.WC
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		if n, err := v.cq.Poll(wc[:]); n == 1 || err != nil {
			check(t, err)
			return wc[0]
		}
	}
	t.Fatal("no completion")
	return wc[0]
}

// works checks that the context still does its work, on QPs of its own.
func (v *victim) works(t *testing.T) {
	t.Helper()
	a, b := newVictim(t), newVictim(t)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	if s := a.outcome(t, verbs.OpRDMAWrite, b.mr.Addr(), b.mr.RKey()); s != verbs.WCSuccess {
		t.Errorf("an honest WRITE ended with %s", s)
	}
	p, err := v.ctx.QueryGID(1, 0)
	check(t, err)
	r, err := a.ctx.remoteOf(idOf(p.GID))
	check(t, err)
	a.ctx.release(r)
}

func TestGarbageRequests(t *testing.T) {
	v := newVictim(t)
	null, err := os.Open(os.DevNull)
	check(t, err)
	defer null.Close()
	rights := unix.UnixRights(int(null.Fd()), int(null.Fd()), int(null.Fd()), int(null.Fd()), int(null.Fd()))
	packets := [][]byte{
		{}, {1}, make([]byte, 7), make([]byte, 8), make([]byte, 9), make([]byte, 60000),
		request{askQP, v.qp.num ^ 1<<20}.encode(), request{askQP, math.MaxUint32}.encode(),
		request{askRegion, 0}.encode(), request{askRegion, math.MaxUint32}.encode(), request{99, 1}.encode(),
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
	if took := time.Since(start); took > askTimeout/2 {
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
func give(conn *net.UnixConn, rep reply, fds ...int) {
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
		"errno":                  func(c *net.UnixConn, _ request) { give(c, reply{errno: 1}) },
		"no descriptor":          func(c *net.UnixConn, _ request) { c.Write(reply{}.encode()) },
		"two descriptors":        func(c *net.UnixConn, _ request) { give(c, reply{}, loose, loose) },
		"five descriptors":       func(c *net.UnixConn, _ request) { give(c, reply{}, loose, loose, loose, loose, loose) },
		"memory that can shrink": func(c *net.UnixConn, _ request) { give(c, reply{}, loose) },
		"too little memory":      func(c *net.UnixConn, _ request) { give(c, reply{}, small) },
		"a file":                 func(c *net.UnixConn, _ request) { give(c, reply{}, int(plain.Fd())) },
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

// falseDirectory is an impostor's directory: its QP is in RTS and connected to
// the victim's, and has region 1 in the state that spoil leaves.
func falseDirectory(t *testing.T, v *victim, spoil func(e *mrEntry)) *memfd.File {
	t.Helper()
	f, err := memfd.NewReadOnlyForOthers("false-directory", directorySize)
	check(t, err)
	t.Cleanup(func() { f.Close() })
	d := viewDirectory(f.Bytes())
	d.qps[1] = qpEntry{
		num: 1 + maxQP, state: uint32(verbs.QPRTS), epoch: 1, access: uint32(knownRights),
		destNum: v.qp.num, destID: v.ctx.id, destRdAtom: 4, minRNRTimer: 1,
	}
	e := &d.mrs[1]
	*e = mrEntry{key: 257, access: uint32(knownRights), region: 7, addr: 0x10000, length: 4096}
	if spoil != nil {
		spoil(e)
	}
	return f
}

// TestWildRegions: what a directory says is checked against what there is.
func TestWildRegions(t *testing.T) {
	queue := unsealed(t, layoutFor(15, 1).size(), unix.F_SEAL_SHRINK)
	page := unsealed(t, 4096, unix.F_SEAL_SHRINK)
	loose := unsealed(t, 4096, 0)
	cases := []struct {
		name   string
		spoil  func(e *mrEntry)
		region int
		addr   uint64
		want   verbs.WCStatus
	}{
		{"honest", nil, page, 0x10000, verbs.WCSuccess},
		{"length beyond the memory", func(e *mrEntry) { e.length = 1 << 40 }, page, 0x10000 + 1<<30, verbs.WCRemAccessErr},
		{"just beyond", func(e *mrEntry) { e.length = 5000 }, page, 0x10000 + 4096 - 63, verbs.WCRemAccessErr},
		{"offset beyond the memory", func(e *mrEntry) { e.offset = 4096 - 63 }, page, 0x10000, verbs.WCRemAccessErr},
		{"offset wraps", func(e *mrEntry) { e.offset = math.MaxUint64 - 7; e.length = math.MaxUint64 }, page, 0x10000 + 4096, verbs.WCRemAccessErr},
		{"address wraps", func(e *mrEntry) { e.addr = 0; e.length = math.MaxUint64 }, page, math.MaxUint64 - 10, verbs.WCRemAccessErr},
		{"memory that can shrink", nil, loose, 0x10000, verbs.WCRemAccessErr},
	}
	for _, c := range cases {
		for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMARead} {
			t.Run(c.name+"/"+op.String(), func(t *testing.T) {
				v := newVictim(t)
				dir := falseDirectory(t, v, c.spoil)
				im := newImpostor(t, func(conn *net.UnixConn, req request) {
					switch req.op {
					case askDirectory:
						give(conn, reply{}, dir.FD())
					case askQP:
						give(conn, reply{n: 16, sge: 1}, queue)
					case askRegion:
						give(conn, reply{}, c.region)
					}
				})
				zeroFirst(t, queue)
				check(t, v.connect(im.endpoint()))
				if got := v.outcome(t, op, c.addr, 257); got != c.want {
					t.Errorf("status %s, want %s", got, c.want)
				}
				v.works(t)
			})
		}
	}
}

// zeroFirst clears the word in which a connection's first user is noted.
func zeroFirst(t *testing.T, fd int) {
	t.Helper()
	_, err := unix.Pwrite(fd, make([]byte, 8), 0)
	check(t, err)
}

// TestBadReceiveQueue: a receive queue that cannot be one counts as silence.
func TestBadReceiveQueue(t *testing.T) {
	good := unsealed(t, layoutFor(15, 1).size(), unix.F_SEAL_SHRINK)
	loose := unsealed(t, layoutFor(15, 1).size(), 0)
	page := unsealed(t, eventPage, unix.F_SEAL_SHRINK)
	var pipe [2]int
	check(t, unix.Pipe2(pipe[:], unix.O_CLOEXEC))
	defer closeAll(pipe[:])
	cases := map[string]struct {
		rep reply
		fds []int
	}{
		"no slots":               {reply{n: 0, sge: 1}, []int{good}},
		"slots not a power of 2": {reply{n: 15, sge: 1}, []int{good}},
		"very many slots":        {reply{n: 1 << 31, sge: 1}, []int{good}},
		"more than there is":     {reply{n: 1024, sge: 32}, []int{good}},
		"no SGEs":                {reply{n: 16}, []int{good}},
		"very many SGEs":         {reply{n: 16, sge: math.MaxUint32}, []int{good}},
		"memory that can shrink": {reply{n: 16, sge: 1}, []int{loose}},
		"bell without its parts": {reply{n: 16, sge: 1, bell: 1}, []int{good}},
		"bell of a pipe":         {reply{n: 16, sge: 1, bell: 1}, []int{good, page, pipe[1]}},
		"parts without a bell":   {reply{n: 16, sge: 1}, []int{good, page, page}},
		"errno":                  {reply{errno: 2}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			dir := falseDirectory(t, v, nil)
			im := newImpostor(t, func(conn *net.UnixConn, req request) {
				if req.op == askDirectory {
					give(conn, reply{}, dir.FD())
					return
				}
				give(conn, c.rep, c.fds...)
			})
			check(t, v.connect(im.endpoint()))
			if got := v.outcome(t, verbs.OpSend, 0, 0); got != verbs.WCRetryExcErr {
				t.Errorf("status %s", got)
			}
			v.works(t)
		})
	}
}

// TestGarbageReceives: what a peer posted as receives is the peer's word.
func TestGarbageReceives(t *testing.T) {
	for name, sge := range map[string]verbs.SGE{
		"wild key":    {Addr: 0x10000, Length: 64, LKey: math.MaxUint32},
		"wild length": {Addr: 0x10000, Length: math.MaxUint32, LKey: 257},
		"wild addr":   {Addr: math.MaxUint64 - 3, Length: 64, LKey: 257},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			dir := falseDirectory(t, v, nil)
			l := layoutFor(15, 1)
			queue, err := memfd.New("false-queue", l.size())
			check(t, err)
			defer queue.Close()
			*view[recvWQE](queue.Bytes(), l.wqeAt(0)) = recvWQE{seq: 1, numSGE: math.MaxUint32}
			viewSGEs(queue.Bytes(), l.wqeAt(0)+wqeHeader, 1)[0] = sge
			im := newImpostor(t, func(conn *net.UnixConn, req request) {
				if req.op == askDirectory {
					give(conn, reply{}, dir.FD())
					return
				}
				give(conn, reply{n: l.n, sge: l.maxSGE}, queue.FD())
			})
			check(t, v.connect(im.endpoint()))
			if got := v.outcome(t, verbs.OpSend, 0, 0); got != verbs.WCRemOpErr {
				t.Errorf("status %s", got)
			}
			v.works(t)
		})
	}
}

// TestUnaskedAnswers: a peer that talks out of turn is dropped, and its
// descriptors are closed.
func TestUnaskedAnswers(t *testing.T) {
	v := newVictim(t)
	dir := falseDirectory(t, v, nil)
	im := newImpostor(t, func(conn *net.UnixConn, req request) {
		for range 20 {
			give(conn, reply{}, dir.FD())
		}
	})
	check(t, v.connect(im.endpoint()))
	if got := v.outcome(t, verbs.OpSend, 0, 0); got != verbs.WCRetryExcErr {
		t.Errorf("status %s", got)
	}
	v.works(t)
}
