package verbstest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/verbs"
)

// Wire carries the messages between the processes of a statement, apart from the device.
type Wire interface {
	io.ReadWriter
	SetReadDeadline(time.Time) error
}

// Peer is the second process of a statement, on this host or on another one.
type Peer interface {
	Wire
	// Kill kills the process and returns when it has ended.
	Kill() error
	// Close ends the process, and returns when it has ended.
	Close() error
	// Output returns the output of the process, which is complete after Close.
	Output() string
}

// NoPeer is the Peer of a [Target] for programs that start no processes. Statements that need one are skipped.
func NoPeer() (Peer, error) { return nil, errNoPeer }

var errNoPeer = errors.New("this program starts no second process")

// peerVariable is the environment variable of a peer, with its peerTarget.
const peerVariable = "IBPERF_VERBSTEST_PEER"

// peerTarget is the part of a target that a peer needs.
type peerTarget struct {
	Device   string `json:"device"`
	Port     int    `json:"port"`
	GIDIndex int    `json:"gid_index"`
}

// Child runs the peer of a statement and does not return, if [StartPeer] has started the process.
// Programs that run statements call it first:
//
//	func TestMain(m *testing.M) { verbstest.Child(); os.Exit(m.Run()) }
func Child() {
	text := os.Getenv(peerVariable)
	if text == "" {
		return
	}
	r := &record{}
	r.begin(func(r *record) { playPeer(r, text) })
	if r.failed || r.skipped {
		fmt.Fprintln(os.Stderr, strings.Join(append(r.lines, r.reason), "\n"))
		os.Exit(1)
	}
	os.Exit(0)
}

// playPeer runs a peer process.
func playPeer(r *record, text string) {
	e := newEnv(testOf(r), Target{}, statement{id: "peer"})
	for fd := 3; fd <= 4; fd++ { // deadlines need non-blocking descriptors
		e.ok(unix.SetNonblock(fd, true))
	}
	var where peerTarget
	e.ok(json.Unmarshal([]byte(text), &where))
	device, err := verbs.Lookup(where.Device)
	e.ok(err)
	e.target = TargetOf(device)
	e.target.Port, e.target.GIDIndex = where.Port, where.GIDIndex
	l := newPeerConn(e, pipes{os.NewFile(3, "in"), os.NewFile(4, "out")})
	var first message
	e.ok(l.decoder.Decode(&first))
	role, ok := roles[first.Role]
	if !ok {
		e.Fatalf("no role %q", first.Role)
	}
	role(l, first.Count)
}

// pipes is a Wire of two pipes.
type pipes struct{ in, out *os.File }

func (p pipes) Read(b []byte) (int, error)        { return p.in.Read(b) }
func (p pipes) Write(b []byte) (int, error)       { return p.out.Write(b) }
func (p pipes) SetReadDeadline(t time.Time) error { return p.in.SetReadDeadline(t) }

// localPeer is a child process.
type localPeer struct {
	pipes
	cmd    *exec.Cmd
	output bytes.Buffer  // complete once ended is closed
	ended  chan struct{} // closed when the process has ended
}

// peerKillLimit is the time within which a killed process must end; otherwise the kernel holds it.
const peerKillLimit = 10 * time.Second

// StartPeer starts this program again, as a peer on this host with the target's device, port
// and GID. Its main calls [Child].
func StartPeer(target Target) (Peer, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(peerTarget{target.Device.Name(), target.Port, target.GIDIndex})
	if err != nil {
		return nil, err
	}
	childIn, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), out.Close())
	}
	p := &localPeer{pipes: pipes{in, out}, cmd: exec.Command(binary, "-test.run=^$"), ended: make(chan struct{})} // the pattern runs no test if the program does not call Child
	p.cmd.Env = append(os.Environ(), peerVariable+"="+string(text))
	p.cmd.ExtraFiles = []*os.File{childIn, childOut}
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	p.cmd.WaitDelay = time.Second
	err = subprocess.Start(p.cmd)
	err = errors.Join(err, childIn.Close(), childOut.Close())
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // fails when the process was killed
	}()
	return p, nil
}

// Kill ends the process.
func (p *localPeer) Kill() error {
	_ = p.cmd.Process.Kill() // fails when the process has ended
	select {
	case <-p.ended:
		return nil
	case <-time.After(peerKillLimit):
		return fmt.Errorf("process %d has not ended within %v of SIGKILL: the kernel holds it", p.cmd.Process.Pid, peerKillLimit)
	}
}

// Close ends the process.
func (p *localPeer) Close() error {
	p.out.Close()
	p.in.Close()
	return p.Kill()
}

// Output returns its standard output and error.
func (p *localPeer) Output() string {
	select {
	case <-p.ended:
		return p.output.String()
	default:
		return ""
	}
}
