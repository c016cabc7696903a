package cli

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// relay passes the frames of one connection on and edits them. It accepts no second connection.
type relay struct {
	listener net.Listener
	server   string // address
	edits    []edit
	moved    atomic.Int64 // time of the last frame, in ns
	done     chan struct{}
}

// quiet is the time after which the relay closes the connections of an edited session that stands still: the side that waits
// for a frame that was dropped would otherwise wait for the deadline of its step.
const quiet = 150 * time.Millisecond

// newRelay listens for a client.
func newRelay(t *testing.T, server string, edits []edit) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: l, server: server, edits: edits, done: make(chan struct{})}
	go r.run()
	t.Cleanup(r.end)
	return r
}

func (r *relay) port() string {
	_, port, _ := net.SplitHostPort(r.listener.Addr().String())
	return port
}

// end closes what is open and waits for the relay's goroutines.
func (r *relay) end() {
	_ = r.listener.Close()
	<-r.done
}

func (r *relay) run() {
	defer close(r.done)
	client, err := r.listener.Accept()
	_ = r.listener.Close()
	if err != nil {
		return
	}
	defer client.Close()
	server, err := net.Dial("tcp", r.server)
	if err != nil {
		return
	}
	defer server.Close()
	r.moved.Store(time.Now().UnixNano())
	over := make(chan struct{})
	go r.watch(over, client, server)
	var both sync.WaitGroup
	both.Go(func() { r.pass(client, server, fromClient) })
	both.Go(func() { r.pass(server, client, fromServer) })
	both.Wait()
	close(over)
}

// watch closes the connections of an edited session that stands still.
func (r *relay) watch(over chan struct{}, all ...net.Conn) {
	if len(r.edits) == 0 {
		return
	}
	tick := time.NewTicker(quiet / 10)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		if time.Now().UnixNano()-r.moved.Load() > int64(quiet) {
			for _, c := range all {
				_ = c.Close()
			}
			return
		}
	}
}

// pass passes frames on in one direction until either connection ends.
func (r *relay) pass(from, to net.Conn, d direction) {
	in := bufio.NewReader(from)
	var held []byte // a frame that is sent after the next one
	for i := 0; ; i++ {
		f, err := readWire(in, i == 0)
		if err != nil {
			break
		}
		if !isPing(f) {
			r.moved.Store(time.Now().UnixNano())
		}
		out, last := []byte(nil), false
		for _, e := range r.edits {
			if e.direction() == d && e.frame() == i {
				f, out, held, last = e.apply(f, out, held)
			}
		}
		out = append(out, f...)
		if len(f) > 0 && held != nil {
			out, held = append(out, held...), nil
		}
		if _, err := to.Write(out); err != nil || last {
			break
		}
	}
	_, _ = to.Write(held)
	if c, ok := to.(*net.TCPConn); ok {
		_ = c.CloseWrite()
	}
	_, _ = io.Copy(io.Discard, in)
}

// Of a frame: magic, version, kind, length of the name, a zero, length of the payload, name, payload; see package oob.
const (
	wireHeader   = 12
	wirePreamble = 16
	kindOfPing   = 3
)

// readWire reads the preamble, or a frame, or what has arrived of a stream that is not made of frames (TLS).
func readWire(r *bufio.Reader, first bool) ([]byte, error) {
	size := wirePreamble
	if !first {
		b, err := r.Peek(wireHeader)
		switch {
		case len(b) == 0:
			return nil, err
		case err == nil && string(b[:4]) == "IBPF":
			size = wireHeader + int(b[6]) + int(binary.BigEndian.Uint32(b[8:]))
		default:
			size = r.Buffered()
		}
	}
	f := make([]byte, size)
	_, err := io.ReadFull(r, f)
	return f, err
}

func isFrame(f []byte) bool {
	return len(f) >= wireHeader && string(f[:4]) == "IBPF" && len(f) >= wireHeader+int(f[6])
}
func isPing(f []byte) bool { return isFrame(f) && f[5] == kindOfPing }

// payload returns the payload of a frame, all of what is no frame.
func payload(f []byte) []byte {
	if !isFrame(f) {
		return f
	}
	return f[wireHeader+int(f[6]):]
}

// withPayload returns a frame with another payload and its length.
func withPayload(f, p []byte) []byte {
	if !isFrame(f) {
		return p
	}
	head := append([]byte(nil), f[:wireHeader+int(f[6])]...)
	binary.BigEndian.PutUint32(head[8:], uint32(len(p)))
	return append(head, p...)
}
