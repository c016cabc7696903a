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

// pollInterval is the time between two readings of the table of sockets.
const pollInterval = 2 * time.Millisecond

// waitUntilListening waits until a socket of this machine listens on a TCP port. It reads the kernel's
// table and does not connect, since the server would accept that connection as its client.
func waitUntilListening(ctx context.Context, port int, ended <-chan struct{}) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			there, err := hasListener(table, port)
			if there || err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
		case <-ended:
		case <-ticker.C:
			continue
		}
		if ctx.Err() != nil { // which also ends the server
			return fmt.Errorf("wait for the server to listen on port %d: %w", port, ctx.Err())
		}
		return fmt.Errorf("the server ended before it listened on port %d", port)
	}
}

func hasListener(path string, port int) (bool, error) {
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

// inTable searches a table in the format of proc_net_tcp(5): the second field is address and port in
// hexadecimal, the fourth the state.
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
