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

// stop stops the process, and returns when all its threads have stopped.
func (c *child) stop(t *testing.T) {
	t.Helper()
	noError(t, c.cmd.Process.Signal(syscall.SIGSTOP))
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		b := must(os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid)))(t)
		if _, rest, _ := bytes.Cut(b, []byte(") ")); rest[0] == 'T' {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the process did not stop within 10 s")
		}
	}
}

// TestWriteToStoppedProcess covers that a WRITE needs no running process at the other end, not even
// the first of a connection.
func TestWriteToStoppedProcess(t *testing.T) {
	s, other, peer := pairWithProcess(t, "shm_whole")
	other.stop(t)
	s.Post(send{ID: 1, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{s.SGE(0, 64)}, RemoteAddr: peer.Addr, RKey: peer.RKey})
	s.SendCQ.Expect(1, verbs.WCSuccess)
	noError(t, other.cmd.Process.Signal(syscall.SIGCONT))
}
