//go:build !race

package shm

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/verbs"
)

// halted is an honest peer in a process of its own, which is stopped before anybody has
// touched its memory.
type halted struct {
	qp        *qp // of this process, connected to it
	process   *os.Process
	succeeded bool
}

// offer is what the processes tell each other.
type offer struct {
	Endpoint verbs.Endpoint
	Addr     uint64
	RKey     uint32
}

const haltedVariable = "IBPERF_SHM_TEST_HALTED"

// TestHaltedPeer is the other process of TestSabotage.
func TestHaltedPeer(t *testing.T) {
	if os.Getenv(haltedVariable) == "" {
		t.Skip("not a test by itself: the other process of TestSabotage")
	}
	v := newVictim(t)
	check(t, json.NewEncoder(os.Stdout).Encode(offer{v.endpoint(), v.mr.Addr(), v.mr.RKey()}))
	in := json.NewDecoder(os.Stdin)
	var theirs offer
	check(t, in.Decode(&theirs))
	check(t, v.connect(theirs.Endpoint))
	check(t, json.NewEncoder(os.Stdout).Encode(offer{}))
	in.Decode(&theirs) // until the input ends
}

// halt connects a QP of the prey to a new process, stops that, and posts a WRITE to its memory.
// The process goes on after a time.
func (p *prey) halt(t *testing.T, within time.Duration) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestHaltedPeer$", "-test.timeout=120s")
	cmd.Env = append(os.Environ(), haltedVariable+"=1")
	in, err := cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	err = subprocess.Start(cmd)
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("binfmt_misc: the kernel starts no programs of " + runtime.GOARCH)
	}
	check(t, err)
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	p.halted = &halted{qp: p.newQP(t, p.qp.pd), process: cmd.Process}
	first := p.qp
	defer func() { p.qp = first }()
	p.qp = p.halted.qp
	var theirs, ready offer
	answers := json.NewDecoder(out)
	check(t, answers.Decode(&theirs))
	check(t, json.NewEncoder(in).Encode(offer{Endpoint: p.endpoint()}))
	check(t, answers.Decode(&ready))
	check(t, p.connect(theirs.Endpoint))
	p.qp.attr.Timeout, p.qp.attr.RetryCnt = 18, 7 // together 8.6 s
	stop(t, cmd.Process)
	timer := time.AfterFunc(within, func() { cmd.Process.Signal(syscall.SIGCONT) })
	t.Cleanup(func() { timer.Stop() })
	wr := verbs.SendWR{WRID: uint64(p.qp.num), Opcode: verbs.OpRDMAWrite, SGList: p.sge(0, preyRoom), NumSGE: 1}
	wr.SetRDMA(theirs.Addr, theirs.RKey)
	_, err = p.qp.PostSend(&wr)
	check(t, err)
}

// stop stops the process, and returns when all of it stands.
func stop(t *testing.T, p *os.Process) {
	t.Helper()
	check(t, p.Signal(syscall.SIGSTOP))
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid))
		check(t, err)
		if _, rest, _ := strings.Cut(string(b), ") "); strings.HasPrefix(rest, "T") {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the process does not stop")
		}
	}
}

// resumes waits for the WRITE to the process that was stopped.
func (p *prey) resumes(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !p.halted.succeeded; {
		if p.drain(t); time.Now().After(end) {
			t.Fatal("the WRITE to a process that was stopped for a while does not end")
		}
	}
}
