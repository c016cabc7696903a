package oob

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"sync"
)

// clientTLS is the configuration of a client. The client does not verify the server's certificate, which no authority has
// signed: the proofs of both sides are valid in this TLS connection only.
var clientTLS = &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true}

// serverTLS returns the configuration of this process' servers, with a certificate of this process.
var serverTLS = sync.OnceValues(func() (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1)}
	signed, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	own := tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}
	return &tls.Config{MinVersion: tls.VersionTLS13, SessionTicketsDisabled: true, Certificates: []tls.Certificate{own}}, nil
})

// handshake is held by a server's TLS handshake while it computes. So clients without the secret take no more than
// one CPU of a server, however many they are. A handshake that waits for its client does not hold it.
var handshake sync.Mutex

// secure begins TLS with the peer, after the hellos. It returns the keying material that is exported from the TLS connection
// for channel bindings (RFC 9266): it differs between any two connections, and the two ends of one have the same.
func (g *greeting) secure() (keying []byte, err error) {
	below := &tlsSocket{Conn: g.nc, in: g.in}
	c := tls.Client(below, clientTLS)
	if g.role == roleServer {
		config, err := serverTLS()
		if err != nil {
			return nil, err
		}
		c = tls.Server(below, config)
		below.turn = &handshake
		handshake.Lock()
		defer handshake.Unlock()
	}
	err = c.Handshake()
	below.turn = nil
	if err != nil {
		return nil, explainTLS(err, errors.Join(below.readErr, below.writeErr))
	}
	// What follows is read from the socket: the listener does not watch it for silence any more.
	early, _ := g.in.Peek(g.in.Buffered()) // does not fail within what is buffered
	below.in = io.MultiReader(bytes.NewReader(early), g.nc)
	g.nc = secureConn{c, below}
	g.in = bufio.NewReaderSize(g.nc, greetingBuffer)
	state := c.ConnectionState()
	return state.ExportKeyingMaterial("EXPORTER-Channel-Binding", nil, keyingSize)
}

// secureConn is a TLS connection. Its end needs no TLS alert: a stream that ends without a frame that says so is a loss.
type secureConn struct {
	*tls.Conn
	below *tlsSocket
}

// Read reads decrypted bytes.
func (c secureConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil {
		err = explainTLS(err, c.below.readErr)
	}
	return n, err
}

// Close closes the socket at once. [tls.Conn] would wait until it has sent an alert.
func (c secureConn) Close() error { return c.below.Close() }

// tlsSocket is the socket below TLS.
type tlsSocket struct {
	net.Conn
	in   io.Reader
	turn *sync.Mutex // held by the handshake; nil: none

	readErr, writeErr error // of the last call
}

func (s *tlsSocket) Read(b []byte) (n int, err error) {
	s.wait(func() { n, err = s.in.Read(b) })
	s.readErr = err
	return n, err
}

func (s *tlsSocket) Write(b []byte) (n int, err error) {
	s.wait(func() { n, err = s.Conn.Write(b) })
	s.writeErr = err
	return n, err
}

// wait calls f, which may wait for the peer, while others may compute.
func (s *tlsSocket) wait(f func()) {
	if s.turn != nil {
		s.turn.Unlock()
		defer s.turn.Lock()
	}
	f()
}

// explainTLS returns the reason for an error of TLS: an error of the socket, the end of the stream, or bytes that are not of
// the TLS connection.
func explainTLS(err, socket error) error {
	switch {
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return io.EOF
	case socket == nil:
		return protocolErrorf("TLS: %w", inner(err))
	}
	return err
}
