package shm

import (
	"net"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// noDescriptors lets this process, whose descriptor 0 is open, open no file until the function that it returns is called.
func noDescriptors(t *testing.T) (allow func()) {
	t.Helper()
	var before unix.Rlimit
	check(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &before))
	check(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1, Max: before.Max}))
	allow = func() { check(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &before)) }
	t.Cleanup(allow)
	return allow
}

// start posts a WRITE of 64 bytes and does not wait for it.
func (v *victim) start(t *testing.T, addr uint64, key uint32) {
	t.Helper()
	sge := verbs.SGE{Addr: v.mr.Addr(), Length: 64, LKey: v.mr.LKey()}
	wr := verbs.SendWR{Opcode: verbs.OpRDMAWrite, SendFlags: verbs.SendSignaled, SGList: &sge, NumSGE: 1}
	wr.SetRDMA(addr, key)
	_, err := v.qp.PostSend(&wr)
	check(t, err)
}

// waits checks that no completion comes within a time.
func (v *victim) waits(t *testing.T, within time.Duration) {
	t.Helper()
	var wc [1]verbs.WC
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if n, err := v.cq.Poll(wc[:]); n != 0 || err != nil {
			t.Fatalf("%d completions, the first %+v, %v", n, wc[0], err)
		}
	}
}

// TestDescriptorsRunOut: a request whose memory cannot be handed over for want of
// descriptors waits, and goes on when there are some.
func TestDescriptorsRunOut(t *testing.T) {
	a, b := newVictim(t), newVictim(t)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	allow := noDescriptors(t)
	a.start(t, b.mr.Addr(), b.mr.RKey())
	a.waits(t, 200*time.Millisecond)
	allow()
	if wc := a.next(t); wc.Status != verbs.WCSuccess {
		t.Errorf("status %s", wc.Status)
	}
}

// TestDescriptorsRunOutHere: the same, of the process that asks.
func TestDescriptorsRunOutHere(t *testing.T) {
	queue, page := unsealed(t, layoutFor(15, 1).size(), unix.F_SEAL_SHRINK), unsealed(t, 4096, unix.F_SEAL_SHRINK)
	v := newVictim(t)
	dir := falseDirectory(t, v, nil)
	var asked atomic.Int32
	im := newImpostor(t, func(conn *net.UnixConn, req request) {
		switch req.op {
		case askDirectory:
			give(conn, req, reply{}, dir.FD())
		case askQP:
			asked.Add(1)
			give(conn, req, reply{n: 16, sge: 1}, queue)
		case askRegion:
			give(conn, req, reply{}, page)
		}
	})
	check(t, v.connect(im.endpoint()))
	allow := noDescriptors(t)
	v.start(t, 0x10000, 257)
	for end := time.Now().Add(10 * time.Second); asked.Load() < 2; {
		if v.waits(t, 10*time.Millisecond); time.Now().After(end) {
			t.Fatal("nobody asked again")
		}
	}
	allow()
	if wc := v.next(t); wc.Status != verbs.WCSuccess {
		t.Errorf("status %s", wc.Status)
	}
}

// TestAcceptWithoutDescriptors: a context that could not accept a connection for want of
// descriptors accepts it later, and others.
func TestAcceptWithoutDescriptors(t *testing.T) {
	v := newVictim(t)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	check(t, err)
	defer unix.Close(fd)
	allow := noDescriptors(t)
	check(t, unix.Connect(fd, &unix.SockaddrUnix{Name: socketAddr(v.ctx.id).Name}))
	time.Sleep(100 * time.Millisecond) // most likely it tries to accept meanwhile
	allow()
	_, err = unix.Write(fd, request{op: askDirectory, serial: 5}.encode())
	check(t, err)
	ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	if n, err := unix.Poll(ready, 10_000); n != 1 {
		t.Fatalf("no answer, %v", err)
	}
	v.works(t)
}

// TestSilentProcess: a peer that is there and does not answer ends the QP that asks it, in
// time, and no other.
func TestSilentProcess(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	dir := falseDirectory(t, v, nil)
	im := newImpostor(t, func(conn *net.UnixConn, req request) {
		if req.op == askDirectory {
			give(conn, req, reply{}, dir.FD())
		}
	})
	check(t, v.connect(im.endpoint()))
	began := time.Now()
	v.start(t, 0x10000, 257)
	if took := time.Since(began); took > answerLimit/2 {
		t.Errorf("posting took %v", took)
	}
	v.waits(t, answerLimit/2)
	v.works(t)
	if wc := v.next(t); wc.Status != verbs.WCRetryExcErr {
		t.Errorf("status %s", wc.Status)
	}
	if took := time.Since(began); took < answerLimit {
		t.Errorf("it ended after %v", took)
	}
	v.works(t)
}

// TestAnswerLimit: requests wait for an answer for answerLimit, as long as the retries take
// if that is longer, and for ever with timeout 0.
func TestAnswerLimit(t *testing.T) {
	for _, c := range []struct {
		timeout, retries uint8
		waited           time.Duration
		want             verbs.WCStatus
	}{
		{8, 1, answerLimit - time.Second, verbs.WCSuccess},
		{8, 1, answerLimit + time.Second, verbs.WCRetryExcErr},
		{19, 6, 14 * time.Second, verbs.WCSuccess}, // 7 times 2.1 s
		{19, 6, 16 * time.Second, verbs.WCRetryExcErr},
		{0, 0, time.Hour, verbs.WCSuccess},
	} {
		v := newVictim(t)
		v.qp.attr.Timeout, v.qp.attr.RetryCnt = c.timeout, c.retries
		p := &pending{since: time.Now().Add(-c.waited)}
		if got := v.qp.wait(p, unanswered); got != c.want {
			t.Errorf("timeout %d, %d retries, after %v: %s", c.timeout, c.retries, c.waited, got)
		}
	}
}
