package shm

import (
	"math"
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/internal/memfd"
	"github.com/ibperf/ibperf/verbs"
)

// falseDirectory is an impostor's directory: its QP is in RTS and connected to
// the victim's, and has region 1 in the state that spoil leaves.
func falseDirectory(t *testing.T, v *victim, spoil func(e *mrEntry)) *memfd.File {
	t.Helper()
	f, err := memfd.NewReadOnlyForOthers("false-directory", directorySize)
	check(t, err)
	t.Cleanup(func() { f.Close() })
	d := viewDirectory(f.Bytes())
	d.qps[1] = qpEntry{
		num: 1 + maxQP, typ: uint32(verbs.QPTypeRC), state: uint32(verbs.QPRTS), epoch: 1, access: uint32(knownRights),
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
						give(conn, req, reply{}, dir.FD())
					case askQP:
						give(conn, req, reply{n: 16, sge: 1}, queue)
					case askRegion:
						give(conn, req, reply{}, c.region)
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

// TestAskewRegion: a word that an impostor's directory lays across the words of
// this side's CPU is not worked on.
func TestAskewRegion(t *testing.T) {
	queue := unsealed(t, layoutFor(15, 1).size(), unix.F_SEAL_SHRINK)
	page := unsealed(t, 4096, unix.F_SEAL_SHRINK)
	for offset, want := range map[uint64]verbs.WCStatus{8: verbs.WCSuccess, 4: verbs.WCRemInvReqErr} {
		v := newVictim(t)
		dir := falseDirectory(t, v, func(e *mrEntry) { e.offset, e.length = offset, 64 })
		im := newImpostor(t, func(conn *net.UnixConn, req request) {
			switch req.op {
			case askDirectory:
				give(conn, req, reply{}, dir.FD())
			case askQP:
				give(conn, req, reply{n: 16, sge: 1}, queue)
			case askRegion:
				give(conn, req, reply{}, page)
			}
		})
		zeroFirst(t, queue)
		check(t, v.connect(im.endpoint()))
		sge := verbs.SGE{Addr: v.mr.Addr(), Length: 8, LKey: v.mr.LKey()}
		wr := verbs.SendWR{Opcode: verbs.OpAtomicFetchAndAdd, SendFlags: verbs.SendSignaled, SGList: &sge, NumSGE: 1}
		wr.SetAtomic(0x10000, 257, 1, 0)
		_, err := v.qp.PostSend(&wr)
		check(t, err)
		if got := v.next(t).Status; got != want {
			t.Errorf("offset %d: status %s, want %s", offset, got, want)
		}
		v.works(t)
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
		"bell of a pipe":         {reply{n: 16, sge: 1, bell: 1}, []int{good, pipe[1]}},
		"parts without a bell":   {reply{n: 16, sge: 1}, []int{good, good}},
		"fewer than come along":  {reply{n: 16, sge: 1, ahead: 2}, []int{good, good}},
		"many come along":        {reply{n: 16, sge: 1, ahead: math.MaxUint32}, []int{good}},
		"bell among those":       {reply{n: 16, sge: 1, bell: 1, ahead: 1}, []int{good, good}},
		"errno":                  {reply{errno: 2}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			dir := falseDirectory(t, v, nil)
			im := newImpostor(t, func(conn *net.UnixConn, req request) {
				if req.op == askDirectory {
					give(conn, req, reply{}, dir.FD())
					return
				}
				give(conn, req, c.rep, c.fds...)
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
					give(conn, req, reply{}, dir.FD())
					return
				}
				give(conn, req, reply{n: l.n, sge: l.maxSGE}, queue.FD())
			})
			check(t, v.connect(im.endpoint()))
			if got := v.outcome(t, verbs.OpSend, 0, 0); got != verbs.WCRemOpErr {
				t.Errorf("status %s", got)
			}
			v.works(t)
		})
	}
}
