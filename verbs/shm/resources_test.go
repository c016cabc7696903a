package shm

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// exhaustDescriptors prevents this process from opening files, until the returned function is
// called. Descriptor 0 must be open.
func exhaustDescriptors(t *testing.T) (allow func()) {
	t.Helper()
	var before unix.Rlimit
	check(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &before))
	check(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1, Max: before.Max}))
	allow = func() { check(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &before)) }
	t.Cleanup(allow)
	return allow
}

// postWrite posts a WRITE of 64 bytes without waiting for it.
func (v *node) postWrite(t *testing.T, addr uint64, key uint32) {
	t.Helper()
	sge := verbs.SGE{Addr: v.mr.Addr(), Length: 64, LKey: v.mr.LKey()}
	wr := verbs.SendWR{Opcode: verbs.OpRDMAWrite, SendFlags: verbs.SendSignaled, SGList: &sge, NumSGE: 1}
	wr.SetRDMA(addr, key)
	_, err := v.qp.PostSend(&wr)
	check(t, err)
}

// wantNoCompletion checks that no completion arrives within a time.
func (v *node) wantNoCompletion(t *testing.T, within time.Duration) {
	t.Helper()
	var wc [1]verbs.WC
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if n, err := v.cq.Poll(wc[:]); n != 0 || err != nil {
			t.Fatalf("%d completions, the first %+v, %v", n, wc[0], err)
		}
	}
}

// TestRequestWaitsForDescriptors covers a request whose memory cannot be opened since descriptors
// are exhausted: it waits, and continues when there are some. It covers the first request to the
// peer's QP, and the first to a region.
func TestRequestWaitsForDescriptors(t *testing.T) {
	for _, used := range []bool{false, true} {
		a, b := newNode(t), newNode(t)
		check(t, a.connect(b.endpoint()))
		check(t, b.connect(a.endpoint()))
		if used {
			a.qp.lock()
			_, out := a.qp.reachPeer()
			a.qp.unlock()
			if out != done {
				t.Fatalf("reachPeer: outcome %d, want done", out)
			}
		}
		allow := exhaustDescriptors(t)
		a.postWrite(t, b.mr.Addr(), b.mr.RKey())
		a.wantNoCompletion(t, 200*time.Millisecond)
		allow()
		if wc := a.nextCompletion(t); wc.Status != verbs.WCSuccess {
			t.Errorf("status %s, want SUCCESS", wc.Status)
		}
	}
}

// TestAcceptWithoutDescriptors covers a context that cannot accept a connection since descriptors
// are exhausted: it accepts the connection later.
func TestAcceptWithoutDescriptors(t *testing.T) {
	v := newNode(t)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	check(t, err)
	defer unix.Close(fd)
	allow := exhaustDescriptors(t)
	check(t, unix.Connect(fd, &unix.SockaddrUnix{Name: socketAddr(v.ctx.id).Name}))
	time.Sleep(100 * time.Millisecond) // it most likely tries to accept meanwhile
	allow()
	ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} // for the unmap notice that every accepted peer gets
	if n, err := unix.Poll(ready, 10_000); n != 1 {
		t.Fatalf("the connection was not accepted: %v", err)
	}
	v.checkWorks(t)
}

// TestResourceWaitLimit covers that requests wait for descriptors for minResourceWait, or for the
// time of their retries if that is longer, and forever with timeout 0.
func TestResourceWaitLimit(t *testing.T) {
	for _, c := range []struct {
		timeout, retries uint8
		waited           time.Duration
		want             verbs.WCStatus
	}{
		{8, 1, minResourceWait - time.Second, verbs.WCSuccess},
		{8, 1, minResourceWait + time.Second, verbs.WCRetryExcErr},
		{19, 6, 14 * time.Second, verbs.WCSuccess}, // 7 times 2.1 s
		{19, 6, 16 * time.Second, verbs.WCRetryExcErr},
		{0, 0, time.Hour, verbs.WCSuccess},
	} {
		v := newNode(t)
		v.qp.attr.Timeout, v.qp.attr.RetryCnt = c.timeout, c.retries
		w := &pendingWR{blockedSince: time.Now().Add(-c.waited)}
		if got := v.qp.startWait(w, outOfResources); got != c.want {
			t.Errorf("timeout %d, %d retries, after %v: %s", c.timeout, c.retries, c.waited, got)
		}
	}
}
