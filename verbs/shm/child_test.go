package shm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/verbs"
)

// The test binary starts itself as a second process, which runs TestChild in a
// role. They exchange greetings over pipes and talk over the device.

const roleVariable = "IBPERF_SHM_TEST_ROLE"

// greeting is what each process tells the other one.
type greeting struct {
	Device   string         `json:"device"`
	Endpoint verbs.Endpoint `json:"endpoint"`
	Addr     uint64         `json:"addr"`
	RKey     uint32         `json:"rkey"`
	Note     string         `json:"note"`
}

// child is the other process as the parent sees it.
type child struct {
	cmd  *exec.Cmd
	send *json.Encoder
	recv *json.Decoder
}

// startChild runs the role in a process with the credential; nil: this user's.
func startChild(t *testing.T, role string, cred *syscall.Credential) *child {
	t.Helper()
	toChild, fromParent := must2(os.Pipe())(t)
	toParent, fromChild := must2(os.Pipe())(t)
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestChild$", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.ExtraFiles = []*os.File{toChild, fromChild}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	cmd.Dir = "/"
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	err := subprocess.Start(cmd)
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("binfmt_misc: the kernel starts no programs of " + runtime.GOARCH)
	}
	noError(t, err)
	toChild.Close()
	fromChild.Close()
	t.Cleanup(func() {
		fromParent.Close()
		toParent.Close()
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("the child said:\n%s", log.String())
		}
	})
	return &child{cmd, json.NewEncoder(fromParent), json.NewDecoder(toParent)}
}

func must2[A, B any](a A, b B, err error) func(testing.TB) (A, B) {
	return func(t testing.TB) (A, B) {
		t.Helper()
		noError(t, err)
		return a, b
	}
}

func (s *side) greeting(t testing.TB) greeting {
	t.Helper()
	gid := must(s.ctx.QueryGID(1, 0))(t)
	return greeting{
		Device:   s.conf.device,
		Endpoint: verbs.Endpoint{QPNum: s.qp.QPNum(), PSN: 5, GID: gid.GID, MTU: verbs.MTU4096, RdAtomic: 16},
		Addr:     s.mr.Addr(), RKey: s.mr.RKey(),
	}
}

// meet connects the side with the process behind the pipes.
func (s *side) meet(t testing.TB, out *json.Encoder, in *json.Decoder) greeting {
	t.Helper()
	mine := s.greeting(t)
	noError(t, out.Encode(mine))
	var theirs greeting
	noError(t, in.Decode(&theirs))
	noError(t, verbs.Connect(s.qp, verbs.Path{Port: 1}, allRights, mine.Endpoint, theirs.Endpoint))
	noError(t, out.Encode(greeting{Note: "connected"}))
	var ready greeting
	noError(t, in.Decode(&ready))
	return theirs
}

// roles are what a child can be.
var roles = map[string]func(t *testing.T, out *json.Encoder, in *json.Decoder){
	"partner":  partner,
	"stranger": stranger,
	"adder":    adder,
	"ending":   ending,
}

func TestChild(t *testing.T) {
	role, ok := roles[os.Getenv(roleVariable)]
	if !ok {
		t.Skip("not a test by itself: the other process of TestTwoProcesses and others")
	}
	role(t, json.NewEncoder(os.NewFile(4, "out")), json.NewDecoder(os.NewFile(3, "in")))
}

// partner serves commands that arrive as messages, until its input is closed.
func partner(t *testing.T, out *json.Encoder, in *json.Decoder) {
	var hello greeting
	noError(t, in.Decode(&hello))
	c := conf()
	c.device = hello.Device
	s := newSide(t, c)
	peer := s.meet(t, out, in)
	for i := range 8 {
		s.mustRecv(t, recv{id: uint64(i), sges: []verbs.SGE{s.sge(1000*i, 1000)}})
	}
	for {
		wc := poll(t, s.recvCQ, 1)[0]
		if wc.Status != verbs.WCSuccess {
			return
		}
		at, n := 1000*int(wc.WRID), int(wc.ByteLen)
		s.obey(t, peer, at, n)
		s.mustRecv(t, recv{id: wc.WRID, sges: []verbs.SGE{s.sge(at, 1000)}})
	}
}

// obey carries out the command at the offset: the first byte says which.
func (s *side) obey(t testing.TB, peer greeting, at, n int) {
	t.Helper()
	sges := []verbs.SGE{s.sge(at+1, n-1)}
	switch s.mem[at] {
	case 'e': // echo
		s.mustPost(t, send{op: verbs.OpSend, sges: sges})
	case 'w': // write to the start of the peer's buffer, and tell
		s.mustPost(t, send{op: verbs.OpRDMAWriteWithImm, imm: imm, raddr: peer.Addr, rkey: peer.RKey, sges: sges})
	case 'r': // read from the start of the peer's buffer, and echo that
		s.mustPost(t, send{op: verbs.OpRDMARead, raddr: peer.Addr, rkey: peer.RKey, sges: sges},
			send{op: verbs.OpSend, flags: verbs.SendFence, sges: sges})
	}
	s.mustPost(t, send{flags: verbs.SendSignaled, raddr: peer.Addr, rkey: peer.RKey})
	pollOne(t, s.sendCQ, 0, verbs.WCSuccess)
}

// stranger tries to connect, as another user, to the endpoint that it is told.
func stranger(t *testing.T, out *json.Encoder, in *json.Decoder) {
	var theirs greeting
	noError(t, in.Decode(&theirs))
	s := newSide(t, conf())
	err := verbs.Connect(s.qp, verbs.Path{Port: 1}, allRights, s.greeting(t).Endpoint, theirs.Endpoint)
	answer := greeting{Note: "connected"}
	if err != nil {
		answer.Note = err.Error()
	}
	noError(t, out.Encode(answer))
	noError(t, out.Encode(greeting{Note: askRaw(t, theirs.Endpoint.GID)}))
}

// ending connects a side and then lets go of the descriptors of its memory, as the kernel does
// first when it ends a process.
func ending(t *testing.T, out *json.Encoder, in *json.Decoder) {
	s := newSide(t, conf())
	var peer greeting
	noError(t, in.Decode(&peer))
	s.meet(t, out, in)
	noError(t, in.Decode(&peer)) // it has reached this side
	for _, f := range must(os.ReadDir("/proc/self/fd"))(t) {
		if link, _ := os.Readlink("/proc/self/fd/" + f.Name()); strings.HasPrefix(link, "/memfd:") {
			noError(t, syscall.Close(must(strconv.Atoi(f.Name()))(t)))
		}
	}
	noError(t, out.Encode(greeting{}))
	in.Decode(&peer)
}
