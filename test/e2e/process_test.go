package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/internal/testclock"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/test/printed"
)

// tb has the methods of testing.TB that the helpers call. A script has them too.
type tb interface {
	Helper()
	Cleanup(func())
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// patience is the deadline of what has no promised limit.
const patience = 4 * time.Minute

// process is a started program.
type process struct {
	t         tb
	name      string // for messages: program and arguments
	cmd       *exec.Cmd
	out, err  *printed.Output
	ended     chan struct{}   // closed when it has ended
	sockets   map[string]bool // names of its abstract sockets, see [process.noteSockets]
	workspace *workspace
}

// loopback is the address on which servers listen unless a test names another.
const loopback = "127.0.0.1"

// workspace is a folder in which the processes of a test run. When all have ended, it must be as empty
// as before.
type workspace struct {
	t    tb
	dir  string
	temp string // their TMPDIR
	host string // where servers listen
	env  []string
	next func(*process) // called once, before the next process starts
	all  []*process
}

// start runs a program of ibperf, or one of another suite by its path. Only the arguments name a
// device.
func (w *workspace) start(program string, args ...string) *process {
	w.t.Helper()
	return w.startWith("", program, args...)
}

// startWith runs a program with a device that it uses unless its arguments name one.
func (w *workspace) startWith(device, program string, args ...string) *process {
	w.t.Helper()
	path := program
	if !filepath.IsAbs(path) {
		path = filepath.Join(bin, program)
	}
	proc := &process{
		t: w.t, workspace: w, name: strings.Join(append([]string{program}, args...), " "),
		cmd: exec.Command(path, args...),
		out: &printed.Output{}, err: &printed.Output{}, ended: make(chan struct{}), sockets: map[string]bool{},
	}
	proc.cmd.Dir, proc.cmd.Stdout, proc.cmd.Stderr = w.dir, proc.out, proc.err
	proc.cmd.Env = append(append(os.Environ(), "TMPDIR="+w.temp, option.DeviceVariable+"="+device), w.env...)
	if w.next != nil {
		w.next(proc)
		w.next = nil
	}
	if err := subprocess.Start(proc.cmd); err != nil {
		w.t.Fatalf("start %s: %v", proc.name, err)
	}
	w.all = append(w.all, proc)
	w.t.Cleanup(proc.stop)
	go func() {
		// wait reads the status from the process's state.
		_ = proc.cmd.Wait()
		close(proc.ended)
	}()
	return proc
}

// stop kills a process that has not ended.
func (p *process) stop() {
	select {
	case <-p.ended:
	default:
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// signal sends a signal to the process, which must not have ended.
func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatalf("send %v to %s: %v\n%s", s, p.name, err, p.output())
	}
}

// exited reports whether the process has ended.
func (p *process) exited() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// wait waits for the process to end and returns its exit status, -1 if a signal ended it. It fails
// after limit, see [process.within].
func (p *process) wait(limit time.Duration) int {
	p.t.Helper()
	ended := func(left time.Duration) bool {
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-p.ended:
			return true
		case <-timer.C:
			return false
		}
	}
	if !p.within(limit, ended) {
		p.workspace.dumpStacks()
		p.t.Fatalf("%s has not ended within %v\n%s", p.name, limit, p.output())
	}
	return p.cmd.ProcessState.ExitCode()
}

// within reports whether waiting succeeds before the process has had limit for it. wait gets the time
// that is left. On a busy machine the threads of the process wait for a CPU: a limit that has passed is
// extended by that time.
func (p *process) within(limit time.Duration, wait func(left time.Duration) bool) bool {
	began := time.Now()
	for left := limit; left > 0; left = limit + p.runDelay() - time.Since(began) {
		if wait(left) {
			return true
		}
	}
	return wait(time.Millisecond) // the process may have ended since, which makes runDelay 0
}

// runDelay returns the longest time for which one thread of the process has waited for a CPU, 0 when the
// process has ended.
func (p *process) runDelay() time.Duration {
	return testclock.Longest(testclock.RunDelays(p.cmd.Process.Pid))
}

// exits waits for the process to end with a status. A comparison of few messages, or beside other work on this
// machine, may end without a verdict and say so, but is done otherwise.
func (p *process) exits(status int, limit time.Duration) {
	p.t.Helper()
	got := p.wait(limit)
	if got == statusUnclear && status == statusDone && strings.Contains(p.out.String()+p.err.String(), "NO VERDICT: ") {
		return
	}
	if got != status {
		p.t.Fatalf("%s ended with status %d, want %d\n%s", p.name, got, status, p.output())
	}
}

// wantStderr checks that the process has printed each of the texts to stderr.
func (p *process) wantStderr(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		if !strings.Contains(p.err.String(), text) {
			p.t.Fatalf("%s did not print %q to stderr\n%s", p.name, text, p.output())
		}
	}
}

// wantStdout checks that the process has printed a text to stdout.
func (p *process) wantStdout(text string) {
	p.t.Helper()
	if !strings.Contains(p.out.String(), text) {
		p.t.Fatalf("%s did not print %q\n%s", p.name, text, p.output())
	}
}

// output returns the output of the process, and how the other processes in its workspace have ended and what
// they have printed. A process that is about to end because of this one has a few seconds to say why.
func (p *process) output() string {
	text := "-- stdout\n" + p.out.String() + "-- stderr\n" + p.err.String()
	if p.workspace == nil {
		return text
	}
	for _, other := range p.workspace.all {
		if other == p {
			continue
		}
		if p.exited() {
			_ = waitUntil(lossLimit, other.exited)
		}
		text += fmt.Sprintf("-- %s: %s\n-- its stdout\n%s-- its stderr\n%s", other.name, other.ending(), other.out.String(), other.err.String())
	}
	return text
}

// ending says whether the process runs, or how it has ended.
func (p *process) ending() string {
	if !p.exited() {
		return "still runs"
	}
	return p.cmd.ProcessState.String()
}

// dumpStacks makes the processes that have not ended print their goroutines' stacks.
func (w *workspace) dumpStacks() {
	for _, proc := range w.all {
		if proc.exited() {
			continue
		}
		_ = proc.cmd.Process.Signal(syscall.SIGQUIT)
		_ = waitUntil(10*time.Second, proc.exited)
	}
}

// await waits until a condition holds while the process lives.
func (p *process) await(what string, holds func() bool) {
	p.t.Helper()
	err := waitUntil(patience, func() bool { return holds() || p.exited() })
	if err != nil || !holds() {
		p.t.Fatalf("%s ended, or %v passed, without: %s\n%s", p.name, patience, what, p.output())
	}
}

// waitUntil checks a condition every 2 ms until it holds, for at most limit.
func waitUntil(limit time.Duration, holds func() bool) error {
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
