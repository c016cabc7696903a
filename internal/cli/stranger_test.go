package cli

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// knock says something to a server as a stranger does, and hears all that it answers.
func knock(t *testing.T, port, say string) {
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
	_, _ = io.Copy(io.Discard, nc) // ends when the server has left
}

func TestStrangersDoNotEndAServer(t *testing.T) {
	for name, say := range map[string]string{"garbage": "GET / HTTP/1.1\r\n\r\n", "nothing": ""} {
		server := start(t, writeLat, quick, serverArgs()...)
		port := server.port(t)
		for range 3 {
			knock(t, port, say)
		}
		client := start(t, writeLat, quick, "-d", "shm_whole", "-p", port, "127.0.0.1")
		wantEnd(t, name+": client", client.end(t), StatusDone)
		wantEnd(t, name+": server", server.end(t), StatusDone)
		if said := server.err.String(); strings.Count(said, "a connection that was no client: peer 127.0.0.1:") != 1 {
			t.Errorf("%s: server said %s", name, said)
		}
	}
}

// Strangers are counted, and clients are numbered without them.
func TestPersistentServerCountsStrangers(t *testing.T) {
	server := start(t, writeLat, quick, serverArgs("--persistent")...)
	port := server.port(t)
	for range 3 {
		knock(t, port, "GET / HTTP/1.1\r\n\r\n")
	}
	client := start(t, writeLat, quick, "-d", "shm_whole", "-p", port, "127.0.0.1")
	wantEnd(t, "client", client.end(t), StatusDone)
	server.cancel(&interruptedError{"SIGTERM"})
	// The client may have its answer before the server is done with it.
	if err := server.end(t); Status(err) != StatusDone && Status(err) != StatusOther {
		t.Errorf("server: %v", err)
	}
	for _, want := range []string{"number 1, ib_write_lat\n", "ib_write_lat: 3 connections were no clients\n"} {
		if said := server.err.String(); !strings.Contains(said, want) {
			t.Errorf("server said %s, want %q in it", said, want)
		}
	}
}
