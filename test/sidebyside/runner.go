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
	command, stdout, dir, err := r.run(ctx, p, b)
	if err != nil {
		return reading{}, command, fmt.Errorf("run %s: %w", p.name(), err)
	}
	value, err := p.read(b, stdout, dir)
	if err != nil {
		return value, command, fmt.Errorf("read what %s printed: %w", p.name(), err)
	}
	return value, command, nil
}

func (r *runner) run(ctx context.Context, p program, b bench) (command []string, stdout, dir string, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	if dir, err = os.MkdirTemp(r.dir, "run"); err != nil {
		return nil, "", "", err
	}
	port, err := freePort()
	if err != nil {
		return nil, "", "", err
	}
	command = p.client(b, port, dir)
	server, err := r.start(ctx, r.cpus[0], p.server(b, port, dir))
	if err != nil {
		return command, "", dir, err
	}
	if err := listening(ctx, port, server.ended); err != nil {
		server.kill()
		return command, "", dir, errors.Join(err, server.wait(ctx))
	}
	client, err := r.start(ctx, r.cpus[1], command)
	if err == nil {
		err = client.wait(ctx)
	}
	if err != nil {
		server.kill() // it would wait for a client that does not come again
	}
	if err := errors.Join(err, server.wait(ctx)); err != nil {
		return command, "", dir, err
	}
	return command, client.stdout.String(), dir, nil
}

// A process is a server or a client at work.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{} // closed when it has ended
	err            error         // how; valid after ended
}

// start runs a command on one CPU until it ends or ctx does.
func (r *runner) start(ctx context.Context, cpu int, command []string) (*process, error) {
	p := &process{ended: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, "taskset", append([]string{"--cpu-list", strconv.Itoa(cpu)}, command...)...)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.cmd.WaitDelay = time.Second
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", strings.Join(command, " "), err)
	}
	go func() {
		p.err = p.cmd.Wait()
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
