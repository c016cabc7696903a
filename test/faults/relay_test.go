package faults

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode"
)

// Sizes on the wire, see oob/preamble.go and oob/frame.go.
const (
	preambleSize = 16
	headerSize   = 12
)

// kinds are the names of frames that are not payloads of exchanges, by their numbers. Pings have no point: how many there
// are depends on time.
var kinds = map[byte]string{1: "hello", 3: "ping", 4: "abort", 5: "bye", 6: "proof"}

// kindData is the number of a frame with the payload of an exchange.
const kindData = 2

// point is one message of a run: the N-th of its name on its connection, from the client or the server.
type point struct {
	conn   int
	client bool // the client sends it
	name   string
	n      int
}

func (p point) String() string {
	from := "server"
	if p.client {
		from = "client"
	}
	return fmt.Sprintf("%s's %s %d of connection %d", from, p.name, p.n, p.conn)
}

// action is a fault at a message, which the relay has received and drops.
type action string

const (
	actionCut        action = "connection closed"
	actionHalf       action = "connection closed within the message"
	actionKillClient action = "client killed"
	actionKillServer action = "server killed"
	actionStopClient action = "client stopped"
	actionStopServer action = "server stopped"
)

var actions = []action{actionCut, actionHalf, actionKillClient, actionKillServer, actionStopClient, actionStopServer}

// relay forwards the connections between the two sides, message by message.
type relay struct {
	at     point // of the fault
	action action

	listener net.Listener
	started  chan struct{} // closed when the sides are known
	accepted chan struct{} // closed when no further connection is accepted
	client   *side
	server   *side

	mu    sync.Mutex
	seen  []point // all messages in their order
	hit   bool    // the fault has been injected
	conns []net.Conn
}

// newRelay returns a relay with a fault. With no action it only records.
func newRelay(at point, a action) *relay {
	return &relay{at: at, action: a, started: make(chan struct{}), accepted: make(chan struct{})}
}

// listen begins to forward to a server.
func (r *relay) listen(addr string) (string, error) {
	var err error
	if r.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return "", err
	}
	go func() {
		defer close(r.accepted)
		for n := 1; ; n++ {
			client, err := r.listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", addr)
			if err != nil {
				client.Close()
				continue
			}
			r.mu.Lock()
			r.conns = append(r.conns, client, server)
			r.mu.Unlock()
			go r.forward(n, true, client, server)
			go r.forward(n, false, server, client)
		}
	}()
	return r.listener.Addr().String(), nil
}

// ends tells the relay which processes to kill.
func (r *relay) ends(client, server *side) {
	r.client, r.server = client, server
	close(r.started)
}

func (r *relay) close() {
	if r.listener == nil {
		return
	}
	r.listener.Close()
	<-r.accepted
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.conns {
		c.Close()
	}
}

// forward forwards the messages of one direction, until the fault.
func (r *relay) forward(conn int, client bool, from, to net.Conn) {
	<-r.started
	for name, message := range messages(from) {
		if name != "ping" && r.meets(conn, client, name) {
			r.inject(from, to, message)
			return
		}
		if _, err := to.Write(message); err != nil {
			break
		}
	}
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
}

// meets records a message and reports whether it is the one of the fault.
func (r *relay) meets(conn int, client bool, name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := point{conn, client, name, 1}
	for _, s := range r.seen {
		if s.conn == conn && s.client == client && s.name == name {
			p.n++
		}
	}
	r.seen = append(r.seen, p)
	met := p == r.at && r.action != ""
	r.hit = r.hit || met
	return met
}

// inject injects the fault instead of a message.
func (r *relay) inject(from, to net.Conn, message []byte) {
	switch r.action {
	case actionHalf:
		_, _ = to.Write(message[:len(message)/2])
		fallthrough
	case actionCut:
		from.Close()
		to.Close()
	case actionKillClient:
		r.client.signal(syscall.SIGKILL)
	case actionKillServer:
		r.server.signal(syscall.SIGKILL)
	case actionStopClient:
		r.client.signal(syscall.SIGSTOP)
	case actionStopServer:
		r.server.signal(syscall.SIGSTOP)
	}
}

// messages returns the messages that a side sends, each with its name.
func messages(from io.Reader) func(func(string, []byte) bool) {
	return func(yield func(string, []byte) bool) {
		preamble := make([]byte, preambleSize)
		if _, err := io.ReadFull(from, preamble); err != nil || !yield("preamble", preamble) {
			return
		}
		for {
			b := make([]byte, headerSize)
			if _, err := io.ReadFull(from, b); err != nil {
				return
			}
			kind, name := b[5], int(b[6])
			rest := make([]byte, name+int(binary.BigEndian.Uint32(b[8:])))
			if _, err := io.ReadFull(from, rest); err != nil {
				return
			}
			text := kinds[kind]
			if kind == kindData {
				text = string(rest[:name])
			}
			if !yield(text, append(b, rest...)) {
				return
			}
		}
	}
}

// points returns the points of recorded messages: of those of a name from a side, the first and the last. Streams
// of numbered messages, such as those of ib_conform's processes, count as one name. A run for a time has no last one
// that the next run has too.
func points(seen []point, timed bool) (all []point) {
	kind := func(p point) point {
		p.conn, p.name, p.n = 0, strings.TrimRightFunc(p.name, unicode.IsDigit), 0
		return p
	}
	last := map[point]int{}
	for i, p := range seen {
		last[kind(p)] = i
	}
	first := map[point]bool{}
	for i, p := range seen {
		if !first[kind(p)] || last[kind(p)] == i && !timed {
			all = append(all, p)
		}
		first[kind(p)] = true
	}
	return slices.Clip(all)
}

// messages returns the messages until now, in their order.
func (r *relay) messages() []point {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.seen)
}

// injected reports whether the fault has been injected.
func (r *relay) injected() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hit
}
