package shm_test

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// stop stops the process, and returns when all of it stands.
func (c *child) stop(t *testing.T) {
	t.Helper()
	noError(t, c.cmd.Process.Signal(syscall.SIGSTOP))
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		b := must(os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid)))(t)
		if _, rest, _ := bytes.Cut(b, []byte(") ")); rest[0] == 'T' {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the process does not stop")
		}
	}
}

// TestPeerIsStopped: a WRITE needs no process at the other end, nor does the first one of a
// connection.
func TestPeerIsStopped(t *testing.T) {
	s, other, peer := partnered(t, "shm_whole")
	other.stop(t)
	s.mustPost(t, send{id: 1, flags: verbs.SendSignaled, sges: []verbs.SGE{s.sge(0, 64)}, raddr: peer.Addr, rkey: peer.RKey})
	pollOne(t, s.sendCQ, 1, verbs.WCSuccess)
	noError(t, other.cmd.Process.Signal(syscall.SIGCONT))
}
