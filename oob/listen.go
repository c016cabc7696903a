package oob

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"syscall"
)

// ListenOptions are the options of a listener.
type ListenOptions struct {
	// Secret is the secret that clients must prove to have; nil: none.
	Secret []byte
	// Perftest reports whether clients may be perftest.
	Perftest bool
	// Program must be that of the clients; a secret needs it.
	Program Program
	// Clients is the number of clients that are expected at the same time; 0: few. Theirs must be the same.
	Clients int
	// Rejected is called with the reason when the listener rejects a connection for the first time.
	// It must not close the listener. It may be nil.
	Rejected func(error)
}

// maxWaiting is the number of greeted clients that may wait for Accept, if no more are expected. The listener closes further
// connections before their greeting is complete, and their clients try again.
const maxWaiting = 64

// Listener greets connections and hands out clients.
type Listener struct {
	socket  net.Listener
	options ListenOptions
	timing  timing
	cancel  context.CancelFunc // ends all greetings
	work    sync.WaitGroup     // acceptAll and the greetings

	mu         sync.Mutex
	changed    sync.Cond               // signals a change of a field below
	candidates map[*candidate]struct{} // at most maxCandidates
	clients    []*Conn                 // greeted, for Accept; together with reserved at most maxWaiting
	reserved   int                     // entries of clients that candidates have reserved
	rejected   int
	err        error // why the listener accepts no more connections
}

// Listen listens at addr, host:port. An empty host means all addresses of this machine, port 0
// any free port; [Listener.Addr] returns it.
func Listen(addr string, o ListenOptions) (*Listener, error) {
	return listen(addr, o, timingOf(o.Clients))
}

func listen(addr string, o ListenOptions, t timing) (*Listener, error) {
	if err := checkSecret(o.Secret, o.Program); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	socket, err := Open(addr)
	if err != nil {
		return nil, err
	}
	return newListener(socket, o, t), nil
}

// Open opens a socket at addr, as Listen does. Nothing accepts its connections until [ListenOn] does, in this
// process or in another one that has inherited the socket.
func Open(addr string) (*net.TCPListener, error) {
	socket, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, listenError(addr, err)
	}
	return socket.(*net.TCPListener), nil
}

// ListenOn listens on an open socket, which the listener closes.
func ListenOn(socket net.Listener, o ListenOptions) (*Listener, error) {
	if err := checkSecret(o.Secret, o.Program); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", socket.Addr(), err)
	}
	return newListener(socket, o, timingOf(o.Clients)), nil
}

func newListener(socket net.Listener, o ListenOptions, t timing) *Listener {
	ctx, cancel := context.WithCancel(context.Background())
	l := &Listener{socket: socket, options: o, timing: t, cancel: cancel, candidates: map[*candidate]struct{}{}}
	l.changed.L = &l.mu
	l.work.Go(func() { l.acceptAll(ctx) })
	return l
}

func listenError(addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		// An address that could be tried has a port.
		_, port, _ := net.SplitHostPort(addr)
		return fmt.Errorf("listen on %s: %w; end the server that already has port %s, "+
			"or choose another port with -p on both sides", addr, inner(err), port)
	}
	return fmt.Errorf("listen on %s: %w", addr, inner(err))
}

// Addr returns the address at which the listener listens.
func (l *Listener) Addr() net.Addr { return l.socket.Addr() }

// Rejected returns the number of connections that were not clients: they did not speak this
// version of the protocol, did not prove the secret, closed or stayed silent.
func (l *Listener) Rejected() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rejected
}

// Accept returns the next client, which has been greeted and has proved the secret if there is
// one. The client may have left since. It is not trusted yet, see [Conn.Trust]. The listener greets
// each connection on a goroutine of its own, also while no caller waits in Accept, so that silent
// connections do not delay clients. An error means that the listener has ended, or ctx has.
func (l *Listener) Accept(ctx context.Context) (*Conn, error) {
	release := context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.changed.Broadcast()
	})
	defer release()
	l.mu.Lock()
	defer l.mu.Unlock()
	for ctx.Err() == nil && l.err == nil && len(l.clients) == 0 {
		l.changed.Wait()
	}
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("accept on %s: %w", l.Addr(), context.Cause(ctx))
	case len(l.clients) == 0:
		return nil, fmt.Errorf("accept on %s: %w", l.Addr(), inner(l.err))
	}
	c := l.clients[0]
	l.clients = slices.Delete(l.clients, 0, 1)
	return c, nil
}

// Close stops listening, ends greetings, and aborts the connections of clients that were not
// accepted yet. Accepted connections stay open.
func (l *Listener) Close() error {
	l.cancel()
	err := l.socket.Close()
	l.work.Wait()
	l.mu.Lock()
	left := l.clients
	l.clients = nil
	l.mu.Unlock()
	var all sync.WaitGroup
	for _, c := range left {
		all.Go(func() { c.Abort("", "the server has stopped accepting clients") })
	}
	all.Wait()
	return err
}
