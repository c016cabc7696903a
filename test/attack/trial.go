package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ibperf/ibperf/oob"
)

// patience is the deadline of what has no promised limit.
const patience = 2 * time.Minute

// trial is one trial of an attack. The processes that it starts end with it.
type trial struct {
	bin    string
	dir    string // where its processes run
	all    []*process
	memory int           // largest resident set of a victim, in bytes
	time   time.Duration // of what took has been called for; 0: nothing
}

// took records how long what the attack is about took.
func (t *trial) took(d time.Duration) { t.time = max(t.time, d) }

// end ends all processes.
func (t *trial) end() {
	for _, p := range t.all {
		p.kill()
	}
}

// measure records the memory that the victims have had. A victim that has ended was measured when it ended.
func (t *trial) measure() {
	for _, p := range t.all {
		if p.victim {
			t.memory = max(t.memory, p.peakMemory())
		}
	}
}

// serve starts a server, which is a victim, and returns its address when it listens.
func (t *trial) serve(program string, args ...string) (server *process, addr string, err error) {
	ready := filepath.Join(t.dir, fmt.Sprintf("ready-%d", len(t.all)))
	server, err = t.start(program, append([]string{"--bind_source_ip", "127.0.0.1", "--port", "0", "--ready-file", ready}, args...)...)
	if err != nil {
		return nil, "", err
	}
	server.victim = true
	err = await("the server listens", func() bool {
		port, err := os.ReadFile(ready)
		addr = net.JoinHostPort("127.0.0.1", strings.TrimSpace(string(port)))
		return err == nil || server.exited()
	})
	if err == nil && server.exited() {
		err = fmt.Errorf("%s has ended: %s", server.name, server.stderr())
	}
	return server, addr, err
}

// connect starts a client of the server at an address, on an embedded device.
func (t *trial) connect(program, addr string, args ...string) (*process, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	return t.start(program, append(append([]string{"-d", "shm_whole", "-p", port}, args...), host)...)
}

// dial connects to a server as a client of ibperf does.
func dial(addr string) (*oob.Conn, error) {
	return oob.Dial(context.Background(), addr, oob.DialOptions{Timeout: patience})
}

// await waits until something holds.
func await(what string, holds func() bool) error {
	for end := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("not within %v: %s", patience, what)
		}
	}
	return nil
}

// The exit statuses, see docs/EXIT-STATUS.md.
const (
	statusDone  = 0
	statusOther = 1
	statusPeer  = 4
)
