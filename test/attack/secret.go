package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A host between two sides with a secret, which does not have it, is refused by both, and the server goes on.

var secretAttacks = []attack{
	{name: "secret: relay with TLS to both sides", trials: 50, sample: 2, try: func(t *trial) error {
		return t.refusesHost(relay, "another host relays the connection")
	}},
	{name: "secret: hellos are changed to say that there is none", trials: 50, sample: 2, try: func(t *trial) error {
		return t.refusesHost(downgrade, "the peer has none")
	}},
	{name: "secret: bytes of a client are repeated", trials: 50, sample: 2, try: (*trial).refusesReplay},
	{name: "secret: a client of another program", trials: 20, sample: 1, try: (*trial).keepsProgramsApart},
}

// refusesHost starts a client whose connection to the server is in the hands of another host.
func (t *trial) refusesHost(between func(client, server net.Conn), why string) error {
	server, addr, secret, err := t.serveSecret()
	if err != nil {
		return err
	}
	at, err := forward(addr, between)
	if err != nil {
		return err
	}
	client, err := t.connect("ib_write_lat", at, "-n", "100", "--secret-file", secret)
	if err != nil {
		return err
	}
	client.victim = true
	if err := client.exits(statusPeer, patience); err != nil {
		return err
	}
	if err := want(strings.Contains(client.stderr(), why), "the client says %s", client.stderr()); err != nil {
		return err
	}
	if err := awaitRejection(server); err != nil {
		return err
	}
	return t.serves("ib_write_lat", addr, secret, "-n", "100")
}

// serveSecret starts a persistent server with a secret, and returns the file of the secret too.
func (t *trial) serveSecret() (server *process, addr, secret string, err error) {
	if secret, err = t.secretFile(); err != nil {
		return nil, "", "", err
	}
	server, addr, err = t.serve("ib_write_lat", "--persistent", "--secret-file", secret)
	return server, addr, secret, err
}

// awaitRejection waits until the server says that it has rejected a connection.
func awaitRejection(server *process) error {
	err := await("the server rejects", func() bool { return strings.Contains(server.stderr(), "rejected a connection") })
	if err != nil {
		return fmt.Errorf("%w: %s", err, server.stderr())
	}
	return nil
}

// serves returns an error unless the server serves a client with the secret.
func (t *trial) serves(program, addr, secret string, args ...string) error {
	client, err := t.connect(program, addr, append([]string{"--secret-file", secret}, args...)...)
	if err != nil {
		return err
	}
	return client.exits(statusDone, patience)
}

// refusesReplay records what a client with the secret sends, and sends it to the server again.
func (t *trial) refusesReplay() error {
	server, addr, secret, err := t.serveSecret()
	if err != nil {
		return err
	}
	var said bytes.Buffer
	var over sync.WaitGroup
	over.Add(1)
	at, err := forward(addr, func(client, server net.Conn) {
		defer over.Done()
		both(tee{client, &said}, server)
	})
	if err != nil {
		return err
	}
	if err := t.serves("ib_write_lat", at, secret, "-n", "100"); err != nil {
		return err
	}
	over.Wait()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer nc.Close()
	if _, err := nc.Write(said.Bytes()); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, nc) // until the server closes
	if err := awaitRejection(server); err != nil {
		return err
	}
	return t.serves("ib_write_lat", addr, secret, "-n", "100")
}

// keepsProgramsApart starts clients with the right secret and another program.
func (t *trial) keepsProgramsApart() error {
	secret, err := t.secretFile()
	if err != nil {
		return err
	}
	for _, c := range []struct{ server, other, own string }{
		{"ib_conform", "ib_write_lat -n 100", "ib_conform --run CQ-1"},
		{"ib_write_lat", "ib_conform --run CQ-1", "ib_write_lat -n 100"},
	} {
		server, addr, err := t.serve(c.server, "--secret-file", secret)
		if err != nil {
			return err
		}
		other := strings.Fields(c.other)
		client, err := t.connect(other[0], addr, append(other[1:], "--secret-file", secret)...)
		if err != nil {
			return err
		}
		if err := client.exits(statusPeer, patience); err != nil {
			return err
		}
		own := strings.Fields(c.own)
		if err := t.serves(own[0], addr, secret, own[1:]...); err != nil {
			return err
		}
		if err := server.exits(statusDone, patience); err != nil {
			return err
		}
	}
	return nil
}

// secretFile writes a secret.
func (t *trial) secretFile() (path string, err error) {
	path = filepath.Join(t.dir, "secret")
	return path, os.WriteFile(path, []byte(rand.Text()), 0o600)
}

// forward listens and has a function forward each client's connection to a server.
func forward(addr string, between func(client, server net.Conn)) (at string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		defer l.Close()
		client, err := l.Accept()
		if err != nil {
			return
		}
		defer client.Close()
		if server, err := net.Dial("tcp", addr); err == nil {
			between(client, server)
			server.Close()
		}
	}()
	return l.Addr().String(), nil
}

// relay has a TLS connection with each side, and forwards what it decrypts.
func relay(client, server net.Conn) {
	if introduce(client, server, func([]byte) {}) != nil {
		return
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1)}
	signed, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		return
	}
	toClient := tls.Server(client, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{signed}, PrivateKey: key}}})
	toServer := tls.Client(server, &tls.Config{InsecureSkipVerify: true})
	if errors.Join(toServer.Handshake(), toClient.Handshake()) == nil {
		both(toClient, toServer)
	}
}

// downgrade changes the byte of each hello that says whether a side has a secret.
func downgrade(client, server net.Conn) {
	if introduce(client, server, func(hello []byte) { hello[len(hello)-1] = 0 }) == nil {
		both(client, server)
	}
}

// introduce forwards what is in clear: a preamble and a hello of each side. It changes the hellos.
func introduce(client, server net.Conn, change func(hello []byte)) error {
	const preamble, hello = 16, 12 + 2
	for _, size := range []int{preamble, hello} {
		for _, pair := range [][2]net.Conn{{client, server}, {server, client}} {
			b := make([]byte, size)
			if _, err := io.ReadFull(pair[0], b); err != nil {
				return err
			}
			if size == hello {
				change(b)
			}
			if _, err := pair[1].Write(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// both forwards in both directions until both sides have ended.
func both(a, b net.Conn) {
	var work sync.WaitGroup
	for _, pair := range [][2]net.Conn{{a, b}, {b, a}} {
		work.Go(func() {
			_, _ = io.Copy(pair[1], pair[0])
			if half, ok := pair[1].(interface{ CloseWrite() error }); ok {
				_ = half.CloseWrite()
			}
		})
	}
	work.Wait()
}

// tee is a connection that keeps what is read from it.
type tee struct {
	net.Conn
	read *bytes.Buffer
}

func (t tee) Read(b []byte) (int, error) {
	n, err := t.Conn.Read(b)
	t.read.Write(b[:n])
	return n, err
}

func (t tee) CloseWrite() error { return t.Conn.(*net.TCPConn).CloseWrite() }
