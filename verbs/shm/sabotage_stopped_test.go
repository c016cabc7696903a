//go:build !race

package shm

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/emulation"
	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/verbs"
)

// stoppedPeer is an honest peer in its own process, which is stopped before its memory was
// accessed.
type stoppedPeer struct {
	qp        *qp // this process's QP, connected to the peer
	process   *os.Process
	succeeded bool
}

// hello is a message between the processes.
type hello struct {
	Endpoint verbs.Endpoint
	Addr     uint64
	RKey     uint32
}

const stoppedPeerVariable = "IBPERF_SHM_TEST_HALTED"

// TestStoppedPeerProcess is the other process of TestSabotage.
func TestStoppedPeerProcess(t *testing.T) {
	if os.Getenv(stoppedPeerVariable) == "" {
		t.Skip("only runs as the other process of TestSabotage")
	}
	v := newNode(t)
	check(t, json.NewEncoder(os.Stdout).Encode(hello{v.endpoint(), v.mr.Addr(), v.mr.RKey()}))
	in := json.NewDecoder(os.Stdin)
	var theirs hello
	check(t, in.Decode(&theirs))
	check(t, v.connect(theirs.Endpoint))
	check(t, json.NewEncoder(os.Stdout).Encode(hello{}))
	in.Decode(&theirs) // until the input ends
}

// connectStopped connects a QP of the target to a new process, stops the process, and posts a WRITE
// to its memory. The process resumes after a time.
func (p *sabotageTarget) connectStopped(t *testing.T, within time.Duration) {
	t.Helper()
	emulation.SkipFork(t)
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestStoppedPeerProcess$", "-test.timeout=120s")
	cmd.Env = append(os.Environ(), stoppedPeerVariable+"=1")
	in, err := cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, subprocess.Start(cmd))
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	p.stopped = &stoppedPeer{qp: p.newQP(t, p.qp.pd), process: cmd.Process}
	first := p.qp
	defer func() { p.qp = first }()
	p.qp = p.stopped.qp
	var theirs, ready hello
	answers := json.NewDecoder(out)
	check(t, answers.Decode(&theirs))
	check(t, json.NewEncoder(in).Encode(hello{Endpoint: p.endpoint()}))
	check(t, answers.Decode(&ready))
	check(t, p.connect(theirs.Endpoint))
	p.qp.attr.Timeout, p.qp.attr.RetryCnt = 18, 7 // together 8.6 s
	stopProcess(t, cmd.Process)
	timer := time.AfterFunc(within, func() { cmd.Process.Signal(syscall.SIGCONT) })
	t.Cleanup(func() { timer.Stop() })
	wr := verbs.SendWR{WRID: uint64(p.qp.num), Opcode: verbs.OpRDMAWrite, SGList: p.sge(0, targetMessageSize), NumSGE: 1}
	wr.SetRDMA(theirs.Addr, theirs.RKey)
	_, err = p.qp.PostSend(&wr)
	check(t, err)
}

// stopProcess stops the process, and returns when all its threads have stopped.
func stopProcess(t *testing.T, p *os.Process) {
	t.Helper()
	check(t, p.Signal(syscall.SIGSTOP))
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid))
		check(t, err)
		if _, rest, _ := strings.Cut(string(b), ") "); strings.HasPrefix(rest, "T") {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the process did not stop within 10 s")
		}
	}
}

// awaitStopped waits for the WRITE to the stopped process.
func (p *sabotageTarget) awaitStopped(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !p.stopped.succeeded; {
		if p.poll(t); time.Now().After(end) {
			t.Fatal("the WRITE to the process that was stopped has not completed within 20 s")
		}
	}
}
