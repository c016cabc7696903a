package verbstest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// peerVariable says in the environment that the process is a peer.
const peerVariable = "IBPERF_VERBSTEST_PEER"

// Child makes the process the peer of a statement that needs a second one, if
// such a statement started it, and then does not return. A test binary that calls
// [Run] calls it first:
//
//	func TestMain(m *testing.M) { verbstest.Child(); os.Exit(m.Run()) }
func Child() {
	if os.Getenv(peerVariable) == "" {
		return
	}
	r := &record{}
	r.begin(playPeer)
	if r.failed || r.skipped {
		fmt.Fprintln(os.Stderr, strings.Join(append(r.lines, r.reason), "\n"))
		os.Exit(1)
	}
	os.Exit(0)
}

// message is what the two processes tell each other.
type message struct {
	Role     string       `json:"role,omitempty"` // the first one: what to be
	Device   string       `json:"device,omitempty"`
	Port     int          `json:"port,omitempty"`
	GIDIndex int          `json:"gid_index"`
	Count    int          `json:"count,omitempty"` // of whatever the role does
	Far      *farEndpoint `json:"far,omitempty"`
	Data     []byte       `json:"data,omitempty"`
	Error    string       `json:"error,omitempty"`
}

// line is how the processes talk beside the device.
type line struct {
	e       *env
	in, out *os.File
	decoder *json.Decoder
	encoder *json.Encoder
}

func newLine(e *env, in, out *os.File) *line {
	return &line{e, in, out, json.NewDecoder(in), json.NewEncoder(out)}
}

func (l *line) tell(m message) {
	l.e.Helper()
	l.e.ok(l.encoder.Encode(m))
}

func (l *line) hear() (m message) {
	l.e.Helper()
	l.e.ok(l.in.SetReadDeadline(time.Now().Add(patience)))
	if err := l.decoder.Decode(&m); err != nil {
		l.e.Fatalf("the other process says nothing: %v; does its TestMain call verbstest.Child?", err)
	}
	if m.Error != "" {
		l.e.Fatalf("the other process: %s", m.Error)
	}
	return m
}

// process is a peer in a process of its own.
type process struct {
	*line
	cmd *exec.Cmd
}

// process starts a peer in the role, which does something so many times.
func (e *env) process(role string, count int) *process {
	e.Helper()
	binary, err := os.Executable()
	e.ok(err)
	childIn, out, err := os.Pipe()
	e.ok(err)
	in, childOut, err := os.Pipe()
	e.ok(err)
	cmd := exec.Command(binary, "-test.run=^$") // which runs nothing in a binary without Child
	cmd.Env = append(os.Environ(), peerVariable+"=1")
	cmd.ExtraFiles = []*os.File{childIn, childOut}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err = cmd.Start(); errors.Is(err, syscall.ENOEXEC) {
		e.Skip("binfmt_misc: the kernel starts no programs of " + runtime.GOARCH)
	}
	e.ok(err)
	childIn.Close()
	childOut.Close()
	p := &process{newLine(e, in, out), cmd}
	e.Cleanup(func() {
		out.Close()
		in.Close()
		p.kill()
		if e.Failed() {
			e.Logf("the other process said:\n%s", said.String())
		}
	})
	p.tell(message{Role: role, Device: e.target.Device.Name(), Port: e.target.Port, GIDIndex: e.target.GIDIndex, Count: count})
	return p
}

// kill ends the process without a chance to clean up, and waits for its end.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// farEndpoint is a side as the other process has to know it.
type farEndpoint struct {
	GID   verbs.GID `json:"gid"`
	LID   uint16    `json:"lid"`
	QPNum uint32    `json:"qp_num"`
	Addr  uint64    `json:"addr"`
	RKey  uint32    `json:"rkey"`
}

// meet connects the side with the one of the other process, and returns what
// stands for that here: it can be aimed at, and nothing else.
func (s *side) meet(l *line) *side {
	s.Helper()
	mine := farEndpoint{s.gid(s.ctx), s.env.port(s.ctx).LID, s.qp.QPNum(), s.mr.Addr(), s.mr.RKey()}
	l.tell(message{Far: &mine})
	theirs := l.hear().Far
	if theirs == nil {
		s.Fatal("the other process tells no endpoint")
	}
	far := &side{env: s.env, conf: s.conf, ctx: farContext{far: *theirs}, qp: farQP{num: theirs.QPNum}, mr: farMR{far: *theirs}}
	s.enter(verbs.QPRTS, far)
	l.tell(message{})
	l.hear() // it is connected, too
	return far
}

// What stands for objects of the other process.
type (
	farContext struct {
		verbs.Context
		far farEndpoint
	}
	farQP struct {
		verbs.QP
		num uint32
	}
	farMR struct {
		verbs.MR
		far farEndpoint
	}
)

func (c farContext) QueryGID(int, int) (verbs.GIDEntry, error) {
	return verbs.GIDEntry{GID: c.far.GID}, nil
}
func (c farContext) QueryPort(int) (verbs.PortAttr, error) {
	return verbs.PortAttr{LID: c.far.LID}, nil
}
func (q farQP) QPNum() uint32 { return q.num }
func (m farMR) Addr() uint64  { return m.far.Addr }
func (m farMR) RKey() uint32  { return m.far.RKey }
