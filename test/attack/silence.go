package main

import (
	"fmt"
	"time"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// Clients that take room and do nothing with it.
var silentAttacks = []attack{
	{"1,000 connections that greet and say nothing beside a client", 20, 1, greetAndSayNothing},
	{"a plan that is none, then a client of the same server", 50, 2, proposeNothing},
	{"a client that has a plan and only answers pings", 3, 0, onlyAnswer},
}

// mostDelay is the time by which silent connections may delay a client.
const mostDelay = 500 * time.Millisecond

func greetAndSayNothing(t *trial) error {
	_, addr, err := t.serve("ib_write_lat", "--persistent")
	if err != nil {
		return err
	}
	alone, err := t.client(addr)
	if err != nil {
		return err
	}
	for range 1000 {
		conn, err := dial(addr)
		if err != nil {
			return err
		}
		defer conn.Cut("", "the attack is over")
	}
	beside, err := t.client(addr)
	t.took(beside)
	if err != nil {
		return err
	}
	return want(beside < 2*alone+mostDelay, "a client took %v beside them, and %v alone", beside, alone)
}

// client returns how long a short client of the server takes.
func (t *trial) client(addr string) (took time.Duration, err error) {
	begun := time.Now()
	c, err := t.connect("ib_write_lat", addr, "-n", "100")
	if err == nil {
		err = c.exits(statusDone, patience)
	}
	return time.Since(begun), err
}

// proposal returns a proposal of a client with an embedded device.
func proposal(program string, plan []byte) *oob.Proposal {
	return &oob.Proposal{Release: "0", Program: program, Given: []string{}, Plan: plan,
		Device: oob.DeviceID{Name: "shm_whole", Backend: "shm", Boot: host.BootID()}}
}

// greeted starts a server for one client, and returns a connection that it has greeted.
func (t *trial) greeted() (server *process, addr string, conn *oob.Conn, err error) {
	if server, addr, err = t.serve("ib_write_lat"); err != nil {
		return nil, "", nil, err
	}
	conn, err = dial(addr)
	return server, addr, conn, err
}

func proposeNothing(t *trial) error {
	server, addr, conn, err := t.greeted()
	if err != nil {
		return err
	}
	defer conn.Cut("", "the attack is over")
	if a, err := conn.Propose(proposal("ib_write_lat", []byte(`[7]`)), waits); err == nil && a.Refusal == "" {
		return fmt.Errorf("the server has accepted %+v", a)
	}
	if _, err := t.client(addr); err != nil {
		return err
	}
	return server.exits(statusDone, patience)
}

// propose proposes the default plan of ib_write_lat. It returns an error unless the server accepts it.
func propose(conn *oob.Conn) error {
	plan := option.Defaults(option.Test{Op: option.OpWrite, Kind: option.KindLatency})
	text, err := plan.Encode()
	if err != nil {
		return err
	}
	a, err := conn.Propose(proposal("ib_write_lat", text), waits)
	if err == nil && a.Refusal != "" {
		err = fmt.Errorf("the server refuses the plan: %s", a.Refusal)
	}
	return err
}

// waits takes a server's reason to wait.
func waits(string) {}

// onlyAnswer keeps a server busy: it agrees to a plan and then sends nothing but pings.
func onlyAnswer(t *trial) error {
	server, _, conn, err := t.greeted()
	if err != nil {
		return err
	}
	defer conn.Cut("", "the attack is over")
	if err := propose(conn); err != nil {
		return err
	}
	begun := time.Now()
	if err := server.exits(statusPeer, answerLimit); err != nil {
		return err
	}
	t.took(time.Since(begun))
	return nil
}

// answerLimit is the time after which a server gives up a peer that only answers: a minute, and some for its end.
const answerLimit = 70 * time.Second
