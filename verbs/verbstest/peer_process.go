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

// Wire carries what the processes of a statement tell each other beside the device.
type Wire interface {
	io.ReadWriter
	SetReadDeadline(time.Time) error
}

// Peer is another process that plays a part in a statement, on this host or on another one.
type Peer interface {
	Wire
	// Kill ends the process without a chance to clean up, and returns when it has ended.
	Kill() error
	// Close lets go of the process, which has ended when Close returns.
	Close() error
	// Said is what the process has printed, for people. It is complete after Close.
	Said() string
}

// peerVariable says in the environment of a process that it is a peer, and of which device.
const peerVariable = "IBPERF_VERBSTEST_PEER"

// place is what a peer must know of its target.
type place struct {
	Device   string `json:"device"`
	Port     int    `json:"port"`
	GIDIndex int    `json:"gid_index"`
}

// Child makes the process the peer of a statement that needs a second one, if [StartPeer]
// started it, and then does not return. Programs that hold devices to the statements call it
// first:
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

// playPeer is what a peer process does.
func playPeer(r *record, text string) {
	e := newEnv(testOf(r), Target{}, statement{id: "peer"})
	for fd := 3; fd <= 4; fd++ { // so that deadlines hold
		e.ok(unix.SetNonblock(fd, true))
	}
	var where place
	e.ok(json.Unmarshal([]byte(text), &where))
	device, err := verbs.Lookup(where.Device)
	e.ok(err)
	e.target = Target{Device: device, Port: where.Port, GIDIndex: where.GIDIndex, Quirks: QuirksOf(device)}
	l := newLine(e, pipes{os.NewFile(3, "in"), os.NewFile(4, "out")})
	var first message
	e.ok(l.decoder.Decode(&first))
	role, ok := roles[first.Role]
	if !ok {
		e.Fatalf("no role %q", first.Role)
	}
	role(l, first.Count)
}

// pipes are a wire of two.
type pipes struct{ in, out *os.File }

func (p pipes) Read(b []byte) (int, error)        { return p.in.Read(b) }
func (p pipes) Write(b []byte) (int, error)       { return p.out.Write(b) }
func (p pipes) SetReadDeadline(t time.Time) error { return p.in.SetReadDeadline(t) }

// localPeer is a process that this one has started.
type localPeer struct {
	pipes
	cmd  *exec.Cmd
	said bytes.Buffer
}

// StartPeer starts this program again, as a peer on this host with the target's device, port
// and GID. Its main calls [Child].
func StartPeer(target Target) (Peer, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(place{target.Device.Name(), target.Port, target.GIDIndex})
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
	p := &localPeer{pipes: pipes{in, out}, cmd: exec.Command(binary, "-test.run=^$")} // which runs nothing in a test without Child
	p.cmd.Env = append(os.Environ(), peerVariable+"="+string(text))
	p.cmd.ExtraFiles = []*os.File{childIn, childOut}
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	err = subprocess.Start(p.cmd)
	err = errors.Join(err, childIn.Close(), childOut.Close())
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return p, nil
}

// Kill ends the process.
func (p *localPeer) Kill() error {
	if p.cmd.ProcessState != nil {
		return nil
	}
	p.cmd.Process.Kill()
	p.cmd.Wait() // which fails, as the process was killed
	return nil
}

// Close ends the process too.
func (p *localPeer) Close() error {
	p.out.Close()
	p.in.Close()
	return p.Kill()
}

// Said returns its standard output and error.
func (p *localPeer) Said() string {
	if p.cmd.ProcessState == nil {
		return ""
	}
	return p.said.String()
}
