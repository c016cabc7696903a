package soak

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/leak"
	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/test/printed"
	"github.com/ibperf/ibperf/verbs"
)

// socketVariable makes this binary a peer that listens at the socket.
const socketVariable = "IBPERF_SOAK_SOCKET"

func TestMain(m *testing.M) {
	if socket := os.Getenv(socketVariable); socket != "" {
		fmt.Fprintln(os.Stderr, bePeer(socket))
		os.Exit(1)
	}
	leak.Main(m)
}

// bePeer accepts sessions at the socket.
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
		go acceptSession(conn, c)
	}
}

// process is a peer.
type process struct {
	cmd    *exec.Cmd
	socket string
	killed atomic.Bool
	said   printed.Output
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
		return nil, fmt.Errorf("the peer did not start: %v\n%s", err, &p.said)
	}
	return p, nil
}

func (p *process) kill() {
	p.killed.Store(true)
	p.cmd.Process.Kill()
	p.cmd.Wait()
	os.Remove(p.socket)
}

// stop stops the process for a time.
func (p *process) stop(t time.Duration) {
	p.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(t)
	p.cmd.Process.Signal(syscall.SIGCONT)
}

// dump ends the process by SIGQUIT, on which it prints its goroutines, and returns its output.
func (p *process) dump() string {
	p.killed.Store(true)
	p.cmd.Process.Signal(syscall.SIGCONT)
	p.cmd.Process.Signal(syscall.SIGQUIT)
	watch := time.AfterFunc(10*time.Second, func() { p.cmd.Process.Kill() })
	p.cmd.Wait()
	watch.Stop()
	return p.said.String()
}
