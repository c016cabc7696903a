package shm

import (
	"math"
	"math/rand/v2"
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/memfd"
)

// fakeContext listens like a context, has a directory made by the test, and never answers.
type fakeContext struct {
	id   uint64
	sock *net.UnixListener
}

func newFakeContext(t *testing.T, directory int) *fakeContext {
	t.Helper()
	im := &fakeContext{id: rand.Uint64()/maxFD*maxFD | uint64(directory)}
	var err error
	im.sock, err = listen(im.id)
	check(t, err)
	t.Cleanup(func() { im.sock.Close() })
	return im
}

func (im *fakeContext) endpoint() verbs.Endpoint {
	return verbs.Endpoint{QPNum: 1 + maxQP, GID: gidOf(im.id), MTU: verbs.MTU1024, RdAtomic: 4}
}

// newMemfd returns a memfd that its creator can shrink, unless the seals forbid it.
func newMemfd(t *testing.T, size int, seals int) int {
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

// newFakePeer returns a fake context whose QP is in RTS and connected to the node's. Its receive
// queue is queue; region 1 has the key 257 and is in page.
func newFakePeer(t *testing.T, v *node, queue, page int, spoil func(d *directory)) *fakeContext {
	t.Helper()
	f, err := memfd.NewReadOnlyForOthers("false-directory", directorySize)
	check(t, err)
	t.Cleanup(func() { f.Close() })
	im := newFakeContext(t, f.FD())
	inode := func(fd int) uint64 {
		i, err := inodeOf(fd)
		check(t, err)
		return i
	}
	d := viewDirectory(f.Bytes())
	d.id = im.id
	d.qps[1] = qpEntry{
		num: 1 + maxQP, typ: uint32(verbs.QPTypeRC), state: uint32(verbs.QPRTS), epoch: 1, access: uint32(qpAccessFlags),
		destNum: v.qp.num, destID: v.ctx.id, destRdAtom: 4, minRNRTimer: 1,
		slots: 16, maxSGE: 1, fd: uint32(queue), inode: inode(queue),
	}
	d.mrs[1] = mrEntry{key: 257, access: uint32(qpAccessFlags), fd: uint32(page), inode: inode(page), addr: 0x10000, length: 4096}
	if spoil != nil {
		spoil(d)
	}
	return im
}

// newQueueMemory returns memory for a receive queue of 16 slots.
func newQueueMemory(t *testing.T) int {
	return newMemfd(t, layoutFor(15, 1).size(), unix.F_SEAL_SHRINK)
}

// TestInvalidRegionEntries covers that a region's entry is checked against its memory. A region
// whose memory cannot be opened belongs to a process that is ending.
func TestInvalidRegionEntries(t *testing.T) {
	page, loose := newMemfd(t, 4096, unix.F_SEAL_SHRINK), newMemfd(t, 4096, 0)
	cases := []struct {
		name   string
		spoil  func(e *mrEntry)
		region int
		addr   uint64
		want   verbs.WCStatus
	}{
		{"honest", func(e *mrEntry) {}, page, 0x10000, verbs.WCSuccess},
		{"length beyond the memory", func(e *mrEntry) { e.length = 1 << 40 }, page, 0x10000 + 1<<30, verbs.WCRemAccessErr},
		{"just beyond", func(e *mrEntry) { e.length = 5000 }, page, 0x10000 + 4096 - 63, verbs.WCRemAccessErr},
		{"offset beyond the memory", func(e *mrEntry) { e.offset = 4096 - 63 }, page, 0x10000, verbs.WCRemAccessErr},
		{"offset wraps", func(e *mrEntry) { e.offset = math.MaxUint64 - 7; e.length = math.MaxUint64 }, page, 0x10000 + 4096, verbs.WCRemAccessErr},
		{"address wraps", func(e *mrEntry) { e.addr = 0; e.length = math.MaxUint64 }, page, math.MaxUint64 - 10, verbs.WCRemAccessErr},
		{"memory that can shrink", func(e *mrEntry) {}, loose, 0x10000, verbs.WCRemAccessErr},
		{"another file's inode", func(e *mrEntry) { e.inode++ }, page, 0x10000, verbs.WCRetryExcErr},
		{"a descriptor that is not open", func(e *mrEntry) { e.fd = 1 << 30 }, page, 0x10000, verbs.WCRetryExcErr},
	}
	for _, c := range cases {
		for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMARead} {
			t.Run(c.name+"/"+op.String(), func(t *testing.T) {
				v := newNode(t)
				im := newFakePeer(t, v, newQueueMemory(t), c.region, func(d *directory) { c.spoil(&d.mrs[1]) })
				check(t, v.connect(im.endpoint()))
				if got := v.postAndPoll(t, op, c.addr, 257); got != c.want {
					t.Errorf("status %s, want %s", got, c.want)
				}
				v.checkWorks(t)
			})
		}
	}
}

