package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// A runner runs server and client of a program on this machine, each pinned to a CPU.
type runner struct {
	cpus  [2]int // of server and client
	limit time.Duration
	dir   string // for files of the runs
}

// measure runs one server and one client, and returns their reading and the client's command line.
func (r *runner) measure(ctx context.Context, p program, b bench) (reading, []string, error) {
	dir, err := os.MkdirTemp(r.dir, "run")
	if err != nil {
		return reading{}, nil, err
	}
	port, err := freePort()
	if err != nil {
		return reading{}, nil, err
	}
	server, client := p.server(b, port, dir), p.client(b, port, dir)
	done, err := r.run(ctx, server, client, port, isOfWholeRun(b.metric))
	if err != nil {
		return reading{}, client, fmt.Errorf("run %s: %w", p.label(), err)
	}
	value, err := p.read(b, done.stdout, dir)
	if err != nil {
		return value, client, fmt.Errorf("read what %s printed: %w", p.label(), err)
	}
	value.seconds, value.memory = done.seconds, done.memory
	return value, client, nil
}

// finished is the outcome of a run of server and client.
type finished struct {
	stdout  string  // of the client
	seconds float64 // from the start of the server to the end of both
	memory  float64 // largest resident memory of both, added, in bytes; 0 if not watched
}

// run runs a server, if there is one, and a client once it listens. It watches their memory only if the
// bench needs it, because that takes CPU time.
func (r *runner) run(ctx context.Context, server, client []string, port int, watch bool) (*finished, error) {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	begin := time.Now()
	var processes []*process
	if server != nil {
		s, err := r.start(ctx, r.cpus[0], server, watch)
		if err != nil {
			return nil, err
		}
		if err := waitUntilListening(ctx, port, s.ended); err != nil {
			s.kill()
			return nil, errors.Join(err, s.wait(ctx))
		}
		processes = append(processes, s)
	}
	c, err := r.start(ctx, r.cpus[1], client, watch)
	if err == nil {
		err = c.wait(ctx)
	}
	for _, s := range processes {
		if err != nil {
			s.kill() // which would wait for another client
		}
		err = errors.Join(err, s.wait(ctx))
	}
	if err != nil {
		return nil, err
	}
	done := &finished{stdout: c.stdout.String(), seconds: time.Since(begin).Seconds()}
	for _, p := range append(processes, c) {
		done.memory += p.memory
	}
	return done, nil
}

// A process is a running server or client.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{} // closed when it has ended
	err            error         // of its end; valid after ended
	memory         float64       // largest resident memory seen, in bytes; valid after ended
}

// start runs a command on one CPU until it ends or ctx does.
func (r *runner) start(ctx context.Context, cpu int, command []string, watch bool) (*process, error) {
	p := &process{ended: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, "taskset", append([]string{"--cpu-list", strconv.Itoa(cpu)}, command...)...)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.cmd.WaitDelay = time.Second
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", strings.Join(command, " "), err)
	}
	ending, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		if watch {
			p.memory = peakMemory(p.cmd.Process.Pid, ending)
		}
	}()
	go func() {
		p.err = p.cmd.Wait()
		close(ending)
		<-watched
		close(p.ended)
	}()
	return p, nil
}

// wait waits until the process has ended; the end of ctx kills it.
func (p *process) wait(ctx context.Context) error {
	<-p.ended
	if p.err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %s", strings.Join(p.cmd.Args[3:], " "), errors.Join(ctx.Err(), p.err),
		tail(p.stdout.String()+p.stderr.String()))
}

// kill kills the process unless it has ended.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

// tail returns the end of the output of a process, which has the reason of a failure.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "; ")
}

// freePort returns a TCP port that no socket listens on at this moment.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
