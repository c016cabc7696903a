package shm

import (
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

// TestDescriptorsRunOut: a request whose memory cannot be opened for want of
// descriptors waits, and goes on when there are some: at the first touch of the peer's QP, and
// of a region.
func TestDescriptorsRunOut(t *testing.T) {
	for _, used := range []bool{false, true} {
		a, b := newVictim(t), newVictim(t)
		check(t, a.connect(b.endpoint()))
		check(t, b.connect(a.endpoint()))
		if used {
			a.qp.lock()
			_, out := a.qp.reach()
			a.qp.unlock()
			if out != done {
				t.Fatalf("outcome %d", out)
			}
		}
		allow := noDescriptors(t)
		a.start(t, b.mr.Addr(), b.mr.RKey())
		a.waits(t, 200*time.Millisecond)
		allow()
		if wc := a.next(t); wc.Status != verbs.WCSuccess {
			t.Errorf("status %s", wc.Status)
		}
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
	ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} // for the note that all get who are accepted
	if n, err := unix.Poll(ready, 10_000); n != 1 {
		t.Fatalf("not accepted, %v", err)
	}
	v.works(t)
}

// TestLackingLimit: requests wait for descriptors for lackingMost, as long as the retries take
// if that is longer, and for ever with timeout 0.
func TestLackingLimit(t *testing.T) {
	for _, c := range []struct {
		timeout, retries uint8
		waited           time.Duration
		want             verbs.WCStatus
	}{
		{8, 1, lackingMost - time.Second, verbs.WCSuccess},
		{8, 1, lackingMost + time.Second, verbs.WCRetryExcErr},
		{19, 6, 14 * time.Second, verbs.WCSuccess}, // 7 times 2.1 s
		{19, 6, 16 * time.Second, verbs.WCRetryExcErr},
		{0, 0, time.Hour, verbs.WCSuccess},
	} {
		v := newVictim(t)
		v.qp.attr.Timeout, v.qp.attr.RetryCnt = c.timeout, c.retries
		w := &waiting{since: time.Now().Add(-c.waited)}
		if got := v.qp.wait(w, lacking); got != c.want {
			t.Errorf("timeout %d, %d retries, after %v: %s", c.timeout, c.retries, c.waited, got)
		}
	}
}
