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
	dir   string // for what runs leave behind
}

// measure runs one server and one client and returns what they measured and the
// client's command line.
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
	done, err := r.run(ctx, server, client, port, ofRun(b.metric))
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

// finished is what a run of server and client left.
type finished struct {
	stdout  string  // of the client
	seconds float64 // from the start of the server to the end of both
	memory  float64 // largest resident memory of both, added, in bytes; 0 if not watched
}

// run runs a server, if there is one, and a client once it listens. Their memory is
// watched where that is asked for, as looking takes CPU time.
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
		if err := listening(ctx, port, s.ended); err != nil {
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
			s.kill() // it would wait for a client that does not come again
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

// A process is a server or a client at work.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{} // closed when it has ended
	err            error         // how; valid after ended
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
			p.memory = peak(p.cmd.Process.Pid, ending)
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

// wait returns once the process has ended, as the end of ctx makes it do.
func (p *process) wait(ctx context.Context) error {
	<-p.ended
	if p.err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %s", strings.Join(p.cmd.Args[3:], " "), errors.Join(ctx.Err(), p.err),
		tail(p.stdout.String()+p.stderr.String()))
}

// kill ends the process; if it has ended already there is nothing to do.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

// tail is the end of what a process said, which tells why it failed.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "; ")
}

// freePort returns a TCP port that nobody listens on at this moment.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
