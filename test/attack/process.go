package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/test/printed"
)

// process is a started program.
type process struct {
	name     string // program and arguments
	cmd      *exec.Cmd
	out, err printed.Output
	ended    chan struct{} // closed when it has ended
	victim   bool          // its memory counts

	mu     sync.Mutex
	memory int // largest resident set, in bytes
}

// start starts a program of ibperf.
func (t *trial) start(program string, args ...string) (*process, error) {
	path, err := filepath.Abs(filepath.Join(t.bin, program))
	if err != nil {
		return nil, err
	}
	p := &process{name: strings.Join(append([]string{program}, args...), " "), cmd: exec.Command(path, args...), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = t.dir, &p.out, &p.err
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Env = append(os.Environ(), "TMPDIR="+t.dir)
	if err := subprocess.Start(p.cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	t.all = append(t.all, p)
	go func() {
		_ = p.cmd.Wait() // the state has the status
		close(p.ended)
	}()
	go p.watchMemory()
	return p, nil
}

func (p *process) stdout() string { return p.out.String() }
func (p *process) stderr() string { return p.err.String() }

// exited reports whether the process has ended.
func (p *process) exited() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// wait returns the exit status of the process, -1 if a signal has ended it.
func (p *process) wait(limit time.Duration) (status int, err error) {
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(limit):
		return 0, fmt.Errorf("%s has not ended within %v: %s", p.name, limit, p.stderr())
	}
}

// exits returns an error unless the process ends with a status.
func (p *process) exits(want int, limit time.Duration) error {
	status, err := p.wait(limit)
	if err == nil && status != want {
		err = fmt.Errorf("%s ended with status %d, want %d: %s", p.name, status, want, p.stderr())
	}
	return err
}

// signal sends a signal to the process.
func (p *process) signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// signalAll sends a signal to the process, and then to those that it has started, which have process groups of their
// own.
func (p *process) signalAll(s syscall.Signal) error {
	started := descendants(p.cmd.Process.Pid)
	err := syscall.Kill(p.cmd.Process.Pid, s)
	for _, pid := range started {
		_ = syscall.Kill(pid, s) // it may have ended meanwhile
	}
	return err
}

// descendants returns the processes that a process has started, and those that these have started.
func descendants(pid int) (all []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	children := map[int][]int{}
	for _, path := range stats {
		text, _ := os.ReadFile(path) // empty if the process has ended
		_, rest, _ := strings.Cut(string(text), ") ")
		if f := strings.Fields(rest); len(f) > 1 { // state, parent
			parent, _ := strconv.Atoi(f[1])
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			children[parent] = append(children[parent], child)
		}
	}
	for next := children[pid]; len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = slices.Concat(next, children[next[0]])
	}
	return all
}

// kill ends the process if it has not ended.
func (p *process) kill() {
	if p.exited() {
		return // its number may be that of another process by now
	}
	_ = p.signalAll(syscall.SIGKILL)
	<-p.ended
}

// watchMemory measures the memory of the process until it ends.
func (p *process) watchMemory() {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !p.exited() {
		p.peakMemory()
		<-tick.C
	}
}

// peakMemory returns the largest resident set that the process has had, in bytes.
func (p *process) peakMemory() int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid)) // empty if the process has ended
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib := 0
	if f := strings.Fields(rest); len(f) > 0 {
		kib, _ = strconv.Atoi(f[0])
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.memory = max(p.memory, kib<<10)
	return p.memory
}
