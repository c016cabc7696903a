package shm_test

import (
	"errors"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// deadline bounds every wait of these tests.
const deadline = 10 * time.Second

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		noError(t, err)
		return v
	}
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErrno(t testing.TB, err error, want syscall.Errno) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// send is a send request, written for readers.
type send struct {
	id    uint64
	op    verbs.Opcode
	flags verbs.SendFlags
	imm   [4]byte
	raddr uint64
	rkey  uint32
	sges  []verbs.SGE

	compareAdd, swap uint64 // of atomic operations
}

// recv is a receive request.
type recv struct {
	id   uint64
	sges []verbs.SGE
}

const (
	listMax = 64
	sgeMax  = 40
)

// requests is the memory in which lists are built.
type requests struct {
	send []verbs.SendWR
	recv []verbs.RecvWR
	sges []verbs.SGE
}

func newRequests(t testing.TB) *requests {
	t.Helper()
	r := &requests{
		send: must(verbs.Make[verbs.SendWR](listMax))(t),
		recv: must(verbs.Make[verbs.RecvWR](listMax))(t),
		sges: must(verbs.Make[verbs.SGE](listMax * sgeMax))(t),
	}
	t.Cleanup(func() {
		noError(t, errors.Join(verbs.Free(r.send), verbs.Free(r.recv), verbs.Free(r.sges)))
	})
	return r
}

// sendList builds a linked list.
func (r *requests) sendList(list []send) *verbs.SendWR {
	for i, q := range list {
		w := &r.send[i]
		*w = verbs.SendWR{WRID: q.id, Opcode: q.op, SendFlags: q.flags, Imm: q.imm}
		w.SGList, w.NumSGE = r.scatter(i, q.sges)
		w.SetRDMA(q.raddr, q.rkey)
		if q.op == verbs.OpAtomicCmpAndSwp || q.op == verbs.OpAtomicFetchAndAdd {
			w.SetAtomic(q.raddr, q.rkey, q.compareAdd, q.swap)
		}
		if i > 0 {
			r.send[i-1].Next = w
		}
	}
	return &r.send[0]
}

func (r *requests) recvList(list []recv) *verbs.RecvWR {
	for i, q := range list {
		w := &r.recv[i]
		*w = verbs.RecvWR{WRID: q.id}
		w.SGList, w.NumSGE = r.scatter(i, q.sges)
		if i > 0 {
			r.recv[i-1].Next = w
		}
	}
	return &r.recv[0]
}

func (r *requests) scatter(i int, sges []verbs.SGE) (*verbs.SGE, int32) {
	if len(sges) == 0 {
		return nil, 0
	}
	s := r.sges[i*sgeMax:][:sgeMax]
	copy(s, sges)
	return &s[0], int32(len(sges))
}

// post posts a list of sends and returns the index of the bad one, -1 if none.
func (s *side) post(list ...send) (bad int, err error) {
	wr, err := s.qp.PostSend(s.requests.sendList(list))
	for i := range s.requests.send {
		if wr == &s.requests.send[i] {
			return i, err
		}
	}
	return -1, err
}

func (s *side) mustPost(t testing.TB, list ...send) {
	t.Helper()
	if bad, err := s.post(list...); err != nil || bad >= 0 {
		t.Fatalf("request %d: %v", bad, err)
	}
}

func (s *side) postRecv(list ...recv) (bad int, err error) {
	wr, err := s.qp.PostRecv(s.requests.recvList(list))
	for i := range s.requests.recv {
		if wr == &s.requests.recv[i] {
			return i, err
		}
	}
	return -1, err
}

func (s *side) mustRecv(t testing.TB, list ...recv) {
	t.Helper()
	if bad, err := s.postRecv(list...); err != nil || bad >= 0 {
		t.Fatalf("receive %d: %v", bad, err)
	}
}

// toward returns the request aimed at the peer's buffer.
func (r send) toward(peer *side, off int) send {
	r.raddr, r.rkey = peer.mr.Addr()+uint64(off), peer.mr.RKey()
	return r
}

// poll waits for n completions.
func poll(t testing.TB, cq verbs.CQ, n int) []verbs.WC {
	t.Helper()
	wc := make([]verbs.WC, n)
	got, end := 0, time.Now().Add(deadline)
	for got < n {
		k, err := cq.Poll(wc[got:])
		noError(t, err)
		if got += k; k == 0 {
			if time.Now().After(end) {
				t.Fatalf("%d of %d completions after %v", got, n, deadline)
			}
			runtime.Gosched()
		}
	}
	return wc
}

// pollOne waits for one completion of the status.
func pollOne(t testing.TB, cq verbs.CQ, id uint64, status verbs.WCStatus) verbs.WC {
	t.Helper()
	wc := poll(t, cq, 1)[0]
	if wc.WRID != id || wc.Status != status {
		t.Fatalf("completion wr_id %d %s, want wr_id %d %s", wc.WRID, wc.Status, id, status)
	}
	return wc
}

// pollNone checks that nothing is there.
func pollNone(t testing.TB, cq verbs.CQ) {
	t.Helper()
	var wc [1]verbs.WC
	if n, err := cq.Poll(wc[:]); n != 0 || err != nil {
		t.Fatalf("unexpected completion %+v, %v", wc[0], err)
	}
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%s: not after %v", what, deadline)
		}
	}
}

// fill writes a pattern that differs by seed.
func fill(b []byte, seed int) {
	for i := range b {
		b[i] = byte(i*7 + i>>8 + seed)
	}
}
