package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// lookEvery is the time between looks whether a server listens.
const lookEvery = 2 * time.Millisecond

// listening waits until a socket of this machine listens on a TCP port, by the
// kernel's table, as a connection made to find out would be taken for the client.
func listening(ctx context.Context, port int, ended <-chan struct{}) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			there, err := listens(table, port)
			if there || err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
		case <-ended:
		case <-look.C:
			continue
		}
		if ctx.Err() != nil { // which also ends the server
			return fmt.Errorf("wait for the server to listen on port %d: %w", port, ctx.Err())
		}
		return fmt.Errorf("the server ended before it listened on port %d", port)
	}
}

func listens(path string, port int) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) { // a kernel without IPv6
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	return inTable(f, port)
}

// inTable looks in a table as proc_net_tcp(5) has it: the second field is address
// and port in hexadecimal, the fourth the state.
func inTable(table io.Reader, port int) (bool, error) {
	const listen = "0A"
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) > 3 && fields[3] == listen && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", port)) {
			return true, nil
		}
	}
	return false, lines.Err()
}
