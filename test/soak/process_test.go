package soak

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/verbs"
)

// socketVariable makes this binary a peer that listens at the socket.
const socketVariable = "IBPERF_SOAK_SOCKET"

func TestMain(m *testing.M) {
	if socket := os.Getenv(socketVariable); socket != "" {
		fmt.Fprintln(os.Stderr, bePeer(socket))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// bePeer takes part in all sessions that others ask for.
func bePeer(socket string) error {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	fmt.Println("listening")
	return serve(listener, &contexts{kept: map[string]verbs.Context{}})
}

func serve(listener net.Listener, c *contexts) error {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go follow(conn, c)
	}
}

// process is a peer.
type process struct {
	cmd    *exec.Cmd
	socket string
	killed atomic.Bool
	said   output
}

// output is what a process has printed.
type output struct {
	sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.Lock()
	defer o.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.Lock()
	defer o.Unlock()
	return o.text.String()
}

// startProcess returns a peer that listens.
func startProcess(dir string, number int) (*process, error) {
	p := &process{socket: filepath.Join(dir, fmt.Sprint(number))}
	p.cmd = exec.Command("/proc/self/exe")
	p.cmd.Env = append(os.Environ(), socketVariable+"="+p.socket)
	p.cmd.Stderr = &p.said
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := subprocess.Start(p.cmd); err != nil {
		return nil, err
	}
	line := make([]byte, 64)
	out.(*os.File).SetReadDeadline(time.Now().Add(limit))
	if n, err := out.Read(line); err != nil || n == 0 {
		p.kill()
		return nil, fmt.Errorf("a peer does not start: %v\n%s", err, &p.said)
	}
	return p, nil
}

func (p *process) kill() {
	p.killed.Store(true)
	p.cmd.Process.Kill()
	p.cmd.Wait()
	os.Remove(p.socket)
}

// stop keeps the process from running for a time.
func (p *process) stop(t time.Duration) {
	p.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(t)
	p.cmd.Process.Signal(syscall.SIGCONT)
}

// dump lets the process print its goroutines, which ends it, and returns what it printed.
func (p *process) dump() string {
	p.killed.Store(true)
	p.cmd.Process.Signal(syscall.SIGCONT)
	p.cmd.Process.Signal(syscall.SIGQUIT)
	watch := time.AfterFunc(10*time.Second, func() { p.cmd.Process.Kill() })
	p.cmd.Wait()
	watch.Stop()
	return p.said.String()
}
