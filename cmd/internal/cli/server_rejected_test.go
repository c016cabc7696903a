package cli

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// sendGarbage sends bytes that are not a greeting to a server, and reads until the server closes.
func sendGarbage(t *testing.T, port, say string) {
	t.Helper()
	nc, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	_, err = nc.Write([]byte(say))
	if err := errors.Join(err, nc.(*net.TCPConn).CloseWrite()); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, nc) // ends when the server closes
}

func TestRejectedConnectionsDoNotEndAServer(t *testing.T) {
	for name, say := range map[string]string{"garbage": "GET / HTTP/1.1\r\n\r\n", "nothing": ""} {
		server := start(t, writeLat, quick, serverArgs()...)
		port := server.port(t)
		for range 3 {
			sendGarbage(t, port, say)
		}
		client := start(t, writeLat, quick, "-d", "shm_whole", "-p", port, "127.0.0.1")
		wantEnd(t, name+": client", client.end(t), StatusDone)
		wantEnd(t, name+": server", server.end(t), StatusDone)
		if said := server.err.String(); strings.Count(said, "rejected a connection: peer 127.0.0.1:") != 1 {
			t.Errorf("%s: server said %s", name, said)
		}
	}
}

// Rejected connections are counted, and not numbered as clients.
func TestPersistentServerCountsRejectedConnections(t *testing.T) {
	server := start(t, writeLat, quick, serverArgs("--persistent")...)
	port := server.port(t)
	for range 3 {
		sendGarbage(t, port, "GET / HTTP/1.1\r\n\r\n")
	}
	client := start(t, writeLat, quick, "-d", "shm_whole", "-p", port, "127.0.0.1")
	wantEnd(t, "client", client.end(t), StatusDone)
	server.cancel(&interruptedError{"SIGTERM"})
	// The server may still be closing the client's session.
	if err := server.end(t); Status(err) != StatusDone && Status(err) != StatusOther {
		t.Errorf("server: %v", err)
	}
	for _, want := range []string{"number 1, ib_write_lat\n", "ib_write_lat: rejected 3 connections\n"} {
		if said := server.err.String(); !strings.Contains(said, want) {
			t.Errorf("server said %s, want %q in it", said, want)
		}
	}
}
