package main

import (
	"fmt"
	"sync"
	"syscall"

	"github.com/ibperf/ibperf/oob"
)

// Clients that send more than a step of the protocol takes.
var memoryAttacks = []attack{
	{"16 clients with a plan send frames of 4 MiB, --max-memory 64M", 10, 1, func(t *trial) error { return sendFrames(t, true) }},
	{"60 clients without a plan send frames of 4 MiB, --max-memory 64M", 10, 1, func(t *trial) error { return sendFrames(t, false) }},
}

// mostMemory limits what such a server may have: the program, what a run of a client takes, and the frames.
const mostMemory = 96 << 20

// sendFrames sends frames of the largest size in many steps at once, and then runs a client.
func sendFrames(t *trial, planned bool) error {
	server, addr, err := t.serve("ib_write_lat", "--persistent", "--max-memory", "64M")
	if err != nil {
		return err
	}
	n := 60
	if planned {
		n = 16
	}
	var clients sync.WaitGroup
	for range n {
		clients.Go(func() {
			if conn, err := dial(addr); err == nil { // the server may have too many connections
				flood(conn, planned)
			}
		})
	}
	clients.Wait()
	if _, err := t.client(addr); err != nil {
		return err
	}
	if memory := server.peakMemory(); memory > mostMemory {
		return fmt.Errorf("the server has had %d MiB", memory>>20)
	}
	if err := server.signal(syscall.SIGTERM); err != nil {
		return err
	}
	return server.exits(statusDone, patience)
}

// flood sends frames until the server ends the connection.
func flood(conn *oob.Conn, planned bool) {
	defer conn.Cut("", "the attack is over")
	if planned && propose(conn) != nil {
		return
	}
	var frames sync.WaitGroup
	for i, step := range []string{"offer", "endpoints", "promise", "step", "row", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		frames.Go(func() { _, _ = conn.Exchange(step, make([]byte, oob.MaxPayload-i)) }) // an error is the server's end
	}
	frames.Wait()
}
