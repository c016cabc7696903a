package shm_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/internal/emulation"
	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/verbs"
)

// The test binary starts itself as a second process, which runs TestChild in one of the roles. The
// processes exchange greetings over pipes and messages over the device.

const roleVariable = "IBPERF_SHM_TEST_ROLE"

// greeting is a message between the two processes.
type greeting struct {
	Device   string         `json:"device"`
	Endpoint verbs.Endpoint `json:"endpoint"`
	Addr     uint64         `json:"addr"`
	RKey     uint32         `json:"rkey"`
	Note     string         `json:"note"`
}

// child is the other process.
type child struct {
	cmd  *exec.Cmd
	send *json.Encoder
	recv *json.Decoder
}

// startChild runs the role in a process with the credential; nil means this user's.
func startChild(t *testing.T, role string, cred *syscall.Credential) *child {
	t.Helper()
	emulation.SkipFork(t)
	toChild, fromParent := mustBoth(os.Pipe())(t)
	toParent, fromChild := mustBoth(os.Pipe())(t)
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestChild$", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.ExtraFiles = []*os.File{toChild, fromChild}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	cmd.Dir = "/"
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	noError(t, subprocess.Start(cmd))
	toChild.Close()
	fromChild.Close()
	t.Cleanup(func() {
		fromParent.Close()
		toParent.Close()
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("output of the child:\n%s", log.String())
		}
	})
	return &child{cmd, json.NewEncoder(fromParent), json.NewDecoder(toParent)}
}

func mustBoth[A, B any](a A, b B, err error) func(testing.TB) (A, B) {
	return func(t testing.TB) (A, B) {
		t.Helper()
		noError(t, err)
		return a, b
	}
}

func (s *side) greeting(t testing.TB) greeting {
	t.Helper()
	gid := must(s.Ctx.QueryGID(1, 0))(t)
	return greeting{
		Device:   s.device,
		Endpoint: verbs.Endpoint{QPNum: s.QP.QPNum(), PSN: 5, GID: gid.GID, MTU: verbs.MTU4096, RdAtomic: 16},
		Addr:     s.MR.Addr(), RKey: s.MR.RKey(),
	}
}

// connectProcess connects the side to the process behind the pipes.
func (s *side) connectProcess(t testing.TB, out *json.Encoder, in *json.Decoder) greeting {
	t.Helper()
	mine := s.greeting(t)
	noError(t, out.Encode(mine))
	var theirs greeting
	noError(t, in.Decode(&theirs))
	noError(t, verbs.Connect(s.QP, verbs.Path{Port: 1}, allRights, mine.Endpoint, theirs.Endpoint))
	noError(t, out.Encode(greeting{Note: "connected"}))
	var ready greeting
	noError(t, in.Decode(&ready))
	return theirs
}

// roles holds what a child process can do.
var roles = map[string]func(t *testing.T, out *json.Encoder, in *json.Decoder){
	"server":            serveCommands,
	"other user":        connectAsOtherUser,
	"adder":             addToParent,
	"close descriptors": closeDescriptors,
	"flood":             floodSRQ,
}

func TestChild(t *testing.T) {
	role, ok := roles[os.Getenv(roleVariable)]
	if !ok {
		t.Skip("only runs as the other process of TestTwoProcesses and others")
	}
	role(t, json.NewEncoder(os.NewFile(4, "out")), json.NewDecoder(os.NewFile(3, "in")))
}

// serveCommands executes the commands that arrive as messages, until its input is closed.
func serveCommands(t *testing.T, out *json.Encoder, in *json.Decoder) {
	var hello greeting
	noError(t, in.Decode(&hello))
	c := conf()
	c.device = hello.Device
	s := newSide(t, c)
	peer := s.connectProcess(t, out, in)
	for i := range 8 {
		s.PostRecv(recv{ID: uint64(i), SGEs: []verbs.SGE{s.SGE(1000*i, 1000)}})
	}
	for {
		wc := s.RecvCQ.Next(1)[0]
		if wc.Status != verbs.WCSuccess {
			return
		}
		at, n := 1000*int(wc.WRID), int(wc.ByteLen)
		s.runCommand(t, peer, at, n)
		s.PostRecv(recv{ID: wc.WRID, SGEs: []verbs.SGE{s.SGE(at, 1000)}})
	}
}

// runCommand executes the command at the offset; its first byte is the kind.
func (s *side) runCommand(t testing.TB, peer greeting, at, n int) {
	t.Helper()
	sges := []verbs.SGE{s.SGE(at+1, n-1)}
	switch s.Mem[at] {
	case 'e': // echo
		s.Post(send{Op: verbs.OpSend, SGEs: sges})
	case 'w': // WRITE_WITH_IMM to the start of the peer's buffer
		s.Post(send{Op: verbs.OpRDMAWriteWithImm, Imm: imm, RemoteAddr: peer.Addr, RKey: peer.RKey, SGEs: sges})
	case 'r': // READ from the start of the peer's buffer, and echo
		s.Post(send{Op: verbs.OpRDMARead, RemoteAddr: peer.Addr, RKey: peer.RKey, SGEs: sges},
			send{Op: verbs.OpSend, Flags: verbs.SendFence, SGEs: sges})
	}
	s.Post(send{Flags: verbs.SendSignaled, RemoteAddr: peer.Addr, RKey: peer.RKey})
	s.SendCQ.Expect(0, verbs.WCSuccess)
}

// connectAsOtherUser tries to connect to the endpoint that it receives, as another user.
func connectAsOtherUser(t *testing.T, out *json.Encoder, in *json.Decoder) {
	var theirs greeting
	noError(t, in.Decode(&theirs))
	s := newSide(t, conf())
	err := verbs.Connect(s.QP, verbs.Path{Port: 1}, allRights, s.greeting(t).Endpoint, theirs.Endpoint)
	answer := greeting{Note: "connected"}
	if err != nil {
		answer.Note = err.Error()
	}
	noError(t, out.Encode(answer))
	noError(t, out.Encode(greeting{Note: sendRaw(t, theirs.Endpoint.GID)}))
}

// closeDescriptors connects a side and then closes the descriptors of its memory, as the kernel
// does first when it ends a process.
func closeDescriptors(t *testing.T, out *json.Encoder, in *json.Decoder) {
	s := newSide(t, conf())
	var peer greeting
	noError(t, in.Decode(&peer))
	s.connectProcess(t, out, in)
	noError(t, in.Decode(&peer)) // the peer has reached this side
	for _, f := range must(os.ReadDir("/proc/self/fd"))(t) {
		if link, _ := os.Readlink("/proc/self/fd/" + f.Name()); strings.HasPrefix(link, "/memfd:") {
			noError(t, syscall.Close(must(strconv.Atoi(f.Name()))(t)))
		}
	}
	noError(t, out.Encode(greeting{}))
	in.Decode(&peer)
}