// TestMisalignedAtomicTarget covers a directory that places an atomic operation's word across words
// of this side's CPU: the operation is refused.
func TestMisalignedAtomicTarget(t *testing.T) {
	page := newMemfd(t, 4096, unix.F_SEAL_SHRINK)
	for offset, want := range map[uint64]verbs.WCStatus{8: verbs.WCSuccess, 4: verbs.WCRemInvReqErr} {
		v := newNode(t)
		im := newFakePeer(t, v, newQueueMemory(t), page, func(d *directory) { d.mrs[1].offset, d.mrs[1].length = offset, 64 })
		check(t, v.connect(im.endpoint()))
		sge := verbs.SGE{Addr: v.mr.Addr(), Length: 8, LKey: v.mr.LKey()}
		wr := verbs.SendWR{Opcode: verbs.OpAtomicFetchAndAdd, SendFlags: verbs.SendSignaled, SGList: &sge, NumSGE: 1}
		wr.SetAtomic(0x10000, 257, 1, 0)
		_, err := v.qp.PostSend(&wr)
		check(t, err)
		if got := v.nextCompletion(t).Status; got != want {
			t.Errorf("offset %d: status %s, want %s", offset, got, want)
		}
		v.checkWorks(t)
	}
}

// TestInvalidReceiveQueue covers that a peer with an invalid receive queue counts as not
// responding.
func TestInvalidReceiveQueue(t *testing.T) {
	good, loose := newQueueMemory(t), newMemfd(t, layoutFor(15, 1).size(), 0)
	cases := map[string]struct {
		queue int
		spoil func(d *directory)
	}{
		"no slots":               {good, func(d *directory) { d.qps[1].slots = 0 }},
		"slots not a power of 2": {good, func(d *directory) { d.qps[1].slots = 15 }},
		"very many slots":        {good, func(d *directory) { d.qps[1].slots = 1 << 31 }},
		"more than the memory":   {good, func(d *directory) { d.qps[1].slots, d.qps[1].maxSGE = 1024, 32 }},
		"no SGEs":                {good, func(d *directory) { d.qps[1].maxSGE = 0 }},
		"very many SGEs":         {good, func(d *directory) { d.qps[1].maxSGE = math.MaxUint32 }},
		"memory that can shrink": {loose, func(d *directory) {}},
		"another file's inode":   {good, func(d *directory) { d.qps[1].inode-- }},
		"no memory":              {good, func(d *directory) { d.qps[1].inode = 0 }},
		"a CQ without a pipe":    {good, func(d *directory) { d.qps[1].cq = 7 }},
		"a pipe of another kind": {good, func(d *directory) { d.qps[1].cq = 7; d.cqs[7].fd, d.cqs[7].inode = uint32(good), 1 }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			v := newNode(t)
			im := newFakePeer(t, v, c.queue, good, c.spoil)
			check(t, v.connect(im.endpoint()))
			if got := v.postAndPoll(t, verbs.OpSend, 0, 0); got != verbs.WCRetryExcErr {
				t.Errorf("status %s, want %s", got, verbs.WCRetryExcErr)
			}
			v.checkWorks(t)
		})
	}
}

// TestInvalidReceiveSGEs covers SGEs that a peer has made up.
func TestInvalidReceiveSGEs(t *testing.T) {
	for name, sge := range map[string]verbs.SGE{
		"wild key":    {Addr: 0x10000, Length: 64, LKey: math.MaxUint32},
		"wild length": {Addr: 0x10000, Length: math.MaxUint32, LKey: 257},
		"wild addr":   {Addr: math.MaxUint64 - 3, Length: 64, LKey: 257},
	} {
		t.Run(name, func(t *testing.T) {
			v := newNode(t)
			l := layoutFor(15, 1)
			queue, err := memfd.New("false-queue", l.size())
			check(t, err)
			defer queue.Close()
			view[recvHeader](queue.Bytes(), 0).posted = 1
			view[recvWQE](queue.Bytes(), l.wqeAt(0)).numSGE = math.MaxUint32
			*view[verbs.SGE](queue.Bytes(), l.firstAt(0)) = sge
			im := newFakePeer(t, v, queue.FD(), newQueueMemory(t), nil)
			check(t, v.connect(im.endpoint()))
			if got := v.postAndPoll(t, verbs.OpSend, 0, 0); got != verbs.WCRemOpErr {
				t.Errorf("status %s, want %s", got, verbs.WCRemOpErr)
			}
			v.checkWorks(t)
		})
	}
}
