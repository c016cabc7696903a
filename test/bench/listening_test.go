package main

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
)

// table is as the kernel prints it; port 18515 is 4853.
const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:4853 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0100007F:9C40 0100007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 2 1 0 100 0 0 10 0
`

func TestOnlyListeningSocketsCount(t *testing.T) {
	for port, want := range map[int]bool{18515: true, 40000: false, 80: false, 0x853: false} {
		if got, err := inTable(strings.NewReader(table), port); got != want || err != nil {
			t.Errorf("port %d: %v, %v", port, got, err)
		}
	}
}

func TestListeningSeesAListener(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := waitUntilListening(t.Context(), port, nil); err != nil {
		t.Error(err)
	}
	l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := waitUntilListening(ctx, port, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after it was closed: %v", err)
	}
}
