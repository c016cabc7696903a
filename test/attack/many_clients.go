package main

import (
	"context"
	"fmt"
	"time"

	"github.com/ibperf/ibperf/oob"
)

// More clients than a server lets run at once.
var manyClients = []attack{
	{"200 clients of a server at once", 3, 0, func(t *trial) error { return clientsAtOnce(t, 200) }},
	{"40 clients of a server at once", 5, 1, func(t *trial) error { return clientsAtOnce(t, 40) }},
	{"240 clients of one address that only answer, beside a client of another", 3, 0, holdAll},
}

// holdAll has one address hold all places that it may have. A client of another address runs next.
func holdAll(t *trial) error {
	_, addr, err := t.serve("ib_write_lat", "--persistent")
	if err != nil {
		return err
	}
	for range 240 {
		conn, err := oob.Dial(context.Background(), addr, oob.DialOptions{Timeout: patience, Source: "127.0.0.2"})
		if err != nil {
			return err
		}
		defer conn.Cut("", "the attack is over")
		go propose(conn) // which waits for the server's answer
	}
	took, err := t.client(addr)
	t.took(took)
	if err != nil {
		return err
	}
	return want(took < answerLimit, "a client took %v", took)
}

// clientsAtOnce starts n clients at once, all of which must be served.
func clientsAtOnce(t *trial, n int) error {
	_, addr, err := t.serve("ib_write_lat", "--persistent")
	if err != nil {
		return err
	}
	begun := time.Now()
	clients := make([]*process, n)
	for i := range clients {
		if clients[i], err = t.connect("ib_write_lat", addr, "-n", "1000"); err != nil {
			return err
		}
	}
	for i, c := range clients {
		if err := c.exits(statusDone, patience); err != nil {
			return fmt.Errorf("client %d of %d: %w", i+1, n, err)
		}
	}
	t.took(time.Since(begun))
	return nil
}
