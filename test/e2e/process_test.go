package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/option"
)

// tb is what the helpers need of a test or of a script.
type tb interface {
	Helper()
	Cleanup(func())
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// patience is how long anything may take that has no limit of its own.
const patience = 2 * time.Minute

// process is a program at work.
type process struct {
	t        tb
	name     string // for messages: program and arguments
	cmd      *exec.Cmd
	out, err *printed
	ended    chan struct{}   // closed when it has ended
	seen     map[string]bool // names of its abstract sockets
	place    *place
}

// printed keeps what a process prints.
type printed struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.String()
}

// loopback is the address of servers that only this host can reach.
const loopback = "127.0.0.1"

// place is a folder that processes run in, and that must be as before when all
// of them have ended.
type place struct {
	t    tb
	dir  string
	temp string // their TMPDIR
	host string // where servers listen
	env  []string
	next func(*process) // called once, before the next process starts
	all  []*process
}

// start runs a program, one of another suite by its path. No device is named but by the arguments.
func (p *place) start(program string, args ...string) *process {
	p.t.Helper()
	return p.startWith("", program, args...)
}

// startWith runs a program with the device that it takes unless its arguments name one.
func (p *place) startWith(device, program string, args ...string) *process {
	p.t.Helper()
	path := program
	if !filepath.IsAbs(path) {
		path = filepath.Join(bin, program)
	}
	proc := &process{
		t: p.t, place: p, name: strings.Join(append([]string{program}, args...), " "),
		cmd: exec.Command(path, args...),
		out: &printed{}, err: &printed{}, ended: make(chan struct{}), seen: map[string]bool{},
	}
	proc.cmd.Dir, proc.cmd.Stdout, proc.cmd.Stderr = p.dir, proc.out, proc.err
	proc.cmd.Env = append(append(os.Environ(), "TMPDIR="+p.temp, option.DeviceVariable+"="+device), p.env...)
	if p.next != nil {
		p.next(proc)
		p.next = nil
	}
	if err := subprocess.Start(proc.cmd); err != nil {
		p.t.Fatalf("start %s: %v", proc.name, err)
	}
	p.all = append(p.all, proc)
	p.t.Cleanup(proc.stop)
	go func() {
		// The status is read from the process's state.
		_ = proc.cmd.Wait()
		close(proc.ended)
	}()
	return proc
}

// stop ends a process that a failed test has left.
func (p *process) stop() {
	select {
	case <-p.ended:
	default:
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// signal sends a signal to the process, which must be there.
func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatalf("send %v to %s: %v\n%s", s, p.name, err, p.said())
	}
}

// over tells whether the process has ended.
func (p *process) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// within waits for the end of the process and returns how it ended: its status,
// or -1 if by a signal. It fails if that takes longer than limit.
func (p *process) within(limit time.Duration) int {
	p.t.Helper()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode()
	case <-timer.C:
		p.place.dump()
		p.t.Fatalf("%s has not ended within %v\n%s", p.name, limit, p.said())
	}
	return 0
}

// ends waits for the end of the process with a status.
func (p *process) ends(status int, limit time.Duration) {
	p.t.Helper()
	if got := p.within(limit); got != status {
		p.t.Fatalf("%s ended with status %d, want %d\n%s", p.name, got, status, p.said())
	}
}

// says checks that the process has printed all of the texts to stderr.
func (p *process) says(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		if !strings.Contains(p.err.String(), text) {
			p.t.Fatalf("%s did not say %q\n%s", p.name, text, p.said())
		}
	}
}

// prints checks that the process has printed a text to stdout.
func (p *process) prints(text string) {
	p.t.Helper()
	if !strings.Contains(p.out.String(), text) {
		p.t.Fatalf("%s did not print %q\n%s", p.name, text, p.said())
	}
}

// said shows what a process has printed, and what others have at its place.
func (p *process) said() string {
	text := "-- stdout\n" + p.out.String() + "-- stderr\n" + p.err.String()
	if p.place == nil {
		return text
	}
	for _, other := range p.place.all {
		if other != p {
			text += "-- meanwhile " + other.name + "\n" + other.err.String()
		}
	}
	return text
}

// dump makes processes that hang print where they are.
func (p *place) dump() {
	for _, proc := range p.all {
		if proc.over() {
			continue
		}
		_ = proc.cmd.Process.Signal(syscall.SIGQUIT)
		_ = until(10*time.Second, proc.over)
	}
}

// await waits until a condition holds while the process lives.
func (p *process) await(what string, holds func() bool) {
	p.t.Helper()
	err := until(patience, func() bool { return holds() || p.over() })
	if err != nil || !holds() {
		p.t.Fatalf("%s: not seen before its end: %s\n%s", p.name, what, p.said())
	}
}

// until looks at a condition again and again until it holds.
func until(limit time.Duration, holds func() bool) error {
	timer, tick := time.NewTimer(limit), time.NewTicker(2*time.Millisecond)
	defer timer.Stop()
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-timer.C:
			return errors.New("timed out")
		}
	}
	return nil
}
