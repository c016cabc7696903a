package main

import (
	"fmt"
	"time"
)

// More clients than a server lets run at once.
var manyClients = []attack{
	{"200 clients of a server at once", 3, 0, func(t *trial) error { return clientsAtOnce(t, 200) }},
	{"40 clients of a server at once", 5, 1, func(t *trial) error { return clientsAtOnce(t, 40) }},
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
