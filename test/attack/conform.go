package main

import (
	"fmt"
	"sync"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
)

// Clients of ib_conform's server, which starts processes for them.
var conformAttacks = []attack{
	{"ib_conform: 20 sessions without a name, then a client", 20, 1, sessionsWithoutName},
	{"ib_conform: a session asks for 20 processes and leaves", 20, 1, manyProcesses},
}

// conformConn returns a connection that has asked ib_conform's server to begin a session.
func conformConn(addr, session string) (conn *oob.Conn, refusal string, err error) {
	if conn, err = dial(addr); err != nil {
		return nil, "", err
	}
	device := oob.DeviceID{Name: "shm_whole", Backend: "shm", Boot: host.BootID()}
	a, err := conn.BeginConform(&oob.ConformHello{Release: "0", Session: session, Device: &device})
	if err != nil {
		return conn, err.Error(), nil
	}
	return conn, a.Refusal, nil
}

func sessionsWithoutName(t *trial) error {
	server, addr, err := t.serve("ib_conform")
	if err != nil {
		return err
	}
	for range 20 {
		conn, refusal, err := conformConn(addr, "")
		if err != nil {
			return err
		}
		defer conn.Cut("", "the attack is over")
		if refusal == "" {
			return fmt.Errorf("a session without a name has begun")
		}
	}
	client, err := t.connect("ib_conform", addr, "--run", "CQ-1")
	if err != nil {
		return err
	}
	if err := client.exits(statusDone, patience); err != nil {
		return err
	}
	return server.exits(statusDone, patience)
}

// mostProcesses is the number of peer processes that a server runs at once.
const mostProcesses = 4

func manyProcesses(t *trial) error {
	server, addr, err := t.serve("ib_conform")
	if err != nil {
		return err
	}
	session, refusal, err := conformConn(addr, "one")
	if err == nil && refusal != "" {
		err = fmt.Errorf("the session is refused: %s", refusal)
	}
	if err != nil {
		return err
	}
	var joins sync.WaitGroup
	var mu sync.Mutex
	var joined []*oob.Conn
	for range 20 {
		joins.Go(func() {
			conn, err := dial(addr)
			if err == nil && conn.JoinConform("one") == nil {
				mu.Lock()
				defer mu.Unlock()
				joined = append(joined, conn)
			}
		})
	}
	joins.Wait()
	started := len(descendants(server.cmd.Process.Pid))
	if err := want(len(joined) == mostProcesses && started == mostProcesses, "%d processes were granted and %d run, want %d", len(joined), started, mostProcesses); err != nil {
		return err
	}
	session.Cut("", "the attack is over")
	if err := server.exits(statusPeer, patience); err != nil {
		return err
	}
	return t.leaves()
}
